import { join } from 'node:path'
import { sendFromElsewhere } from './client-process.ts'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { actionsGet } from './requests.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'
import { watchOthers } from './waiting.ts'

const PER_SECOND_WANTED = 500_000
const PEAK_WANTED_MIB = 160
const LONGEST_WANTED_MS = 20

/** Still, the server can write five times as fast. */
const SLOW_BYTES_PER_MS = 20_000

/** One client fetches a long history, fast or slowly, while others poll. */
export async function measureStream({ command, dir, streamed, wants }: Settings): Promise<void> {
  if (!wants('stream')) return
  const dataDir = join(dir, 'stream')
  await seed(dataDir, { users: 5, feeds: 60, actionsPerUser: 30, longHistory: streamed })
  say(`\n## Streaming ${streamed} actions\n`)
  const server = await startPodstep(command, dataDir)
  try {
    // Once alone, for the speed: those who poll and the client share two cores with the server.
    const alone = await sendFromElsewhere(server.port, actionsGet(0, 0))
    say(`  ${(alone.bytes / 2 ** 20).toFixed(0)} MiB`)
    target('actions per second to a fast client', (streamed / alone.ms) * 1000, '', { atLeast: PER_SECOND_WANTED })
    await beside(server, 'a fast client')
    await beside(server, `a client of ${SLOW_BYTES_PER_MS / 1000} MB/s`, SLOW_BYTES_PER_MS)
  } finally {
    await server.stop()
  }
}

async function beside(server: ServerProcess, whom: string, bytesPerMs?: number): Promise<void> {
  const before = server.memory().rss
  server.forgetPeak()
  const { p50, p99, longest, result } = await watchOthers(server, () =>
    sendFromElsewhere(server.port, actionsGet(0, 0), bytesPerMs),
  )
  const { peak } = server.memory()
  say(`  beside ${whom}, ${(result.ms / 1000).toFixed(1)} s: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms`)
  say(`  resident ${before.toFixed(0)} MiB before, at most ${peak.toFixed(0)} MiB`)
  target(`others wait beside ${whom}`, longest, ' ms', { atMost: LONGEST_WANTED_MS })
  target(`peak memory while streaming to ${whom}`, peak, ' MiB', { atMost: PEAK_WANTED_MIB })
}
