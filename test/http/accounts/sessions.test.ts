import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'

const DAY = 24 * 3600
const ME = '/api/2/me'
const LOGIN = '/api/2/auth/ida/login.json'
const LOGOUT = '/api/2/auth/ida/logout.json'
const ok = { status: 200, json: { status: 'ok' } }

async function open(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  return { app, ida, ole, anyone: clientOf(app) }
}

/** A client with only the cookie of this answer. */
const holder = (app: TestApp, answer: Answer) => clientOf(app, cookieOf(answer))
const isLive = async (client: Client) => (await client.get(ME)).status === 200

test.each([
  ['no body', undefined, undefined],
  ['a form', 'a=b', 'application/x-www-form-urlencoded'],
])('login with %s sets a cookie for thirty days, and keeps it when repeated', async (_case, body, type) => {
  const { app, ida } = await open()
  const answer = await ida.post(LOGIN, body, { headers: type === undefined ? {} : { 'content-type': type } })
  expect(answer).toMatchObject(ok)
  expect(answer.headers.get('set-cookie')).toMatch(
    /^sessionid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
  )
  expect(await holder(app, answer).post(LOGIN)).toMatchObject(ok)
  expect(await sessionCount(app)).toBe(1)
})

test('login refuses another user than in the path, and wrong credentials first', async () => {
  const { app, ole } = await open()
  const byCookie = await signIn(app, 'ole', 'driftwood')
  for (const client of [ole, byCookie]) expectError(await client.post(LOGIN), 400, 'username_mismatch')
  expectError(await ole.post('/api/2/auth/nobody/login.json'), 400, 'username_mismatch')
  for (const credentials of [basic('ole', 'wrong'), basic('nobody', 'driftwood')])
    expectError(await clientOf(app, credentials).post(LOGIN), 401, 'invalid_credentials')
})

test.each(['of another user', 'stale', 'made up'])(
  'login with a password and a cookie %s sets a new one',
  async (kind) => {
    const { app, ida, ole } = await open()
    const foreign = cookieOf(await ole.post('/api/2/auth/ole/login.json'))
    const old = cookieOf(await ida.post(LOGIN))
    if (kind === 'stale') app.clock.advance(30 * DAY)
    const cookies = { 'of another user': foreign, stale: old, 'made up': { cookie: `sessionid=${'A'.repeat(43)}` } }
    const headers = Object.entries(cookies).find(([name]) => name === kind)?.[1] ?? {}
    const answer = await ida.post(LOGIN, undefined, { headers })
    expect(answer).toMatchObject(ok)
    expect([foreign, old]).not.toContainEqual(cookieOf(answer))
    expect(await holder(app, answer).get(ME)).toMatchObject({ json: { username: 'ida' } })
  },
)

