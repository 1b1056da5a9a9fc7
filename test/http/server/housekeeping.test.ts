import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { names, outbox, runJob } from '../accounts.ts'

const DAY = 24 * 3600

/** A server by invitation with administrator ida. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite' }, mailer: outbox().mailer })
  return { app, ida: await signUp(app) }
}

test('an account that nobody activates is gone after 30 days, and the log says how much went, and of whom nothing', async () => {
  const { app } = await open()
  const kai = { username: 'kai', password: 'pebbles', email: 'kai@pods.example' }
  await clientOf(app).post('/api/2/register', kai)
  app.clock.advance(30 * DAY)
  await runJob(app, 'housekeeping')
  expect(await names(app)).toEqual(['ida', 'kai'])
  app.clock.advance(1)
  app.logs.length = 0
  await runJob(app, 'housekeeping')
  const removed = { sessions: 0, tokens: 0, pendingAccounts: 1, auditEntries: 0 }
  expect(app.logs.map((line): unknown => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.any(String), msg: 'removed what has expired', ...removed },
  ])
  expect(await names(app)).toEqual(['ida'])
})

test('nothing but sessions is ever removed besides', async () => {
  const { app, ida } = await open()
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
  await runJob(app, 'housekeeping')
  expect(contents()).toEqual(before)
  expect(app.db.query('SELECT 1 FROM sessions').all()).toEqual([])
})
