import { join } from 'node:path'
import { requestBytes, runLoad } from './load.ts'
import { type Memory, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import {
  actionsGet,
  actionsUpload,
  basicOf,
  changeUpload,
  cookieLogin,
  deltaGet,
  patched,
  roundRobin,
} from './requests.ts'
import { deviceName as device, feedUrl, userName as name, seed } from './seed.ts'
import type { Settings } from './settings.ts'

const WANTED_MB = 120
const LONGEST_MS = 120_000

/** All kinds of requests for every user, then a look at the resident memory. */
export async function measureMemory({ command, dir, pace, users, wants }: Settings): Promise<void> {
  if (!wants('memory')) return
  const dataDir = join(dir, 'memory')
  await seed(dataDir, { users, feeds: 60, actionsPerUser: 200 })
  const server = await startPodstep(command, dataDir)
  say(`\n## Memory: ${users} users do everything\n`)
  const show = (what: string, { rss, peak }: Pick<Memory, 'rss' | 'peak'>) =>
    say(`  ${rss.toFixed(0)} MB (peak ${peak.toFixed(0)}) ${what}`)
  try {
    show('after the start', server.memory())
    for (const { what, make, times = 1 } of KINDS) {
      await runLoad({
        port: server.port,
        connections: pace.connections,
        source: make(pace.connections, users),
        maxRequests: users * times,
        maxMs: LONGEST_MS,
      })
      show(`after ${users * times} × ${what}`, server.memory())
    }
    await Bun.sleep(2000)
    const { rss, peak } = server.memory()
    show('after two quiet seconds', { rss, peak })
    target(`resident memory after a run with ${users} users`, rss, ' MB', { atMost: WANTED_MB })
  } finally {
    await server.stop()
  }
}

interface Kind {
  readonly what: string
  readonly times?: number
  make(connections: number, users: number): ReturnType<typeof roundRobin>
}

const json = (method: string, path: string, user: number, value?: unknown) =>
  requestBytes({
    method,
    path,
    headers: [basicOf(user)],
    ...(value !== undefined && { body: typeof value === 'string' ? value : JSON.stringify(value) }),
  })

const each = (what: string, make: (user: number) => Uint8Array, times = 1): Kind => ({
  what,
  times,
  make: (connections, users) => roundRobin(connections, users, make),
})

const outlines = Array.from({ length: 60 }, (_, index) => `<outline type="rss" xmlUrl="${feedUrl(index)}"/>`).join('')
const opml = `<opml version="2.0"><body>${outlines}</body></opml>`

const KINDS: readonly Kind[] = [
  // First, because it makes every password be hashed once.
  each('POST device, Basic', (user) =>
    json('POST', `/api/2/devices/${name(user)}/${device(user)}.json`, user, { caption: 'Phone' }),
  ),
  each('delta GET, cookie', (user) => deltaGet(user), 5),
  each('delta GET, Basic', (user) => deltaGet(user, basicOf(user)), 5),
  each('login by cookie', cookieLogin),
  each('GET devices', (user) => json('GET', `/api/2/devices/${name(user)}.json`, user)),
  each('POST sync-devices', (user) =>
    json('POST', `/api/2/sync-devices/${name(user)}.json`, user, { synchronize: [[device(user), device(user, 1)]] }),
  ),
  each('change upload', (user) => changeUpload(user, true)),
  each('PUT OPML', (user) => json('PUT', `/subscriptions/${name(user)}/${device(user)}.opml`, user, opml)),
  each('GET OPML', (user) => json('GET', `/subscriptions/${name(user)}/${device(user)}.opml`, user)),
  each('GET list as JSON', (user) => json('GET', `/subscriptions/${name(user)}.json`, user)),
  {
    what: 'upload of 30 actions',
    times: 10,
    make: (connections, users) => patched(connections, users, actionsUpload),
  },
  each('actions GET, recent since', (user) => actionsGet(user), 5),
  each('actions GET, everything', (user) => actionsGet(user, 0)),
]