test('logout ends the session, clears the cookie and keeps the other sessions', async () => {
  const { app } = await open()
  const [phone, desk, ole] = [await signIn(app), await signIn(app), await signIn(app, 'ole', 'driftwood')]
  expectError(await ole.post(LOGOUT), 400, 'username_mismatch')
  const answer = await phone.post(LOGOUT)
  expect(answer).toMatchObject(ok)
  expect(answer.headers.get('set-cookie')).toBe('sessionid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
  expectError(await phone.get(ME), 401, 'unauthorized')
  expect([await isLive(desk), await isLive(ole), await sessionCount(app)]).toEqual([true, true, 1])
})

test('all cookies named sessionid are tried, since other programs on the host may set one', async () => {
  const { app, ida } = await open()
  const { cookie = '' } = cookieOf(await ida.post(LOGIN))
  const token = (letter: string) => `sessionid=${letter.repeat(43)}`
  for (const jar of [`sessionid=django0123456789; ${cookie}`, `${token('A')}; csrftoken=x; ${cookie}; ${token('B')}`])
    expect(await isLive(clientOf(app, { cookie: jar }))).toBe(true)
})

test('a session is renewed, and its cookie sent again, if fewer than fifteen days remain', async () => {
  const { app, ida } = await open()
  const login = await ida.post(LOGIN)
  const client = holder(app, login)
  app.clock.advance(15 * DAY)
  expect((await client.get(ME)).headers.get('set-cookie')).toBeNull()
  app.clock.advance(1)
  const renewed = await client.get(ME)
  expect(renewed.headers.get('set-cookie')).toEndWith('; Max-Age=2592000')
  expect(cookieOf(renewed)).toEqual(cookieOf(login))
  await app.idle()
  expect((await client.get(ME)).headers.get('set-cookie')).toBeNull()
  app.clock.advance(20 * DAY)
  // A request with password and cookie renews it, too.
  expect(cookieOf(await ida.get(ME, { headers: cookieOf(login) }))).toEqual(cookieOf(login))
})

test('a session is not readable in the database', async () => {
  const { app, ida } = await open({ db: openMemoryDatabase() })
  const { cookie = '' } = cookieOf(await ida.post(LOGIN))
  const token = cookie.slice('sessionid='.length)
  const [stored] = await app.rowsOf<{ token_hash: Uint8Array }>('SELECT token_hash FROM sessions')
  expect(Buffer.from(stored?.token_hash ?? []).toString('hex')).toBe(
    new Bun.CryptoHasher('sha256').update(token).digest('hex'),
  )
  expect(Buffer.from(app.db.serialize()).includes(token)).toBe(false)
})

const SESSIONS = '/api/2/me/sessions'
const FIREFOX = 'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

/** Ida with two browsers and an app that sends the password each time, and Ole. */
async function openBrowsers() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const desk = await signUp(app)
  await signUp(app, 'ole', 'driftwood')
  async function browser(name: string, password: string): Promise<Client> {
    const client = clientOf(app, { ...basic(name, password), 'user-agent': FIREFOX })
    return clientOf(app, { ...cookieOf(await client.post(`/api/2/auth/${name}/login.json`)), 'user-agent': FIREFOX })
  }
  const [phone, tablet] = [await browser('ida', 'seaglass'), await browser('ida', 'seaglass')]
  return { app, desk, phone, tablet, oles: await browser('ole', 'driftwood') }
}

const listed = ({ json }: Answer): { id: number; current: boolean }[] => (Array.isArray(json) ? json : [])
const currentOf = async (client: Client) => listed(await client.get(SESSIONS)).find(({ current }) => current)?.id ?? 0

test('the list of sessions is ordered by last use and marks the current one', async () => {
  const { app, desk, phone } = await openBrowsers()
  // Uses within the first minute are not recorded.
  app.clock.advance(30)
  // A header has one character per byte of UTF-8.
  await desk.get(ME, { headers: { 'user-agent': Buffer.from('Hörspiele/3.7.0').toString('latin1') } })
  const session = (time: string, client: string, current = false) => ({
    ...{ id: expect.any(Number), client, current, expires: `2025-04-01T${time}` },
    ...{ created: `2025-03-02T${time}`, last_used: `2025-03-02T${time}` },
  })
  const firefox = 'Firefox on Android'
  expect((await phone.get(SESSIONS)).json).toEqual([
    session('10:00:30', 'Hörspiele'),
    session('10:00:00', firefox),
    session('10:00:00', firefox, true),
  ])
})

test('a user ends one session, or all but the current one, and none of other users', async () => {
  const { app, phone, tablet, oles } = await openBrowsers()
  const foreign = await phone.delete(`${SESSIONS}/${await currentOf(oles)}`)
  expectError(foreign, 404, 'not_found')
  expect((await phone.delete(`${SESSIONS}/999999999999999`)).text).toBe(foreign.text)
  const answer = await phone.delete(`${SESSIONS}/${await currentOf(tablet)}`)
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([200, { status: 'ok' }, null])
  expectError(await tablet.get(ME), 401, 'unauthorized')
  await signIn(app)
  const all = await phone.delete(SESSIONS)
  expect([all.status, all.json, await sessionCount(app)]).toEqual([200, { status: 'ok' }, 1])
  expect([await isLive(phone), await isLive(oles)]).toEqual([true, true])
})
