import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const USERS = '/api/admin/users'
const OK = [200, { status: 'ok' }]
const FEED = 'https://feeds.example/a'

/** Administrator ida, and Ole with two devices. Mail is captured. */
async function open() {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'invite' }, mailer })
  const ida = await signUp(app)
  const account = { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }
  await app.services.administration.create(account, false, COMMAND_LINE)
  const ole = clientOf(app, basic('ole', 'driftwood'))
  for (const device of ['phone', 'desk']) await ole.put(`/subscriptions/ole/${device}.txt`, FEED)
  const browser = clientOf(app, cookieOf(await ole.post('/api/2/auth/ole/login.json')))
  return { app, ida, ole, browser, anyone: clientOf(app), sent }
}

test('a deletion that a crash has broken off hides the account, and is finished by the next housekeeping', async () => {
  const { app, ida, ole, browser, anyone } = await open()
  await ole.post('/api/2/episodes/ole.json', [{ podcast: FEED, episode: `${FEED}/1`, action: 'new' }])
  app.db.run("UPDATE users SET state = 'deleting' WHERE username = 'Ole'")
  const hidden = async () => {
    expect((await ida.get(USERS)).json).toMatchObject([{ username: 'ida' }])
    expect((await ida.get('/api/admin/stats')).json).toMatchObject({ users: 1, episode_actions: 0 })
    for (const client of [ole, browser]) expect((await client.get('/api/2/me')).status).toBe(401)
    for (const act of ['activate', 'deactivate', 'reset-password'])
      expectRefusal(await ida.post(`${USERS}/ole/${act}`), 404, 'unknown_user')
    await anyone.post('/api/2/password-reset', { email: 'ole@pods.example' })
  }
  await hidden()
  const again = { username: 'ole', password: 'driftwood', email: 'new@pods.example' }
  expectRefusal(await ida.post(USERS, again), 409, 'username_taken', 'username')

  app.jobs.find(({ name }) => name === 'housekeeping')?.run()
  await app.idle()
  await hidden()
  expect(app.db.query('SELECT 1 FROM episode_actions').all()).toEqual([])
  expect(app.db.query('SELECT 1 FROM devices').all()).toEqual([])
  expect(await ida.post(USERS, again)).toMatchObject({ status: 200 })
})

describe('DELETE /api/admin/users/{username}', () => {
  test('leaves nothing of the account, and the name and the address are free again', async () => {
    const { app, ida, ole, browser, anyone, sent } = await open()
    await ole.post('/api/2/sync-devices/ole.json', { synchronize: [['phone', 'desk']] })
    await ole.post('/api/2/episodes/ole.json', [{ podcast: FEED, episode: `${FEED}/1`, action: 'new' }])
    await anyone.post('/api/2/password-reset', { email: 'ole@pods.example' })
    await app.idle()
    const [mail] = sent
    // One more that waits to be sent.
    app.db.run(
      `INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at) VALUES ('password_reset', 'ole@pods.example', 1, 9e9)`,
    )
    const { id } = app.db.query<{ id: number }, []>(`SELECT id FROM users WHERE username = 'Ole'`).get() ?? { id: 0 }
    app.db.run(
      `INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (${id}, 'https://id.example', '1', 1)`,
    )

    const answer = await ida.delete(`${USERS}/OLE`)
    expect([answer.status, answer.json]).toEqual(OK)
    expect((await ida.get(USERS)).json).toMatchObject([{ username: 'ida' }])
    expect(rowsOf(app, id)).toEqual([])
    const tables = JSON.parse(stored(app)).filter(([name]: [string]) => name !== 'audit_log')
    expect(JSON.stringify(tables).toLowerCase()).not.toContain('"ole')
    for (const client of [ole, browser]) expect((await client.get('/api/2/me')).status).toBe(401)
    const token = mail && 'token' in mail ? mail.token : ''
    expectRefusal(
      await anyone.post('/api/2/password-reset/confirm', { token, new_password: 'seagrass' }),
      400,
      'invalid_token',
      'token',
    )

    const again = await anyone.post('/api/2/register', {
      username: 'ole',
      password: 'driftwood',
      email: 'ole@pods.example',
    })
    expect([again.status, again.json]).toMatchObject([200, { status: 'pending_activation' }])
    expectRefusal(await ole.get('/api/2/me'), 403, 'account_pending')
    expectRefusal(await browser.get('/api/2/me'), 401, 'unauthorized')
    await ida.post(`${USERS}/ole/activate`)
    expect((await ole.get('/api/2/devices/ole.json')).json).toEqual([])
    expect((await ole.get('/api/2/episodes/ole.json')).json).toMatchObject({ actions: [] })
  })

  test('takes years of history with it, and what is uploaded meanwhile', async () => {
    const { app, ida, ole } = await open()
    const upload = (from: number) =>
      ole.post(
        '/api/2/episodes/ole.json',
        Array.from({ length: 2500 }, (_, n) => ({ podcast: FEED, episode: `${FEED}/${from + n}`, action: 'new' })),
      )
    await upload(0)
    const [answer] = await Promise.all([ida.delete(`${USERS}/ole`), upload(2500), upload(5000)])
    expect(answer.status).toBe(200)
    expect(app.db.query('SELECT 1 FROM episode_actions').get()).toBeNull()
    expect((await ida.get('/api/admin/stats')).json).toMatchObject({ users: 1, episode_actions: 0 })
  })
})

/** The tables that still hold something of the account. */
function rowsOf({ db }: TestApp, user: number): string[] {
  const tables = ['sessions', 'tokens', 'identities', 'sync_groups', 'devices', 'episode_actions']
  const left = tables.filter((table) => db.query(`SELECT 1 FROM ${table} WHERE user_id = ?`).get(user) !== null)
  const orphans = db.query('SELECT 1 FROM subscriptions WHERE device_id NOT IN (SELECT id FROM devices)').get()
  return orphans === null ? left : [...left, 'subscriptions']
}
