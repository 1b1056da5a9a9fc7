import { join } from 'node:path'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { expectDelta } from './cases.ts'
import { type LoadResult, runLoad } from './load.ts'
import { median } from './numbers.ts'
import { type ServerProcess, startFeedServer, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { deltaGet, roundRobin } from './requests.ts'
import { PODCASTS, seed, sessionToken, userName } from './seed.ts'
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

const ALLOWED = { SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8' }

interface Scene {
  readonly server: ServerProcess
  readonly web: ServerProcess
  /** Of the last time without feeds. */
  idle: LoadResult
  edition: number
}

interface Phase {
  readonly what: string
  readonly rounds: number
  /** Whether each feed has a new episode before each round. */
  readonly isNews: boolean
  /** The memory is for many feeds at a time. */
  readonly peakWanted?: number
  readonly perSecondWanted?: number
  /** Settles with how many feeds it has refreshed. */
  readonly refresh: (scene: Scene) => Promise<number>
}

const PHASES: readonly Phase[] = [
  { what: 'first fetch of all', rounds: 1, isNews: false, peakWanted: PEAK_MB_WANTED, refresh: refreshAll },
  {
    what: 'all unchanged (304)',
    rounds: 5,
    isNews: false,
    peakWanted: PEAK_MB_WANTED,
    perSecondWanted: UNCHANGED_PER_SECOND_WANTED,
    refresh: refreshAll,
  },
  { what: 'a new episode in each', rounds: 1, isNews: true, peakWanted: PEAK_MB_WANTED, refresh: refreshAll },
  { what: 'one feed of 16 MB and 10,000 episodes', rounds: 1, isNews: false, refresh: refreshLarge },
  { what: 'the same with a new episode', rounds: 5, isNews: true, refresh: refreshLarge },
]

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
    const scene: Scene = { server, web, idle: await poll(server, () => false, IDLE_MS), edition: 0 }
    for (const phase of PHASES) await measurePhase(scene, phase)
    await compare(scene)
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

async function measurePhase(scene: Scene, phase: Phase): Promise<void> {
  const { what, isNews, peakWanted, perSecondWanted } = phase
  const rounds: Round[] = []
  while (rounds.length < phase.rounds) {
    if (isNews) await publish(scene.web, ++scene.edition)
    rounds.push(await measureRound(scene, phase))
  }
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const ms = (pick: (round: Round) => number) => `${of(pick).toFixed(2)} ms`
  const each = of((round) => round.cpuMs / round.feeds).toFixed(1)
  const perSecond = of((round) => round.feeds / round.seconds)
  say(`  ${what}: ${of((round) => round.seconds).toFixed(1)} s, ${each} ms of processor for each feed`)
  say(
    `    delta GET beside: p50 ${ms(({ beside }) => beside.p50)}, p99 ${ms(({ beside }) => beside.p99)}; longest ${ms(({ beside }) => beside.max)}`,
  )
  say(`    delta GET in peace: p50 ${ms(({ idle }) => idle.p50)}, p99 ${ms(({ idle }) => idle.p99)}`)
  target(
    `${what}: p99 of delta GET, times that in peace`,
    of(({ beside, idle }) => beside.p99 / idle.p99),
    '',
    {
      atMost: P99_RATIO_WANTED,
    },
  )
  if (perSecondWanted !== undefined) target(`${what}: feeds per second`, perSecond, '', { atLeast: perSecondWanted })
  const peak = Math.max(...rounds.map((round) => round.peak))
  if (peakWanted === undefined) say(`        ${what}: peak memory: ${peak.toFixed(0)} MB`)
  else target(`${what}: peak memory`, peak, ' MB', { atMost: peakWanted })
}

/** What any other program does to the server that computes on one processor, with as little right to it as the parser's thread. */
async function compare({ server, idle }: Scene): Promise<void> {
  const other = Bun.spawn(['nice', '-n', '5', process.execPath, '-e', 'for (;;);'])
  try {
    const { p50, p99 } = await poll(server, () => false, IDLE_MS)
    say(`  beside another program that computes, and no feeds: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
    say(`    p99 of delta GET, times that in peace: ${(p99 / idle.p99).toFixed(2)}`)
  } finally {
    other.kill('SIGKILL')
  }
}

interface Round {
  readonly feeds: number
  readonly seconds: number
  readonly cpuMs: number
  readonly peak: number
  readonly beside: LoadResult
  /** Before or after, whichever was worse: what else the machine does is not to be blamed on feeds. */
  readonly idle: LoadResult
}

async function measureRound(scene: Scene, { refresh }: Phase): Promise<Round> {
  const { server, idle: before } = scene
  server.forgetPeak()
  const cpu = server.cpuSeconds()
  const started = performance.now()
  let isOver = false
  const working = refresh(scene).finally(() => {
    isOver = true
  })
  const [feeds, beside] = await Promise.all([working, poll(server, () => isOver, LONGEST_MS)])
  const seconds = (performance.now() - started) / 1000
  const cpuMs = (server.cpuSeconds() - cpu) * 1000
  // The process that reads feeds is still there for a while.
  const { peak } = server.memory()
  scene.idle = await poll(server, () => false, IDLE_MS)
  return { feeds, seconds, cpuMs, peak, beside, idle: before.p99 > scene.idle.p99 ? before : scene.idle }
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
  const url = largeUrl(web.port)
  // A feed that nobody has is not for administrators either.
  await ask(server, 'POST', `/api/2/subscriptions/${userName(0)}/large.json`, { add: [url] })
  const { episodes } = await ask(server, 'POST', `/api/admin/feeds/update/single?url=${encodeURIComponent(url)}`)
  if (Number(episodes) < 2000) throw new Error(`the large feed has ${episodes} episodes`)
  return 1
}

type Answer = Record<string, unknown>

/** As the first user, who is an administrator. */
async function ask({ port }: ServerProcess, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { cookie: `sessionid=${sessionToken(0)}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  // This process and the server are parts of one project.
  return (await response.json()) as Answer
}

async function served({ port }: ServerProcess): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/served`)
  const { served } = (await response.json()) as { served: number }
  return served
}

async function publish({ port }: ServerProcess, edition: number): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}/edition?to=${edition}`, { method: 'POST' })).text()
}
