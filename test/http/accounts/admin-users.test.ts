import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, signIn, signUp } from '../../support/client.ts'
import { outbox, sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const USERS = '/api/admin/users'
const FEED = 'https://feeds.example/a'

const INACTIVE = { active: false, state: 'inactive' }
const NEW = {
  ...{ email: '', active: true, state: 'active', is_admin: false, second_factor: false },
  ...{ devices: 0, subscriptions: 0, created: '2025-03-02T10:00:00', invitation: null },
}
const IDA = { ...NEW, username: 'ida', is_admin: true }
const OLE = { ...NEW, username: 'Ole', email: 'Ole@Pods.example', devices: 2, subscriptions: 2 }
const KAI = { ...NEW, active: false, state: 'pending_activation', username: 'kai', email: 'kai@pods.example' }

/** Administrator ida, Ole with two devices, and kai, whose account is pending. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite', rate_limit: 'false' }, mailer: outbox().mailer })
  const ida = await signUp(app)
  const ole = await signUp(app, 'Ole', 'driftwood', 'Ole@Pods.example')
  await ole.put('/subscriptions/ole/phone.txt', `${FEED}\nhttps://feeds.example/b\n`)
  await ole.put('/subscriptions/ole/desk.txt', FEED)
  await clientOf(app).post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
  await app.idle()
  return { app, ida, ole, browser: await signIn(app, 'ole', 'driftwood') }
}
test('the list has all accounts by name with date of creation and state', async () => {
  const { app, ida } = await open()
  expect((await ida.get(USERS)).json).toEqual([IDA, KAI, OLE])
  app.clock.advance(3600)
  await ida.post(USERS, { username: 'eva', password: 'seashell' })
  await ida.post(`${USERS}/ole/deactivate`)
  const eva = { ...NEW, username: 'eva', created: '2025-03-02T11:00:00' }
  expect((await ida.get(USERS)).json).toEqual([eva, IDA, KAI, { ...OLE, ...INACTIVE }])
})

test.each(['', 'Eva@Pods.example'])('a new account is active and no administrator (email: %j)', async (email) => {
  const { app, ida } = await open()
  const eva = { username: ' Eva ', password: 'seashell', email: email || null }
  const { status, json } = await ida.post(USERS, { ...eva, is_admin: true, active: false })
  expect([status, json]).toEqual([200, { ...NEW, username: 'Eva', email }])
  expect((await clientOf(app, basic('eva', 'seashell')).get('/api/2/me')).status).toBe(200)
})

test('activation and deactivation return the account and can be repeated', async () => {
  const { app, ida, ole, browser } = await open()
  for (let n = 0; n < 2; n++) expect((await ida.post(`${USERS}/oLe/deactivate`)).json).toEqual({ ...OLE, ...INACTIVE })
  expectError(await ole.get('/api/2/me'), 403, 'account_inactive')
  expect(await sessionCount(app, 'ole')).toBe(0)
  for (let n = 0; n < 2; n++) expect((await ida.post(`${USERS}/OLE/activate`, '{ what?')).json).toEqual(OLE)
  expect((await ole.get('/api/2/me')).status).toBe(200)
  expectError(await browser.get('/api/2/me'), 401, 'unauthorized')
})

test('the role of an administrator is granted and revoked at once', async () => {
  const { ida, ole, browser } = await open()
  for (const is_admin of [true, true, false, false]) {
    const { status, json } = await ida.post(`${USERS}/OLE/role`, { is_admin })
    expect([status, json]).toEqual([200, { ...OLE, is_admin }])
    for (const client of [ole, browser]) expect((await client.get(USERS)).status).toBe(is_admin ? 200 : 403)
  }
})

test('setting their own password keeps the session of an administrator, and no other', async () => {
  const { app, ida } = await open()
  const [asking, other] = [await signIn(app), await signIn(app)]
  expectError(await asking.post(`${USERS}/IDA/password`, { password: 'abc' }), 400, 'validation_failed', 'password')
  expect((await asking.post(`${USERS}/IDA/password`, { password: 'seagrass' })).json).toEqual({ status: 'ok' })
  expect((await asking.get('/api/2/me')).status).toBe(200)
  expectError(await other.get('/api/2/me'), 401, 'unauthorized')
  expectError(await ida.get('/api/2/me'), 401, 'invalid_credentials')
})

describe.each<[method: string, end: string, body: unknown]>([
  ['DELETE', '', undefined],
  ['POST', '/activate', undefined],
  ['POST', '/deactivate', undefined],
  ['POST', '/role', { is_admin: true }],
  ['POST', '/password', { password: 'driftwood' }],
  ['POST', '/reset-password', undefined],
])('%s /api/admin/users/{username}%s', (method, end, body) => {
  test('finds ole in any case and encoding, and no similar name', async () => {
    const { app, ida } = await open()
    const before = await stored(app)
    const call = (name: string) => ida.call(method, `${USERS}/${name}${end}`, { body })
    // The second starts with the Kelvin sign, which folds to the letter k.
    for (const name of ['nobody', '%E2%84%AAai', 'ole%2F..', '%256Fle', 'ole%00', 'ole.json'])
      expect(await call(name)).toMatchObject({ status: 404, json: { error: 'unknown_user' } })
    expect(await stored(app)).toBe(before)
    expect(await call('%20%4FLE%20')).toMatchObject({ status: 200 })
  })
})
