import { join } from 'node:path'
import { compare } from './compare.ts'
import type { Source } from './load.ts'
import { startPodstep } from './processes.ts'
import { say } from './report.ts'
import {
  actionsGet,
  actionsUpload,
  alternating,
  changeUpload,
  cookieLogin,
  deltaGet,
  patched,
  roundRobin,
} from './requests.ts'
import { NOW, seed } from './seed.ts'
import type { Settings } from './settings.ts'

/** Of an upload after an hour's listening. */
const ACTIONS = 3
/** Subscriptions change seldom: with one sync in so many. */
const SYNCS_PER_CHANGE = 5

/** What apps that sync ask for, all together, with the memory that it takes. */
export async function measureMix({ command, dir, pace, tableConnections, users, wants }: Settings): Promise<void> {
  if (!wants('mix')) return
  say(`\n## Syncs: ${users} users, ${pace.rounds} rounds of ${pace.roundMs} ms each\n`)
  say('| connections | requests/s | p50 ms | p99 ms | CPU µs | peak memory MiB |\n|--:|--:|--:|--:|--:|--:|')
  const dataDir = join(dir, 'mix')
  await seed(dataDir, { users, feeds: 60, actionsPerUser: 210 })
  const server = await startPodstep(command, dataDir)
  try {
    for (const connections of tableConnections) {
      server.forgetPeak()
      const [figures] = await compare([{ server, source: syncs(connections, users) }], { ...pace, connections })
      if (!figures) continue
      const { perSecond, p50, p99, cpuMicros } = figures
      const cells = [p50.toFixed(2), p99.toFixed(2), cpuMicros.toFixed(0), server.memory().peak.toFixed(0)]
      say(`| ${[connections, Math.round(perSecond), ...cells].join(' | ')} |`)
    }
  } finally {
    await server.stop()
  }
}

/** Login, delta, new actions, an upload of a few; and now and then a changed subscription. */
function syncs(connections: number, users: number): Source {
  const sync: readonly Source[] = [
    roundRobin(connections, users, cookieLogin),
    roundRobin(connections, users, (user) => deltaGet(user, { since: NOW })),
    roundRobin(connections, users, (user) => actionsGet(user, NOW)),
    patched(connections, users, (user) => actionsUpload(user, ACTIONS)),
  ]
  const change = alternating(connections, users, changeUpload)
  const steps = [...Array.from({ length: SYNCS_PER_CHANGE }, () => sync).flat(), change]
  const made = new Array<number>(connections).fill(0)
  return (connection) => {
    const step = made[connection] ?? 0
    made[connection] = (step + 1) % steps.length
    return steps[step]?.(connection) ?? new Uint8Array()
  }
}
