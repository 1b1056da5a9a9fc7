import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox, sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

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

  test.each(['open', 'closed', 'invite'])('works while registration is %s', async (registration) => {
    const app = startTestApp({ settings: { registration } })
    const ida = await signUp(app)
    expect(await ida.post(USERS, { username: 'eva', password: 'seashell' })).toMatchObject({ json: { active: true } })
  })

  const eva = { username: 'eva', password: 'seashell', email: 'eva@pods.example' }
  test.each([
    ['broken JSON', '{', 400, 'invalid_json', undefined],
    ['no body', undefined, 400, 'invalid_json', undefined],
    ['a list', [eva], 400, 'validation_failed', 'body'],
    ['no name', { password: 'seashell' }, 400, 'validation_failed', 'username'],
    ['a number for a name', { ...eva, username: 7 }, 400, 'validation_failed', 'username'],
    ['an empty name', { ...eva, username: '' }, 400, 'validation_failed', 'username'],
    ['a blank name', { ...eva, username: ' ' }, 400, 'validation_failed', 'username'],
    ['a name with a space', { ...eva, username: 'e va' }, 400, 'validation_failed', 'username'],
    ['a name with a line end', { ...eva, username: 'eva\r\nBcc: x' }, 400, 'validation_failed', 'username'],
    ['a name of 65', { ...eva, username: 'e'.repeat(65) }, 400, 'validation_failed', 'username'],
    ['a name with a dot in front', { ...eva, username: '.eva' }, 400, 'validation_failed', 'username'],
    ['the reserved name', { ...eva, username: 'Current' }, 400, 'validation_failed', 'username'],
    ['no password', { username: 'eva' }, 400, 'validation_failed', 'password'],
    ['null for the password', { ...eva, password: null }, 400, 'validation_failed', 'password'],
    ['a password of 3', { ...eva, password: 'abc' }, 400, 'validation_failed', 'password'],
    ['a password of 257', { ...eva, password: 'x'.repeat(257) }, 400, 'validation_failed', 'password'],
    ['a list for the email', { ...eva, email: ['eva@pods.example'] }, 400, 'validation_failed', 'email'],
    ['no email address', { ...eva, email: 'eva' }, 400, 'validation_failed', 'email'],
    ['two email addresses', { ...eva, email: 'eva@pods.example, x@y.example' }, 400, 'validation_failed', 'email'],
    [
      'a header in the email',
      { ...eva, email: 'eva@pods.example\r\nBcc: x@y.example' },
      400,
      'validation_failed',
      'email',
    ],
    ['an email of 255', { ...eva, email: `eva@${'x'.repeat(251)}` }, 400, 'validation_failed', 'email'],
    ['a name somebody has', { ...eva, username: 'oLE' }, 409, 'username_taken', 'username'],
    ['the name of a pending account', { ...eva, username: 'kai' }, 409, 'username_taken', 'username'],
    ['an email somebody has', { ...eva, email: 'OLE@pods.EXAMPLE' }, 409, 'email_taken', 'email'],
    ['the email of a pending account', { ...eva, email: 'kai@pods.example' }, 409, 'email_taken', 'email'],
    [
      'name and email of others',
      { ...eva, username: 'ole', email: 'kai@pods.example' },
      409,
      'username_taken',
      'username',
    ],
  ])('refuses %s', async (_case, body, status, word, field) => {
    const { app, ida } = await open()
    const before = stored(app)
    expectRefusal(await ida.post(USERS, body), status, word, field)
    expect(stored(app)).toBe(before)
  })

  test('makes one account when two are asked for at once', async () => {
    const { ida } = await open()
    const answers = await Promise.all([1, 2].map(() => ida.post(USERS, eva)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
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

  test('end the pending state, too', async () => {
    const { app, ida } = await open()
    expect((await ida.post(`${USERS}/kai/activate`)).json).toEqual({ ...KAI, ...ACTIVE })
    expect(await statusOf(app, 'kai', 'pebbles')).toBe(200)
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

  test('does not let anybody in who may not', async () => {
    const { app, ida } = await open()
    await ida.post(`${USERS}/kai/password`, { password: 'seagrass' })
    await ida.post(`${USERS}/ole/deactivate`)
    await ida.post(`${USERS}/ole/password`, { password: 'seagrass' })
    for (const name of ['kai', 'ole']) expect(await statusOf(app, name, 'seagrass')).toBe(403)
  })
})
