import { describe, expect, test } from 'bun:test'
import { startTestApp } from './support/app.ts'
import { type Answer, type Client, clientOf, cookieOf, basic as credentials, signUp } from './support/client.ts'
import { countedDatabase } from './support/database.ts'

/** Statements of the write queue and the read snapshot, once per group of requests. */
const TRANSACTION = /^(?:PRAGMA|BEGIN|SAVEPOINT|RELEASE|COMMIT|ROLLBACK)\b/

const DELTA = '/api/2/subscriptions/ida/phone.json'
const LIST = '/subscriptions/ida/phone.json'
const EPISODES = '/api/2/episodes/ida.json'
const DEVICE = '/api/2/devices/ida/phone.json'

function feeds(count: number, name = 'new'): string[] {
  return Array.from({ length: count }, (_, n) => `https://feeds.example/${name}${n}`)
}

function actions(count: number, name = 'new') {
  return feeds(count, name).map((podcast, n) => ({
    podcast,
    episode: `https://cdn.example/${n}`,
    device: `${name}${n % 5}`,
    action: 'play',
    position: n,
  }))
}

interface Size {
  /** Devices in the sync group of the phone. */
  readonly devices: number
  /** Feeds of the phone, and actions of the account. */
  readonly stored: number
  /** Feeds or actions in the request. */
  readonly sent: number
}

/** The cost of a request must not grow with the stored data, and with the sent data only by rows and jobs. */
const SIZES: readonly Size[] = [
  { devices: 1, stored: 3, sent: 1 },
  { devices: 8, stored: 400, sent: 1 },
  { devices: 8, stored: 400, sent: 400 },
]

/** Databases with Ida's account, filled through the API; each is filled once and then copied. */
const filled = new Map<string, Promise<Buffer>>()

async function fill({ devices, stored }: Size): Promise<Buffer> {
  const app = startTestApp()
  const ida = await signUp(app)
  await signUp(app, 'bo', 'driftwood')
  const group = ['phone', ...Array.from({ length: devices - 1 }, (_, n) => `other${n}`)]
  for (const device of group) await ida.post(`/api/2/devices/ida/${device}.json`)
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [group] })
  await ida.post(DELTA, { add: feeds(stored, 'old') })
  await ida.post(EPISODES, actions(stored, 'old'))
  await app.idle()
  // All test applications draw the same random numbers, so new sessions of the copy would get the same IDs.
  app.db.run('DELETE FROM sessions')
  return app.db.serialize()
}

/** Ida's account, a client with a session and a client that sends the password each time. */
async function open(size: Size) {
  const key = `${size.devices} ${size.stored}`
  const contents = filled.get(key) ?? fill(size)
  filled.set(key, contents)
  const { db, during } = countedDatabase(await contents)
  let indexPause = Promise.resolve()
  const app = startTestApp({ db, indexPause: () => indexPause })
  const atOnce = { fetch: app.fetchAtOnce }
  // Apps are named in stored changes.
  const named = { 'user-agent': 'AntennaPod/3.4.0' }
  const basic = clientOf(atOnce, { ...named, ...credentials('ida', 'seaglass') })
  const cookie = clientOf(atOnce, { ...named, ...cookieOf(await basic.get('/api/2/me')) })
  // The first uploads, of the server and of each user, fill caches.
  await basic.post('/api/2/devices/ida/phone.json', {})
  const bo = clientOf(atOnce, credentials('bo', 'driftwood'))
  await bo.post('/api/2/subscriptions/bo/phone.json', { add: feeds(1, 'first') })
  await app.idle()

  /** The SQL of one successful request. The indexer runs afterwards. */
  async function cost(client: Client, request: Request): Promise<string[]> {
    const answered = Promise.withResolvers<void>()
    indexPause = answered.promise
    const executed = await during(async () => {
      expect((await request(client)).status).toBe(200)
    })
    const counted = [...executed]
    answered.resolve()
    await app.idle()
    return counted
  }
  return { cookie, basic, cost }
}

type Request = (client: Client) => Promise<Answer>

interface Case {
  readonly what: string
  /** Statements of a client with a session, including its lookup, without transactions. */
  readonly budget: number
  readonly request: (sent: number) => Request
  /** A request to send before; not counted. */
  readonly after?: Request
  readonly writes?: boolean
  /** Statements for each feed or action of the request. */
  readonly each?: (devices: number) => number
  /** Rows that are read in jobs. */
  readonly rows?: (size: Size) => number
}

/** Many rows are read in jobs of 500, each of a few statements. */
const ROWS_PER_JOB = 500
const STATEMENTS_PER_JOB = 4

const most = ({ budget, each, rows }: Case, size: Size) =>
  budget + (each?.(size.devices) ?? 0) * size.sent + STATEMENTS_PER_JOB * Math.floor((rows?.(size) ?? 0) / ROWS_PER_JOB)

/**
 * An action on an episode that is new to the user: looks up the episode, looks up and adds podcast and media file, adds
 * the user's episode, the action and the state of the episode, and an upload, since devices alternate.
 */
const ACTION = 9
/** A new feed: looks up and adds its podcast, and checks whether it has been fetched. */
const add = (devices: number) => 3 + devices
const remove = (devices: number) => 1 + devices

