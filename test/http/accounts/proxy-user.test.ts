import { describe, expect, test } from 'bun:test'
import { SOCKET_PEER } from '../../../src/http/origin.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { sessionCount } from '../accounts.ts'

const PROXY = '192.0.2.10'
const LAN = '192.0.2.99'
const BEHIND = { proxy_user_header: 'Remote-User', trusted_proxies: `${PROXY},10.9.0.0/16` }
const ON_THE_SAME_MACHINE = { ...BEHIND, trusted_proxies: '127.0.0.1,::1' }

async function open(settings: Record<string, string> = BEHIND) {
  const app = startTestApp({ settings: { registration: 'open', ...settings } })
  await signUp(app)
  app.setPeer(PROXY)
  return app
}

type Sent = [name: string, value: string][]

/** Takes header lines, since a record cannot hold a name twice. */
function login(app: ReturnType<typeof startTestApp>, sent: Sent) {
  const headers = new Headers([['host', 'localhost'], ...sent])
  return app.fetch(new Request('http://localhost/auth/proxy/login', { method: 'POST', headers }))
}

const FORBIDDEN = 'forbidden'
const UNKNOWN = 'unknown_user'

const NAME: Sent = [['Remote-User', 'ida']]

test.each<[string, string, Sent, string | undefined]>([
  ['a lower-case header', PROXY, [['remote-user', 'ida']], undefined],
  ['a name in capitals between spaces', PROXY, [['Remote-User', '  IDA ']], undefined],
  ['a proxy in a trusted network', '10.9.3.1', NAME, undefined],
  ['an IPv4-mapped proxy', `::ffff:${PROXY}`, NAME, undefined],
  ['the peer of the Unix socket', SOCKET_PEER, NAME, undefined],
  ['a remote client behind the proxy', PROXY, [...NAME, ['X-Forwarded-For', LAN]], undefined],
  ['no header', PROXY, [], FORBIDDEN],
  ['a blank header', PROXY, [['Remote-User', '  ']], FORBIDDEN],
  ['another header', PROXY, [['Remote_User', 'ida']], FORBIDDEN],
  ['a client in the local network', LAN, NAME, FORBIDDEN],
  ['a client that claims to be the proxy', LAN, [...NAME, ['X-Forwarded-For', PROXY]], FORBIDDEN],
  ['an untrusted localhost', '127.0.0.1', NAME, FORBIDDEN],
  ['the header twice', PROXY, [...NAME, ['remote-user', 'ida']], UNKNOWN],
  ['the header twice, another name first', PROXY, [['Remote-User', 'eve'], ...NAME], UNKNOWN],
  ['an email address', PROXY, [['Remote-User', 'ida@pods.example']], UNKNOWN],
])('sign-in by the proxy with %s', async (_case, peer, sent, code) => {
  const app = await open()
  app.setPeer(peer)
  const answer = await login(app, sent)
  expect(await answer.json()).toMatchObject(code === undefined ? {} : { error: code })
  expect(answer.headers.has('set-cookie')).toBe(code === undefined)
  expect(answer.status).toBe(code === undefined ? 200 : code === FORBIDDEN ? 403 : 404)
})

const IDA = { 'remote-user': 'ida' }

const signInCookie = async (app: ReturnType<typeof startTestApp>, name: string, password: string) =>
  cookieOf(await clientOf(app, basic(name, password)).post(`/api/2/auth/${name}/login.json`))

