import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const KAI = { username: 'kai', password: 'pebbles', email: 'kai@pods.example' }

/** A server by invitation with administrator ida, and `clean`, which does what the server does once an hour. */
async function open(mailer = outbox().mailer) {
  const app = startTestApp({ settings: { registration: 'invite', rate_limit: 'false' }, mailer })
  const ida = await signUp(app)
  const clean = async () => {
    await app.idle()
    app.jobs.find(({ name }) => name === 'housekeeping')?.run()
    await app.idle()
  }
  const anyone = clientOf(app)
  const register = async (who = KAI) => {
    const answer = await anyone.post('/api/2/register', who)
    await app.idle()
    return answer
  }
  return { app, ida, anyone, clean, register }
}

const count = ({ db }: TestApp, table: string) =>
  db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count

const names = async (app: TestApp) => (await app.services.administration.list()).map(({ username }) => username)

/** The tables as text, but for those named. */
function contents({ db }: TestApp, ...except: string[]): string {
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .filter(({ name }) => !except.includes(name))
  return JSON.stringify(tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]))
}

describe('an account that nobody activates', () => {
  test('is gone after 30 days, with its name and address', async () => {
    const { app, anyone, clean, register } = await open()
    await register()
    app.clock.advance(30 * DAY)
    await clean()
    expect(await names(app)).toEqual(['ida', 'kai'])
    app.clock.advance(1)
    await clean()
    expect(await names(app)).toEqual(['ida'])
    const login = { headers: { authorization: `Basic ${btoa('kai:pebbles')}` } }
    expectRefusal(await anyone.get('/api/2/me', login), 401, 'invalid_credentials')
    expect(await register()).toMatchObject({ status: 200, json: { status: 'pending_activation' } })
  })

  test.each([
    ['activated', ['activate']],
    ['deactivated', ['deactivate']],
    ['activated and deactivated', ['activate', 'deactivate']],
  ])('is none once it was %s', async (_case, acts) => {
    const { app, ida, clean, register } = await open()
    await register()
    for (const act of acts) await ida.post(`/api/admin/users/kai/${act}`)
    app.clock.advance(400 * DAY)
    await clean()
    expect(await names(app)).toEqual(['ida', 'kai'])
  })
})

test('a token is removed when it ran out, and not before', async () => {
  const { app, ida, anyone, clean, register } = await open()
  await register()
  await ida.post('/api/admin/users', { username: 'eva', password: 'seashell', email: 'eva@pods.example' })
  app.clock.advance(24 * HOUR)
  await anyone.post('/api/2/password-reset', { email: 'eva@pods.example' })
  await app.idle()
  app.clock.advance(24 * HOUR - 1)
  await clean()
  expect(count(app, 'tokens')).toBe(2)
  app.clock.advance(1)
  await clean()
  expect(count(app, 'tokens')).toBe(0)
  expect(await names(app)).toEqual(['eva', 'ida', 'kai'])
})

test('an entry of the audit log is removed after two years, but for the newest thousand', async () => {
  const { app, ida, clean } = await open()
  app.clock.advance(DAY)
  for (let n = 0; n < 3; n++) await ida.post('/api/admin/users/ida/activate')
  app.db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)
    INSERT INTO audit_log (at, via, action) SELECT ${app.clock.seconds()}, 'api', 'user_created' FROM n`)
  // Of 1002 entries the first is a day older than the others.
  app.clock.advance(729 * DAY)
  await clean()
  expect(count(app, 'audit_log')).toBe(1002)
  app.clock.advance(1)
  await clean()
  expect(count(app, 'audit_log')).toBe(1001)
  app.clock.advance(100 * 365 * DAY)
  await clean()
  expect(count(app, 'audit_log')).toBe(1000)
})

test('nothing else is ever removed', async () => {
  const { app, ida, clean } = await open()
  const feed = 'https://feeds.example/a'
  await ida.put('/subscriptions/ida/phone.txt', feed)
  await ida.put('/subscriptions/ida/desk.txt', feed)
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [feed] })
  await ida.post('/api/2/episodes/ida.json', [{ podcast: feed, episode: `${feed}/1`, action: 'new' }])
  await ida.post('/api/admin/users', { username: 'eva', password: 'seashell', email: 'eva@pods.example' })
  app.db.run(
    `INSERT INTO identities (user_id, issuer, subject, created_at) SELECT id, 'https://id.example', '1', 1 FROM users WHERE username = 'eva'`,
  )
  app.db.run(
    `INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at) VALUES ('password_reset', 'eva@pods.example', 1, 9e9)`,
  )
  await ida.post('/api/admin/users/eva/deactivate')
  const before = contents(app, 'sessions')
  app.clock.advance(10 * 365 * DAY)
  await clean()
  expect(contents(app, 'sessions')).toBe(before)
  expect(count(app, 'sessions')).toBe(0)
})

describe('one run', () => {
  test('removes at most 500 rows of each kind, the rest goes with the next', async () => {
    const { app, clean } = await open()
    app.db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO users (username, username_key, email, email_key, state, created_at)
      SELECT 'u' || i, 'u' || i, 'u' || i || '@x', 'u' || i || '@x', 'pending_activation', 1 FROM n`)
    for (const table of ['sessions', 'tokens']) {
      const [columns, values] = table === 'sessions' ? ['created_at, used_at', '1, 1'] : ['purpose', `'activation'`]
      app.db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
        INSERT INTO ${table} (user_id, token_hash, expires_at, ${columns})
        SELECT (SELECT id FROM users WHERE username = 'ida'), randomblob(32), 1, ${values} FROM n`)
    }
    app.db.run(`INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at)
      SELECT 'activation', email_key, 1, 9e9 FROM users WHERE state = 'pending_activation'`)
    app.db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2099)
      INSERT INTO audit_log (at, via, action) SELECT 1, 'api', 'user_created' FROM n`)
    const left = () => ['users', 'mails', 'sessions', 'tokens', 'audit_log'].map((table) => count(app, table))
    // Ida is a user, too. That she was made is in the log, and not old; the newest thousand stay besides.
    expect(left()).toEqual([1101, 1100, 1100, 1100, 2100])
    await clean()
    expect(left()).toEqual([601, 600, 600, 600, 1600])
    await clean()
    expect(left()).toEqual([101, 100, 100, 100, 1100])
    await clean()
    expect(left()).toEqual([1, 0, 0, 0, 1001])
  })

  test('says in the log how much went, and of whom nothing', async () => {
    const { app, clean, register } = await open()
    await register()
    app.clock.advance(31 * DAY)
    app.logs.length = 0
    await clean()
    expect(app.logs.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        msg: 'removed what has expired',
        sessions: 0,
        tokens: 1,
        pendingAccounts: 1,
        auditEntries: 0,
      },
    ])
  })
})
