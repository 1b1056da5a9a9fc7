import { join } from 'node:path'
import { sendFromElsewhere } from './client-process.ts'
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
  send,
} from './requests.ts'
import { deviceName as device, feedUrl, HISTORY_END, mediaUrl, userName as name, seed } from './seed.ts'
import type { Settings } from './settings.ts'

const EMPTY_WANTED_MIB = 60
const PEAK_WANTED_MIB = 120
const LONGEST_MS = 120_000
const METRICS_TOKEN = 'tide-table-of-1873'

/** Resident memory with nothing to do, while 1,000 users do everything, and while one uploads as much as a request may hold. */
export async function measureMemory(settings: Settings): Promise<void> {
  if (!settings.wants('memory')) return
  say('\n## Memory\n')
  await ofEmpty(settings)
  await ofMetrics(settings)
  await ofLargeUpload(settings)
  await ofAllUsers(settings)
}

async function ofEmpty({ command, dir }: Settings): Promise<void> {
  const server = await startPodstep(command, join(dir, 'memory-empty'))
  try {
    await Bun.sleep(1000)
    target('resident memory, empty database', server.memory().rss, ' MiB', { atMost: EMPTY_WANTED_MIB })
  } finally {
    await server.stop()
  }
}

/** What the metrics take: after requests of several kinds, and as Prometheus comes by once and again. */
async function ofMetrics({ command, dir }: Settings): Promise<void> {
  for (const [title, env] of [
    ['without metrics', {}],
    ['with metrics', { SVC_METRICS_TOKEN: METRICS_TOKEN }],
  ] as const) {
    const server = await startPodstep(command, join(dir, `memory-${title.replace(' ', '-')}`), env)
    const get = async (path: string, headers = {}) =>
      (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })).bytes()
    try {
      const told: string[] = []
      for (const reads of [1, 99]) {
        for (let n = 0; n < reads; n++) {
          await get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
          for (const path of ['/healthz', '/api/2/me', '/search.json?q=x', `/subscriptions/u${n}/d.json`])
            await get(path)
        }
        await Bun.sleep(1000)
        told.push(`${server.memory().rss.toFixed(1)} MiB`)
      }
      say(`  resident memory ${title}: ${told[0]} after one read of /metrics, ${told[1]} after a hundred`)
    } finally {
      await server.stop()
    }
  }
}

async function ofLargeUpload({ command, dir }: Settings): Promise<void> {
  const dataDir = join(dir, 'memory-upload')
  await seed(dataDir, { users: 1, feeds: 60, actionsPerUser: 0 })
  const server = await startPodstep(command, dataDir)
  try {
    const upload = send(0, 'POST', `/api/2/episodes/${name(0)}.json`, largeUpload())
    const { ms } = await sendFromElsewhere(server.port, upload)
    const title = `peak memory, upload of ${(upload.length / 2 ** 20).toFixed(1)} MiB in ${(ms / 1000).toFixed(1)} s`
    target(title, server.memory().peak, ' MiB', { atMost: PEAK_WANTED_MIB })
  } finally {
    await server.stop()
  }
}

/** Just under ten MiB, each action of an episode of its own. */
function largeUpload(): unknown[] {
  const action = (index: number) => ({
    podcast: feedUrl(index % 1000),
    episode: mediaUrl(index % 1000, index),
    device: device(0),
    action: 'play',
    timestamp: new Date((HISTORY_END + index) * 1000).toISOString().slice(0, 19),
    started: 0,
    position: index % 3600,
    total: 3600,
  })
  const longest = JSON.stringify(action(99_999)).length + 1
  return Array.from({ length: Math.floor((10 * 2 ** 20) / longest) }, (_, index) => action(index))
}

async function ofAllUsers({ command, dir, pace, users }: Settings): Promise<void> {
  const dataDir = join(dir, 'memory')
  await seed(dataDir, { users, feeds: 60, actionsPerUser: 200 })
  const server = await startPodstep(command, dataDir)
  say(`  ${users} users do everything:`)
  const show = (what: string, { rss, peak }: Pick<Memory, 'rss' | 'peak'>) =>
    say(`  ${rss.toFixed(0)} MiB (peak ${peak.toFixed(0)}) ${what}`)
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
    show('after two quiet seconds', server.memory())
    target(`peak memory of a run with ${users} users`, server.memory().peak, ' MiB', { atMost: PEAK_WANTED_MIB })
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
  each('delta GET, Basic', (user) => deltaGet(user, { authorization: basicOf(user) }), 5),
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