describe('the header', () => {
  test('is shown to the sign-in page if trusted, and otherwise causes one warning', async () => {
    const app = await open()
    const server = async () => (await clientOf(app, IDA).get('/api/2/server')).json
    expect(await server()).toMatchObject({ proxy_user: 'ida' })
    app.setPeer(LAN)
    for (let n = 0; n < 3; n++) expect(await server()).toMatchObject({ proxy_user: null })
    expect(app.logs.filter((line) => line.includes('ignoring a header of a reverse proxy'))).toEqual([
      expect.stringContaining(LAN),
    ])
  })

  test('is ignored without the setting', async () => {
    const app = await open({ trusted_proxies: PROXY })
    expect((await clientOf(app, IDA).get('/api/2/server')).json).toMatchObject({ proxy_user: null })
    expect((await login(app, NAME)).status).toBe(403)
  })

  test('authenticates no request other than the sign-in, and does not affect apps with a password', async () => {
    const app = await open()
    const client = clientOf(app, IDA)
    for (const path of ['/api/2/me', '/subscriptions/ida.json', '/api/admin/users'])
      expect((await client.get(path)).status).toBe(401)
    expect((await client.post('/api/2/auth/ida/login.json')).status).toBe(401)
    expect((await client.get('/api/2/server')).json).toMatchObject({ account: null })
    const phone = clientOf(app, { ...basic('ida', 'seaglass'), 'remote-user': 'eve' })
    expect((await phone.get('/api/2/me')).status).toBe(200)
  })

  test('is not trusted from a peer that has closed its connection', async () => {
    const app = await open(ON_THE_SAME_MACHINE)
    const before = await sessionCount(app)
    for (const peer of [undefined, '']) {
      app.setPeer(peer)
      expect((await login(app, NAME)).status).toBe(403)
    }
    expect(await sessionCount(app)).toBe(before)
  })
})

describe('the session', () => {
  async function begin() {
    const app = await open()
    const cookie = cookieOf(await clientOf(app, IDA).post('/auth/proxy/login'))
    return { app, cookie }
  }

  test('works with the header, and without one', async () => {
    const { app, cookie } = await begin()
    for (const headers of [{ ...cookie, ...IDA }, cookie]) {
      expect((await clientOf(app, headers).get('/api/2/server')).json).toMatchObject({ account: { username: 'ida' } })
      expect((await clientOf(app, headers).get('/api/admin/users')).status).toBe(200)
    }
  })

  test('is refused when the proxy names another user', async () => {
    const { app, cookie } = await begin()
    for (const name of ['eve', 'ida, eve', 'eve, ida']) {
      const client = clientOf(app, { ...cookie, 'remote-user': name })
      expect((await client.get('/api/2/me')).status).toBe(401)
      expect((await client.get('/api/2/server')).json).toMatchObject({ account: null })
    }
    app.setPeer(LAN)
    expect((await clientOf(app, { ...cookie, 'remote-user': 'eve' }).get('/api/2/me')).status).toBe(200)
  })

  test('is kept by a browser that signs in again', async () => {
    const { app, cookie } = await begin()
    const sessions = await sessionCount(app)
    for (let n = 0; n < 2; n++)
      expect(cookieOf(await clientOf(app, { ...cookie, ...IDA }).post('/auth/proxy/login'))).toEqual(cookie)
    expect(await sessionCount(app)).toBe(sessions)
  })

  test('is new after signing out, and with the cookie of another user or of an app password', async () => {
    const { app, cookie } = await begin()
    await signUp(app, 'eve')
    const { json } = await clientOf(app, cookie).post('/api/2/me/app-passwords', { name: 'Phone' })
    const { password } = json as { password: string }
    const others = [await signInCookie(app, 'eve', 'seaglass'), await signInCookie(app, 'ida', password)]
    const browser = clientOf(app, { ...cookie, ...IDA })
    expect((await browser.post('/api/2/auth/ida/logout.json')).status).toBe(200)
    expect((await browser.get('/api/2/me')).status).toBe(401)
    for (const old of [cookie, ...others]) {
      const begun = cookieOf(await clientOf(app, { ...old, ...IDA }).post('/auth/proxy/login'))
      expect(begun).not.toEqual(old)
      expect((await clientOf(app, begun).get('/api/admin/users')).status).toBe(200)
    }
  })

  test('is refused for an inactive account', async () => {
    const app = await open()
    await signUp(app, 'eve')
    await clientOf(app, basic('ida', 'seaglass')).post('/api/admin/users/eve/deactivate')
    const answer = await clientOf(app, { 'remote-user': 'eve' }).post('/auth/proxy/login')
    expect([answer.status, answer.json]).toMatchObject([403, { error: 'account_inactive' }])
  })
})
