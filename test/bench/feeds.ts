import { join } from 'node:path'
import { openDatabase } from '../../src/store/sqlite/open.ts'
import { expectDelta } from './cases.ts'
import { type LoadResult, runLoad } from './load.ts'
import { type ServerProcess, startFeedServer, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { deltaGet, roundRobin } from './requests.ts'
import { PODCASTS, seed, sessionToken } from './seed.ts'
import type { Settings } from './settings.ts'

/** Enough for each podcast to have a subscriber. */
const USERS = 300
const CONNECTIONS = 4
const PAUSE_MS = 5
const IDLE_MS = 4000
const LONGEST_MS = 600_000
const STATUS_EVERY_MS = 20
/** Addresses of this machine that feeds come from. */
const HOSTS = 250

const UNCHANGED_PER_SECOND_WANTED = 300
const P99_RATIO_WANTED = 2
const PEAK_MB_WANTED = 250

const ALLOWED = { SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8', SVC_RATE_LIMIT: 'false' }

interface Scene {
  readonly server: ServerProcess
  readonly web: ServerProcess
  /** Of the last phase without feeds. */
  idle: LoadResult
}

/** What everybody else notices of feeds being fetched, and how fast that is. */
export async function measureFeeds({ command, dir, wants }: Settings): Promise<void> {
  if (!wants('feeds')) return
  say(`\n## Feeds: ${PODCASTS} of them, ${CONNECTIONS} pollers beside\n`)
  const dataDir = join(dir, 'feeds')
  await seed(dataDir, { users: USERS, feeds: 60, actionsPerUser: 200 })
  const web = await startFeedServer(join(dir, 'feed-server'))
  pointAt(dataDir, web.port)
  const server = await startPodstep(command, dataDir, ALLOWED)
  try {
    await poll(server, () => false, IDLE_MS)
    const scene: Scene = { server, web, idle: await poll(server, () => false, IDLE_MS) }
    await measurePhase(scene, 'first fetch of all', () => refreshAll(scene))
    const rates: number[] = []
    for (const round of [1, 2, 3])
      rates.push(await measurePhase(scene, `all unchanged (304), ${round}`, () => refreshAll(scene)))
    target('feeds per second, unchanged', Math.max(...rates), '', { atLeast: UNCHANGED_PER_SECOND_WANTED })
    await publish(web, 1)
    await measurePhase(scene, 'one new episode in each', () => refreshAll(scene))
    await measurePhase(scene, 'a feed of 16 MB, 10,000 episodes', () => refreshLarge(scene))
    await publish(web, 2)
    await measurePhase(scene, 'the same with a new episode', () => refreshLarge(scene))
  } finally {
    await Promise.all([server.stop(), web.stop()])
  }
}

/** Makes the podcasts of a seeded database those of the web server; the last one is the large one. */
function pointAt(dataDir: string, port: number): void {
  const { db, close } = openDatabase({ dataDir, version: 'bench', now: 0 })
  db.query(`UPDATE podcasts SET url = 'http://127.0.0.' || (id % ?1 + 1) || ':' || ?2 || '/feed/' || id`).run(
    HOSTS,
    port,
  )
  db.query('INSERT INTO podcasts (url, created_at) VALUES (?1, unixepoch())').run(largeUrl(port))
  close()
}

const largeUrl = (port: number) => `http://127.0.0.1:${port}/large`

/** Feeds per second. */
async function measurePhase(scene: Scene, what: string, work: () => Promise<number>): Promise<number> {
  const { server } = scene
  server.forgetPeak()
  const before = server.cpuSeconds()
  const started = performance.now()
  let done = false
  const working = work().finally(() => {
    done = true
  })
  const [feeds, beside] = await Promise.all([working, poll(server, () => done, LONGEST_MS)])
  const seconds = (performance.now() - started) / 1000
  const { peak } = server.memory()
  const cpu = server.cpuSeconds() - before
  const idle = await poll(server, () => false, IDLE_MS)
  const quiet = Math.max(scene.idle.p99, idle.p99)
  scene.idle = idle
  say(
    `  ${what}: ${seconds.toFixed(1)} s, ${(feeds / seconds).toFixed(0)} feeds/s, ${((cpu / feeds) * 1000).toFixed(1)} ms of processor each`,
  )
  say(
    `    delta GET beside: p50 ${beside.p50.toFixed(2)} ms, p99 ${beside.p99.toFixed(2)} ms, longest ${beside.max.toFixed(1)} ms of ${beside.requests}; idle p50 ${idle.p50.toFixed(2)} ms, p99 ${quiet.toFixed(2)} ms`,
  )
  target(`${what}: p99 of delta GET, times that of idle`, beside.p99 / quiet, '', { atMost: P99_RATIO_WANTED })
  target(`${what}: peak memory`, peak, ' MB', { atMost: PEAK_MB_WANTED })
  return feeds / seconds
}

function poll({ port }: ServerProcess, isOver: () => boolean, maxMs: number): Promise<LoadResult> {
  const source = roundRobin(CONNECTIONS, USERS, (user) => deltaGet(user))
  return runLoad({ port, connections: CONNECTIONS, source, maxMs, isOver, pauseMs: PAUSE_MS, check: expectDelta })
}

/** Settles when all feeds have been refreshed; with how many these are. */
async function refreshAll({ server, web }: Scene): Promise<number> {
  const before = await served(web)
  const started = await ask(server, 'POST', '/api/admin/feeds/update')
  if (started['feeds'] !== PODCASTS) throw new Error(`${started['feeds']} feeds are wanted`)
  // The status costs the server something; as long as feeds are asked for it need not be asked.
  while ((await served(web)) < before + PODCASTS) await Bun.sleep(STATUS_EVERY_MS)
  for (;;) {
    const { running, failing_total } = await ask(server, 'GET', '/api/admin/feeds/status')
    if (failing_total !== 0) throw new Error(`${failing_total} feeds cannot be had`)
    if (running === false) return PODCASTS
    await Bun.sleep(STATUS_EVERY_MS)
  }
}

async function refreshLarge({ server, web }: Scene): Promise<number> {
  const url = encodeURIComponent(largeUrl(web.port))
  const { episodes } = await ask(server, 'POST', `/api/admin/feeds/update/single?url=${url}`)
  if (Number(episodes) < 2000) throw new Error(`the large feed has ${episodes} episodes`)
  return 1
}

/** As the first user, who is an administrator. */
async function ask({ port }: ServerProcess, method: string, path: string): Promise<Record<string, unknown>> {
  const headers = { cookie: `sessionid=${sessionToken(0)}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  // This process and the server are parts of one project.
  return (await response.json()) as Record<string, unknown>
}

async function served({ port }: ServerProcess): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/served`)
  const { served } = (await response.json()) as { served: number }
  return served
}

async function publish({ port }: ServerProcess, edition: number): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}/edition?to=${edition}`, { method: 'POST' })).text()
}