/** A higher number means that every client of every user waits longer. */
const CASES: readonly Case[] = [
  { what: 'fetching no changes', budget: 3, request: () => (c) => c.get(`${DELTA}?since=1999999999`) },
  { what: 'fetching all changes', budget: 3, request: () => (c) => c.get(DELTA) },
  { what: 'the list of a device', budget: 4, request: () => (c) => c.get(LIST) },
  {
    what: 'the list of a user',
    budget: 3,
    rows: ({ devices, stored }) => devices * stored,
    request: () => (c) => c.get('/subscriptions/ida.opml'),
  },
  { what: 'the devices', budget: 2, request: () => (c) => c.get('/api/2/devices/ida.json') },
  { what: 'changing a device', budget: 3, writes: true, request: () => (c) => c.post(DEVICE, { caption: 'x' }) },
  { what: 'fetching no actions', budget: 4, request: () => (c) => c.get(`${EPISODES}?since=1999999999`) },
  { what: 'fetching all actions', budget: 4, request: () => (c) => c.get(EPISODES) },
  { what: 'fetching the latest actions', budget: 6, request: () => (c) => c.get(`${EPISODES}?aggregated=true`) },
  {
    what: 'fetching the actions of a feed and a device',
    budget: 7,
    request: () => (c) => c.get(`${EPISODES}?podcast=https%3A%2F%2Ffeeds.example%2Fold1&device=old1`),
  },
  {
    // One statement stores the change, so that it can be undone.
    what: 'uploading changes',
    budget: 5,
    each: (devices) => add(devices) + remove(devices),
    writes: true,
    request: (sent) => (c) => c.post(DELTA, { add: feeds(sent), remove: feeds(sent, 'old') }),
  },
  {
    what: 'uploading changes as a new device',
    budget: 7,
    each: () => add(1),
    writes: true,
    request: (sent) => (c) => c.post(DELTA.replace('phone', 'x'), { add: feeds(sent) }),
  },
  {
    what: 'uploading changes after a fetch',
    budget: 6,
    each: (devices) => add(devices) + remove(devices),
    writes: true,
    after: (c) => c.get(DELTA),
    request: (sent) => (c) => c.post(DELTA, { add: feeds(sent), remove: feeds(sent, 'old') }),
  },
  {
    what: 'replacing a list',
    budget: 14,
    each: add,
    rows: ({ devices, stored }) => devices * stored,
    writes: true,
    request: (sent) => (c) => c.put(LIST, feeds(sent)),
  },
  {
    what: 'uploading actions',
    budget: 16,
    each: () => ACTION,
    writes: true,
    request: (sent) => (c) => c.post(EPISODES, actions(sent)),
  },
  {
    what: 'uploading actions with guids',
    budget: 16,
    // One statement looks up the guid.
    each: () => ACTION + 1,
    writes: true,
    request: (sent) => (c) =>
      c.post(
        EPISODES,
        actions(sent).map((action, n) => ({ ...action, guid: `guid-${n}` })),
      ),
  },
  {
    what: 'uploading actions after a fetch',
    budget: 17,
    each: () => ACTION,
    writes: true,
    after: (c) => c.get(EPISODES),
    request: (sent) => (c) => c.post(EPISODES, actions(sent)),
  },
]

const isWork = (sql: string) => !TRANSACTION.test(sql)

describe.each(SIZES)('with $devices devices, $stored stored and $sent sent', (size) => {
  // Shared by cases that only read.
  const shared = open(size)

  test.each(CASES)('$what costs at most $budget statements, plus some for each row and job', async (each) => {
    const { cookie, cost } = await (each.writes ? open(size) : shared)
    await each.after?.(cookie)
    const executed = await cost(cookie, each.request(size.sent))
    expect(executed.filter(isWork).length).toBeLessThanOrEqual(most(each, size))
    expect(executed.some((sql) => sql.startsWith('SAVEPOINT'))).toBe(each.writes ?? false)
  })
})

describe('reading the directory writes nothing', () => {
  const shared = open({ devices: 2, stored: 400, sent: 0 })

  test.each([
    { path: '/toplist/50.json', budget: 1 },
    { path: '/api/2/tags/50.json', budget: 1 },
    { path: '/api/2/tag/sea/50.json', budget: 1 },
    { path: '/api/2/me/upgrades', budget: 2 },
    { path: '/api/2/me/moves', budget: 2 },
  ])('$path costs $budget statements', async ({ path, budget }) => {
    const { cookie, cost } = await shared
    const executed = await cost(cookie, (c) => c.get(path))
    expect(executed.filter(isWork)).toHaveLength(budget)
    expect(executed.filter((sql) => sql.startsWith('SAVEPOINT'))).toHaveLength(0)
  })
})

describe('a password that was verified recently', () => {
  const size = { devices: 2, stored: 3, sent: 2 }
  const shared = open(size)
  const some = CASES.filter(({ what }) => /^(?:fetching no|changing a device|uploading changes$)/.test(what))

  test.each(some)('costs at most one statement more than a session: $what', async (each) => {
    const { basic, cost } = await (each.writes ? open(size) : shared)
    await each.after?.(basic)
    const executed = await cost(basic, each.request(2))
    expect(executed.filter(isWork).length).toBeLessThanOrEqual(most(each, { ...size, sent: 2 }) + 1)
    // It does not start a session.
    expect(executed.filter((sql) => /\bINTO sessions\b/i.test(sql))).toEqual([])
  })
})
