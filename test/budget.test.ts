import { describe, expect, test } from 'bun:test'
import { startTestApp } from './support/app.ts'
import { type Answer, type Client, clientOf, cookieOf, basic as credentials, signUp } from './support/client.ts'
import { countedDatabase } from './support/database.ts'

/** What the write queue and the read snapshot put around the work; one of each per group of requests. */
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
  /** In the sync group of the phone. */
  readonly devices: number
  /** Feeds the phone has, and actions of the account. */
  readonly stored: number
  /** Feeds or actions in the request. */
  readonly sent: number
}

/** What a request costs must not grow with what is stored, and with what it brings only by the jobs that write it. */
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
  // Every application under test draws the same random numbers, so a session of the copy would get the ID of one that
  // is here.
  app.db.run('DELETE FROM sessions')
  return app.db.serialize()
}

/**
 * Ida's account with a client that keeps a session and one that sends the password each time; nothing is remembered of
 * either.
 */
async function open(size: Size) {
  const key = `${size.devices} ${size.stored}`
  const contents = filled.get(key) ?? fill(size)
  filled.set(key, contents)
  const { db, during } = countedDatabase(await contents)
  let indexPause = Promise.resolve()
  const app = startTestApp({ db, indexPause: () => indexPause })
  const atOnce = { fetch: app.fetchAtOnce }
  // As apps do, which are named in what is kept of changes.
  const named = { 'user-agent': 'AntennaPod/3.4.0' }
  const basic = clientOf(atOnce, { ...named, ...credentials('ida', 'seaglass') })
  const cookie = clientOf(atOnce, { ...named, ...cookieOf(await basic.get('/api/2/me')) })
  // The first upload after a start reads what is remembered for all further ones, and the first one of a user what they have chosen.
  await basic.post('/api/2/devices/ida/phone.json', {})
  const bo = clientOf(atOnce, credentials('bo', 'driftwood'))
  await bo.post('/api/2/subscriptions/bo/phone.json', { add: feeds(1, 'first') })
  await app.idle()

  /** The SQL of one request, which must succeed, until it is answered. The indexer has its turn later. */
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
  /** Statements of a client with a session, finding the session included; transactions not. */
  readonly budget: number
  readonly request: (sent: number) => Request
  /** The request before, which is not counted. */
  readonly after?: Request
  readonly writes?: boolean
  /** Statements for each feed or action of the request: rows are written one by one, which costs least. */
  readonly each?: (devices: number) => number
  /** Rows that are read in steps, where there are many. */
  readonly rows?: (size: Size) => number
}

/** What is large is read in jobs of 500 rows, each of a few statements. */
const ROWS_PER_JOB = 500
const STATEMENTS_PER_JOB = 4

const most = ({ budget, each, rows }: Case, size: Size) =>
  budget + (each?.(size.devices) ?? 0) * size.sent + STATEMENTS_PER_JOB * Math.floor((rows?.(size) ?? 0) / ROWS_PER_JOB)

/**
 * An action on an episode that is new to the user: it is looked for, podcast and media file are looked for and added,
 * then the user's episode, the action, the state of the episode and, since each action is of another device than the
 * one before, an upload.
 */
const ACTION = 9
/** A feed that is new: its podcast is looked for, added and asked whether it has been fetched. */
const add = (devices: number) => 3 + devices
const remove = (devices: number) => 1 + devices

/** Change a number only knowingly: a higher one means that every client of every user waits longer. */
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
    // That what happened is kept, so that it can be undone, costs one.
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
    // Whether there is a guid elsewhere is one more.
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
  // What only reads may do so one after the other.
  const shared = open(size)

  test.each(CASES)('$what costs at most $budget statements, and some for each row and job more', async (each) => {
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

describe('a password that was right a moment ago', () => {
  const size = { devices: 2, stored: 3, sent: 2 }
  const shared = open(size)

  test.each(CASES)('costs at most one statement more than a session: $what', async (each) => {
    const { basic, cost } = await (each.writes ? open(size) : shared)
    await each.after?.(basic)
    const executed = await cost(basic, each.request(2))
    expect(executed.filter(isWork).length).toBeLessThanOrEqual(most(each, { ...size, sent: 2 }) + 1)
    // And begins no session.
    expect(executed.filter((sql) => /\bINTO sessions\b/i.test(sql))).toEqual([])
  })
})
