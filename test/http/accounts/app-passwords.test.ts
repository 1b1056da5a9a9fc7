import { expect, test } from 'bun:test'
import { newAppPassword } from '../../../src/domain/accounts/app-passwords.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { seededRandom } from '../../support/values.ts'
import { countingHasher, PROTECTED, sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'

const PATH = '/api/2/me/app-passwords'
const ME = '/api/2/me'
const LOGIN = '/api/2/auth/ida/login.json'
const LOGOUT = '/api/2/auth/ida/logout.json'
const CHANGES = '/api/2/subscriptions/ida/phone.json'
const NEXTCLOUD = '/apps/gpoddersync'
const CAFE = '198.51.100.7'
/** A valid app password that does not exist. */
const unknown = (n: number) => newAppPassword(seededRandom(1000 + n)).password

async function open({ settings = {}, ...parts }: Parameters<typeof startTestApp>[0] = {}) {
  const app = startTestApp({ settings, ...parts })
  app.clock.advance(1)
  const ida = await signUp(app, 'ida', 'seaglass', 'ida@pods.example')
  const browser = await signIn(app)
  return { app, ida, browser }
}

/** A browser and an app password, used by Basic (`phone`), in the session that starts (`session`), and by Bearer (`tool`). */
async function openApp(scope?: string, parts: Parameters<typeof open>[0] = {}) {
  const scene = await open(parts)
  const { id, password } = await create(scene.browser, scope)
  const phone = basicApp(scene.app, password)
  const session = async () => clientOf(scene.app, cookieOf(await phone.post(LOGIN)))
  return { ...scene, id, password, phone, session, tool: clientOf(scene.app, bearer(password)) }
}

async function create(browser: Client, scope?: string): Promise<{ id: number; password: string }> {
  const { status, json } = await browser.post(PATH, { name: 'Phone', ...(scope !== undefined && { scope }) })
  expect(status).toBe(200)
  return json as { id: number; password: string }
}

const bearer = (password: string) => ({ authorization: `Bearer ${password}` })
const basicApp = (app: TestApp, password: string) =>
  clientOf(app, { ...basic('ida', password), 'user-agent': 'AntennaPod/3' })

test('an app password is shown once, listed by name, and works by Basic, Bearer and session', async () => {
  const { app, browser } = await open()
  const answer = await browser.post(PATH, { name: '  Phone\u0007 of  Ida ' })
  const unused = { created: '2025-03-02T10:00:01', last_used: '', client: '' }
  const listed = { id: 1, name: 'Phone of Ida', scope: 'sync', ...unused }
  expect(answer.json).toEqual({ ...listed, password: expect.stringMatching(/^(\w{4}-){5}\w{4}$/) })
  const { password } = answer.json as { password: string }
  expect((await browser.get(PATH)).json).toEqual([listed])
  for (const headers of [basic('IDA', password), bearer(password)]) {
    const phone = clientOf(app, { ...headers, 'user-agent': 'AntennaPod/3.8' })
    expect(await phone.get(ME)).toMatchObject({ status: 200, json: { username: 'ida' } })
    expect(await phone.post(CHANGES, { add: ['https://feeds.example/a'] })).toMatchObject({ status: 200 })
    const session = clientOf(app, cookieOf(await phone.get(ME)))
    expect(await session.get(ME)).toMatchObject({ status: 200, json: { username: 'ida' } })
    expect(await phone.post(LOGIN)).toMatchObject({ status: 200 })
  }
  // One of the browser, one shared by Basic and Bearer of the same app, and one for each login.
  expect(await sessionCount(app)).toBe(4)
  const stored = JSON.stringify(await app.rowsOf('SELECT * FROM app_passwords'))
  expect([stored.includes(password), app.logs.join().includes(password)]).toEqual([false, false])
})

test('an app password needs a printable name and a known scope', async () => {
  const { browser } = await open()
  for (const [body, field] of [
    [{}, 'name'],
    [{ name: ' \u200e ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'Phone', scope: 'admin' }, 'scope'],
  ] as const)
    expectError(await browser.post(PATH, body), 400, 'validation_failed', field)
  expect((await browser.get(PATH)).json).toEqual([])
})

test('only a browser session lists, creates and revokes app passwords', async () => {
  const { app, ida, browser, id } = await openApp()
  const both = clientOf(app, { ...basic('ida', 'seaglass'), ...cookieOf(await ida.post(LOGIN)) })
  for (const client of [ida, both]) {
    expectError(await client.get(PATH), 403, 'forbidden')
    expectError(await client.post(PATH, { name: 'another' }), 403, 'forbidden')
    expectError(await client.delete(`${PATH}/${id}`), 403, 'forbidden')
  }
  expect(await browser.get(PATH)).toMatchObject({ json: [{ id }] })
})

test('revoking ends an app password and its sessions at once, and nothing else', async () => {
  const { app, ida, browser } = await open()
  const [one, two] = [await create(browser), await create(browser)]
  const session = clientOf(app, cookieOf(await basicApp(app, one.password).get(ME)))
  expect((await session.get(ME)).status).toBe(200)
  expect(await browser.delete(`${PATH}/${one.id}`)).toMatchObject({ status: 200, json: { status: 'ok' } })
  expectError(await browser.delete(`${PATH}/${one.id}`), 404, 'not_found')
  expectError(await basicApp(app, one.password).get(ME), 401, 'invalid_credentials')
  expectError(await clientOf(app, bearer(one.password)).get(ME), 401, 'invalid_credentials')
  expectError(await session.get(ME), 401, 'unauthorized')
  for (const client of [ida, browser, basicApp(app, two.password)]) expect((await client.get(ME)).status).toBe(200)
})

/** Requests that could take over the account or grant access to it. */
const ACCOUNT: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['POST', '/api/2/me/password', { old_password: 'seaglass', new_password: 'driftwood' }],
  ['POST', '/api/2/me/email', { email: 'x@evil.example', password: 'seaglass' }],
  ['DELETE', '/api/2/me/sessions', undefined],
  ['DELETE', '/api/2/me/sessions/1', undefined],
  ['DELETE', '/api/2/me/identities/1', undefined],
  ['GET', PATH, undefined],
  ['POST', PATH, { name: 'Another' }],
  ['DELETE', `${PATH}/1`, undefined],
  ['PUT', '/api/2/me/webhook', { url: 'https://evil.example/', format: 'json' }],
  ['POST', '/api/2/me/second-factor/setup', { password: 'seaglass' }],
  ['POST', '/api/2/me/second-factor', { code: '123456' }],
  ['DELETE', '/api/2/me/second-factor', { password: 'seaglass', code: '123456' }],
  ['DELETE', ME, { password: 'seaglass' }],
]

test('an app password syncs everything, but cannot change the account, even with its password', async () => {
  const { browser, phone, session, tool } = await openApp('sync', { settings: { rate_limit: 'false' } })
  for (const client of [phone, await session(), tool]) {
    for (const [method, path, body] of PROTECTED) {
      if (path === '/api/2/me/sessions' || path === '/api/2/me/email') continue
      if (method === 'DELETE') await phone.post('/api/2/devices/ida/desk.json', {})
      const answer = await client.call(method, path, { body })
      if (path.startsWith('/api/admin')) expectError(answer, 403, 'admin_required')
      else if (path === '/api/2/me/password') expectError(answer, 403, 'forbidden')
      else expect([path, answer.status]).toEqual([path, 200])
    }
    for (const [method, path, body] of ACCOUNT) expectError(await client.call(method, path, { body }), 403, 'forbidden')
  }
  expect(await browser.get(ME)).toMatchObject({ status: 200, json: { email: 'ida@pods.example' } })
})

test('an app password with scope read only reads; it may sign in and out', async () => {
  const { phone, session: begin, tool } = await openApp('read')
  const session = await begin()
  for (const client of [phone, session, tool]) {
    for (const path of [ME, '/subscriptions/ida.opml', `${CHANGES}?since=0`, `${NEXTCLOUD}/subscriptions`])
      expect((await client.get(path)).status).not.toBe(403)
    expect((await client.call('HEAD', ME)).status).toBe(200)
    expectError(await client.post(`${NEXTCLOUD}/subscription_change/create`, { add: [] }), 403, 'forbidden')
    for (const [method, path, body] of PROTECTED)
      if (method !== 'GET') expect([path, (await client.call(method, path, { body })).status]).toEqual([path, 403])
  }
  expect((await session.post(LOGOUT)).status).toBe(200)
  expectError(await session.get(ME), 401, 'unauthorized')
})

test('an app password with scope feeds has no access and starts no session', async () => {
  const { phone, tool } = await openApp('feeds')
  for (const client of [phone, tool]) {
    expectError(await client.get(ME), 403, 'forbidden')
    expectError(await client.post(LOGIN), 403, 'forbidden')
    const page = await client.post(LOGIN, undefined, { headers: { 'upgrade-insecure-requests': '1' } })
    expectError(page, 403, 'forbidden')
    // Public endpoints ignore it.
    expect(await client.get('/api/2/server')).toMatchObject({ status: 200, json: { account: null } })
  }
})

test('an app password works for its own user only', async () => {
  const { app, password, tool } = await openApp()
  await signUp(app, 'ole')
  for (const name of ['ole', 'nobody'])
    expectError(await clientOf(app, basic(name, password)).get(ME), 401, 'invalid_credentials')
  expectError(await tool.get('/api/2/devices/ole.json'), 403, 'forbidden')
  expectError(await tool.post('/api/2/auth/ole/login.json'), 400, 'username_mismatch')
})

test('of app password and cookie, the password decides about the rights', async () => {
  const { app, ida, password, phone } = await openApp('read')
  const own = cookieOf(await ida.post(LOGIN))
  const born = cookieOf(await phone.post(LOGIN))
  const reader = clientOf(app, { ...basic('ida', password), ...own })
  const answer = await reader.get(ME)
  // It gets a session with its own rights.
  expect(cookieOf(answer)).not.toEqual(own)
  expectError(await clientOf(app, cookieOf(answer)).post(CHANGES, { add: [] }), 403, 'forbidden')
  expectError(await reader.post(CHANGES, { add: [] }), 403, 'forbidden')
  const full = clientOf(app, { ...basic('ida', 'seaglass'), ...born })
  expect((await full.post(CHANGES, { add: [] })).status).toBe(200)
})

test('an app password is refused while the account is inactive', async () => {
  const { app, phone, tool } = await openApp()
  await signUp(app, 'eva')
  await app.services.administration.setAdmin('eva', true, COMMAND_LINE)
  await app.services.administration.setActive('ida', false, COMMAND_LINE)
  for (const client of [phone, tool]) expectError(await client.get(ME), 403, 'account_inactive')
  await app.services.administration.setActive('ida', true, COMMAND_LINE)
  expect((await phone.get(ME)).status).toBe(200)
})

test('no app password, right or wrong, costs a password hash', async () => {
  const { hasher, verified } = countingHasher()
  const { app, phone } = await openApp('sync', { hasher })
  const before = verified()
  expect((await phone.get(ME)).status).toBe(200)
  for (const headers of [basic('ida', unknown(1)), basic('nobody', unknown(1)), bearer(unknown(1)), bearer('seaglass')])
    expectError(await clientOf(app, headers).get(ME), 401, 'invalid_credentials')
  expect(verified()).toBe(before)
})

test.each([23, 71])('a chosen password may have the length of an app password: %d', async (length) => {
  const { app } = await open()
  const ole = await signUp(app, 'ole', `${'a'.repeat(length)}3`)
  expect((await ole.get(ME)).status).toBe(200)
  expectError(await clientOf(app, basic('ole', `${'a'.repeat(length)}2`)).get(ME), 401, 'invalid_credentials')
})

test('wrong app passwords count as failures, and do not lock out right ones', async () => {
  const { app, phone, tool } = await openApp()
  expect((await phone.get(ME)).status).toBe(200)
  for (const headers of [(n: number) => basic('ida', unknown(n)), (n: number) => bearer(unknown(n))]) {
    for (let n = 0; n < 10; n++) expectError(await clientOf(app, headers(n)).get(ME), 401, 'invalid_credentials')
    expectError(await clientOf(app, headers(10)).get(ME), 429, 'rate_limited')
  }
  for (const client of [phone, tool]) expect((await client.get(ME)).status).toBe(200)
  app.setPeer(CAFE)
  for (let n = 0; n < 40; n++) await clientOf(app, basic(`name${n % 4}`, unknown(n))).get(ME)
  for (let n = 0; n < 10; n++) await clientOf(app, basic('ida', unknown(n))).get(ME)
  expectError(await clientOf(app, basic('ida', unknown(10))).get(ME), 429, 'rate_limited')
  expect((await phone.get(ME)).status).toBe(200)
  app.setPeer('10.0.0.7')
  for (let n = 0; n < 11; n++) await clientOf(app, bearer(unknown(n))).get(ME)
  expect((await tool.get(ME)).status).toBe(200)
})

test('an app with a revoked password neither blocks sign-ins nor makes its address familiar', async () => {
  const { app, browser, id, phone } = await openApp()
  app.setPeer(CAFE)
  expect((await phone.get(ME)).status).toBe(200)
  await browser.delete(`${PATH}/${id}`)
  for (let n = 0; n < 10; n++) expectError(await phone.get(ME), 401, 'invalid_credentials')
  expectError(await phone.get(ME), 429, 'rate_limited')
  // At a familiar address, thirty failures with other names would not count.
  for (let n = 0; n < 20; n++) await clientOf(app, basic(`name${n}`, 'wrong')).get(ME)
  expectError(await clientOf(app, basic('ida', 'wrong')).get(ME), 401, 'invalid_credentials')
  for (let n = 0; n < 10; n++) await clientOf(app, basic(`other${n}`, 'wrong')).get(ME)
  expectError(await clientOf(app, basic('ida', 'seaglass')).get(ME), 429, 'rate_limited')
})

test('guessing app passwords from many addresses locks out no app at a new address', async () => {
  const { app, phone } = await openApp()
  let refused = 0
  for (let n = 0; n < 200; n++) {
    app.setPeer(`10.0.${n}.1`)
    if ((await clientOf(app, basic('ida', unknown(n))).get(ME)).status === 429) refused++
  }
  expect(refused).toBeGreaterThan(100)
  app.setPeer(CAFE)
  expect((await phone.get(ME)).status).toBe(200)
})
