import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { names, outbox, runJob } from '../accounts.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const KAI = { username: 'kai', password: 'pebbles', email: 'kai@pods.example' }

/** A server by invitation with administrator ida, and `clean`, which does what the server does once an hour. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite', rate_limit: 'false' }, mailer: outbox().mailer })
  const ida = await signUp(app)
  const anyone = clientOf(app)
  const register = async () => {
    const answer = await anyone.post('/api/2/register', KAI)
    await app.idle()
    return answer
  }
  return { app, ida, anyone, clean: () => runJob(app, 'housekeeping'), register }
}

const count = ({ db }: TestApp, table: string) =>
  db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count

describe('an account that nobody activates', () => {
  test('is gone after 30 days, with its name and address, and the log says how much went, and of whom nothing', async () => {
    const { app, clean, register } = await open()
    await register()
    app.clock.advance(30 * DAY)
    await clean()
    expect(await names(app)).toEqual(['ida', 'kai'])
    app.clock.advance(1)
    app.logs.length = 0
    await clean()
    const removed = { sessions: 0, tokens: 0, pendingAccounts: 1, auditEntries: 0 }
    expect(app.logs.map((line): unknown => JSON.parse(line))).toEqual([
      { level: 'info', time: expect.any(String), msg: 'removed what has expired', ...removed },
    ])
    expect(await names(app)).toEqual(['ida'])
    expect(await register()).toMatchObject({ status: 200, json: { status: 'pending_activation' } })
  })

  test.each([['activate'], ['deactivate'], ['activate', 'deactivate']])('is none after %s %s', async (...acts) => {
    const { app, ida, clean, register } = await open()
    await register()
    for (const act of acts) await ida.post(`/api/admin/users/kai/${act}`)
    app.clock.advance(400 * DAY)
    await clean()
    expect(await names(app)).toEqual(['ida', 'kai'])
  })
})

test('a token is removed when it ran out, and not before', async () => {
  const { app, anyone, clean, register } = await open()
  await register()
  await signUp(app, 'eva', 'seashell', 'eva@pods.example')
  app.clock.advance(24 * HOUR)
  await anyone.post('/api/2/password-reset', { email: 'eva@pods.example' })
  app.clock.advance(24 * HOUR - 1)
  await clean()
  expect(count(app, 'tokens')).toBe(2)
  app.clock.advance(1)
  await clean()
  expect(count(app, 'tokens')).toBe(0)
})

test('an entry of the audit log is removed after two years, but for the newest thousand', async () => {
  const { app, ida, clean } = await open()
  app.clock.advance(DAY)
  for (let n = 0; n < 3; n++) await ida.post('/api/admin/users/ida/activate')
  app.db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)
    INSERT INTO audit_log (at, via, action) SELECT ${app.clock.seconds()}, 'api', 'user_created' FROM n`)
  // Of 1002 entries the first is a day older than the others.
  for (const [seconds, left] of [
    [729 * DAY, 1002],
    [1, 1001],
    [100 * 365 * DAY, 1000],
  ] as const) {
    app.clock.advance(seconds)
    await clean()
    expect(count(app, 'audit_log')).toBe(left)
  }
})

test('nothing but sessions is ever removed besides', async () => {
  const { app, ida, clean } = await open()
  const feed = 'https://feeds.example/a'
  for (const device of ['phone', 'desk']) await ida.put(`/subscriptions/ida/${device}.txt`, feed)
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [feed] })
  await ida.post('/api/2/episodes/ida.json', [{ podcast: feed, episode: `${feed}/1`, action: 'new' }])
  await signUp(app, 'eva', 'seashell', 'eva@pods.example')
  app.db.run("INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (2, 'https://id.example', '1', 1)")
  app.db.run(`INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at)
    VALUES ('password_reset', 'eva@pods.example', 1, 9e9)`)
  await ida.post('/api/admin/users/eva/deactivate')
  const tables = app.db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .filter(({ name }) => name !== 'sessions')
  const contents = () => tables.map(({ name }) => [name, app.db.query(`SELECT * FROM "${name}"`).all()])
  const before = contents()
  app.clock.advance(10 * 365 * DAY)
  await clean()
  expect(contents()).toEqual(before)
  expect(count(app, 'sessions')).toBe(0)
})

test('one run removes at most 500 rows of each kind, the rest goes with the next', async () => {
  const { app, clean } = await open()
  const numbers = (rows: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO`
  app.db.run(`${numbers(1100)} users (username, username_key, email, email_key, state, created_at)
    SELECT 'u' || i, 'u' || i, 'u' || i || '@x', 'u' || i || '@x', 'pending_activation', 1 FROM n`)
  app.db.run(`${numbers(1100)} sessions (user_id, token_hash, expires_at, created_at, used_at)
    SELECT 1, randomblob(32), 1, 1, 1 FROM n`)
  app.db.run(`${numbers(1100)} tokens (user_id, token_hash, expires_at, purpose)
    SELECT 1, randomblob(32), 1, 'activation' FROM n`)
  app.db.run(`INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at)
    SELECT 'activation', email_key, 1, 9e9 FROM users WHERE state = 'pending_activation'`)
  app.db.run(`${numbers(2099)} audit_log (at, via, action) SELECT 1, 'api', 'user_created' FROM n`)
  const left = () => ['users', 'mails', 'sessions', 'tokens', 'audit_log'].map((table) => count(app, table))
  // Ida is a user, too. That she was made is in the log, and not old; the newest thousand stay besides.
  for (const expected of [
    [1101, 1100, 1100, 1100, 2100],
    [601, 600, 600, 600, 1600],
    [101, 100, 100, 100, 1100],
    [1, 0, 0, 0, 1001],
  ]) {
    expect(left()).toEqual(expected)
    await clean()
  }
})
