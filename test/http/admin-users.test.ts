import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox, sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const USERS = '/api/admin/users'
const OK = [200, { status: 'ok' }]
const FEED = 'https://feeds.example/a'

const ACTIVE = { active: true, state: 'active' }
const INACTIVE = { active: false, state: 'inactive' }
const PENDING = { active: false, state: 'pending_activation' }
/** 2025-03-02 is when everything begins. */
const NEW = { ...ACTIVE, is_admin: false, devices: 0, subscriptions: 0, created: '2025-03-02T10:00:00' }
const IDA = { ...NEW, username: 'ida', email: '', is_admin: true }
const OLE = { ...NEW, username: 'Ole', email: 'Ole@Pods.example', devices: 2, subscriptions: 2 }
const KAI = { ...NEW, ...PENDING, username: 'kai', email: 'kai@pods.example' }

/** Administrator ida, Ole with two devices, and kai, who has not activated the account. Mail is captured. */
async function open({ canMail = true } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'invite', rate_limit: 'false' }, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const admin = app.services.administration
  await admin.create({ username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }, false, COMMAND_LINE)
  const ole = clientOf(app, basic('ole', 'driftwood'))
  await ole.put('/subscriptions/ole/phone.txt', `${FEED}\nhttps://feeds.example/b\n`)
  await ole.put('/subscriptions/ole/desk.txt', FEED)
  const anyone = clientOf(app)
  await anyone.post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
  await app.idle()
  sent.length = 0
  const browser = clientOf(app, cookieOf(await ole.post('/api/2/auth/ole/login.json')))
  return { app, ida, ole, browser, anyone, sent }
}

const statusOf = async (app: TestApp, name: string, password: string) =>
  (await clientOf(app, basic(name, password)).get('/api/2/me')).status

describe('GET /api/admin/users', () => {
  test('lists all accounts by name, whatever their state', async () => {
    const { ida } = await open()
    const answer = await ida.get(USERS)
    expect([answer.status, answer.json]).toEqual([200, [IDA, KAI, OLE]])
  })

  test('tells when each was made, and in which of three states it is', async () => {
    const { app, ida } = await open()
    app.clock.advance(3600)
    await ida.post(USERS, { username: 'eva', password: 'seashell' })
    await ida.post(`${USERS}/ole/deactivate`)
    const eva = { ...NEW, username: 'eva', email: '', created: '2025-03-02T11:00:00' }
    expect((await ida.get(USERS)).json).toEqual([eva, IDA, KAI, { ...OLE, ...INACTIVE }])
  })
})

describe('POST /api/admin/users', () => {
  test.each([
    ['without email', {}, ''],
    ['with an empty email', { email: '' }, ''],
    ['with null for the email', { email: null }, ''],
    ['with an email', { email: 'Eva@Pods.example' }, 'Eva@Pods.example'],
    ['with keys nobody knows', { is_admin: true, active: false, devices: 7 }, ''],
  ])('makes an active account that is no administrator, %s', async (_case, extra, email) => {
    const { app, ida } = await open()
    const answer = await ida.post(USERS, { username: ' Eva ', password: 'seashell', ...extra })
    const eva = { ...NEW, username: 'Eva', email }
    expect([answer.status, answer.json]).toEqual([200, eva])
    expect(await statusOf(app, 'eva', 'seashell')).toBe(200)
    expect((await ida.get(USERS)).json).toEqual([eva, IDA, KAI, OLE])
  })
})

describe('activation and deactivation', () => {
  test('answer with the account, as often as one asks', async () => {
    const { app, ida, ole, browser } = await open()
    for (let n = 0; n < 2; n++) {
      const answer = await ida.post(`${USERS}/oLe/deactivate`)
      expect([answer.status, answer.json]).toEqual([200, { ...OLE, ...INACTIVE }])
    }
    expectRefusal(await ole.get('/api/2/me'), 403, 'account_inactive')
    expectRefusal(await browser.get('/api/2/me'), 401, 'unauthorized')
    expect(sessionCount(app, 'ole')).toBe(0)
    for (let n = 0; n < 2; n++) {
      const answer = await ida.post(`${USERS}/OLE/activate`, '{ what?')
      expect([answer.status, answer.json]).toEqual([200, OLE])
    }
    expect((await ole.get('/api/2/me')).status).toBe(200)
    expectRefusal(await browser.get('/api/2/me'), 401, 'unauthorized')
  })
})

describe('POST /api/admin/users/{username}/role', () => {
  test('makes an administrator, and one no longer, at once', async () => {
    const { ida, ole, browser } = await open()
    for (const is_admin of [true, true, false, false]) {
      const answer = await ida.post(`${USERS}/OLE/role`, { is_admin })
      expect([answer.status, answer.json]).toEqual([200, { ...OLE, is_admin }])
      for (const client of [ole, browser]) expect((await client.get(USERS)).status).toBe(is_admin ? 200 : 403)
    }
  })
})

describe('POST /api/admin/users/{username}/password', () => {
  test('replaces the password and ends the sessions of that user, and nobody else’s', async () => {
    const { app, ida, browser } = await open()
    const own = clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
    const answer = await own.post(`${USERS}/OLE/password`, { password: 'seagrass' })
    expect([answer.status, answer.json]).toEqual(OK)
    expectRefusal(await browser.get('/api/2/me'), 401, 'unauthorized')
    expect((await own.get('/api/2/me')).status).toBe(200)
    expect([await statusOf(app, 'ole', 'driftwood'), await statusOf(app, 'ole', 'seagrass')]).toEqual([401, 200])
  })

  test('keeps the session that asks when it is one’s own password, but no other', async () => {
    const { app, ida } = await open()
    const login = async () => clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
    const [asking, other] = [await login(), await login()]
    expect(await asking.post(`${USERS}/IDA/password`, { password: 'seagrass' })).toMatchObject({ status: 200 })
    expect((await asking.get('/api/2/me')).status).toBe(200)
    expectRefusal(await other.get('/api/2/me'), 401, 'unauthorized')
    expectRefusal(await ida.get('/api/2/me'), 401, 'invalid_credentials')
  })
})
