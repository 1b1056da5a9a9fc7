import { join } from 'node:path'
import { expectDelta } from './cases.ts'
import { type LoadResult, runLoad } from './load.ts'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { actionsGet, deltaGet, roundRobin } from './requests.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'

const CONNECTIONS = 4
const PAUSE_MS = 5
const LONGEST_MS = 120_000
const P99_WANTED_MS = 50

/** A slow reader: after each bite it rests for as long as the bite should have taken. Still, the server can write five times as fast. */
const BYTES_PER_MS = 20_000

/** One client fetches a long history slowly while others poll. */
export async function measureStream({ command, dir, streamed, wants }: Settings): Promise<void> {
  if (!wants('stream')) return
  const dataDir = join(dir, 'stream')
  await seed(dataDir, { users: 1, feeds: 60, actionsPerUser: streamed })
  say(`\n## Streaming ${streamed} actions to a slow reader\n`)
  const server = await startPodstep(command, dataDir)
  let watch: Timer | undefined
  try {
    await poll(server, () => false, 2000)
    const alone = await poll(server, () => false, 2000)
    const before = server.memory().rss
    let done = false
    let highest = 0
    watch = setInterval(() => {
      highest = Math.max(highest, server.memory().rss)
    }, 50)
    const started = performance.now()
    const reading = readSlowly(server.port).finally(() => {
      done = true
    })
    const [bytes, beside] = await Promise.all([reading, poll(server, () => done, LONGEST_MS)])
    const seconds = (performance.now() - started) / 1000
    say(`  ${(bytes / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(1)} s; resident ${before.toFixed(0)} MB before`)
    say(`  ${CONNECTIONS} pollers: p50 ${alone.p50.toFixed(2)} ms, p99 ${alone.p99.toFixed(2)} ms without the stream`)
    say(`  beside the stream: p50 ${beside.p50.toFixed(2)} ms, longest ${beside.max.toFixed(1)} ms`)
    say(`  resident memory grew by at most ${(highest - before).toFixed(0)} MB while streaming`)
    target('p99 of delta GET beside the stream', beside.p99, ' ms', { atMost: P99_WANTED_MS })
  } finally {
    clearInterval(watch)
    await server.stop()
  }
}

function poll({ port }: ServerProcess, isOver: () => boolean, maxMs: number): Promise<LoadResult> {
  const source = roundRobin(CONNECTIONS, 1, (user) => deltaGet(user))
  return runLoad({ port, connections: CONNECTIONS, source, maxMs, isOver, pauseMs: PAUSE_MS, check: expectDelta })
}

/** Fetches the whole history of user 0; resolves with the number of bytes. */
function readSlowly(port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const timer = setTimeout(() => reject(new Error('the stream does not end')), LONGEST_MS)
  let bytes = 0
  let tail = ''
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      binaryType: 'buffer',
      open: (socket) => void socket.write(actionsGet(0, 0)),
      data(socket, data) {
        if (bytes === 0 && !data.subarray(0, 20).toString('latin1').includes(' 200 '))
          reject(new Error(data.toString()))
        bytes += data.length
        tail = (tail + data.subarray(-5).toString('latin1')).slice(-5)
        if (tail === '0\r\n\r\n') {
          resolve(bytes)
          socket.end()
          return
        }
        socket.pause()
        setTimeout(() => socket.resume(), data.length / BYTES_PER_MS)
      },
      close: () => reject(new Error(`the stream broke off after ${bytes} bytes`)),
      error: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise.finally(() => clearTimeout(timer))
}
