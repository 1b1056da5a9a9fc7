import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'

const PROXY = '192.0.2.10'

/** Whom a request comes from: the peer of the connection, and what its X-Forwarded-For says. */
interface Origin {
  readonly peer: string
  readonly via?: string
}

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  await signUp(app)
  return app
}

/** Ten failed sign-ins: enough to shut out what counts as this address. */
async function exhaust(app: TestApp, origin: Origin): Promise<void> {
  for (let n = 0; n < 10; n++) expect(await statusFrom(app, origin, `wrong ${n}`)).toBe(401)
}

async function statusFrom(app: TestApp, { peer, via }: Origin, password: string, path = '/api/2/me'): Promise<number> {
  app.setPeer(peer)
  const headers = via === undefined ? {} : { 'x-forwarded-for': via }
  return (await clientOf(app, { ...basic('ida', password), ...headers }).get(path)).status
}

/** Whether failures from `first` shut out `second`: whether both are one client. */
async function isSameClient(settings: Record<string, string>, first: Origin, second: Origin): Promise<boolean> {
  const app = await open(settings)
  await exhaust(app, first)
  const status = await statusFrom(app, second, 'one more guess')
  expect([401, 429]).toContain(status)
  return status === 429
}

describe('without trusted proxies the client is the peer', () => {
  test.each<[string, Origin, Origin, boolean]>([
    ['the same address', { peer: '192.0.2.1' }, { peer: '192.0.2.1' }, true],
    ['another address', { peer: '192.0.2.1' }, { peer: '192.0.2.2' }, false],
    ['a forged X-Forwarded-For', { peer: '192.0.2.1' }, { peer: '192.0.2.1', via: '198.51.100.7' }, true],
    [
      'the same forged X-Forwarded-For',
      { peer: '192.0.2.1', via: '1.1.1.1' },
      { peer: '192.0.2.2', via: '1.1.1.1' },
      false,
    ],
    ['IPv4 written as IPv6', { peer: '192.0.2.1' }, { peer: '::ffff:192.0.2.1' }, true],
    ['IPv6 of the same /64', { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:2:ffff:ffff:ffff:ffff' }, true],
    ['IPv6 spelled another way', { peer: '2001:db8:1:2::1' }, { peer: '2001:0DB8:0001:0002:0:0:0:1' }, true],
    ['IPv6 of another /64', { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:3::1' }, false],
    ['IPv6 loopback and IPv4 loopback', { peer: '::1' }, { peer: '127.0.0.1' }, false],
  ])('%s', async (_case, first, second, same) => {
    expect(await isSameClient({}, first, second)).toBe(same)
  })
})

describe('behind a trusted proxy the client is what the proxy says', () => {
  const one = { peer: PROXY, via: '203.0.113.1' }

  test.each<[string, Origin, Origin, boolean]>([
    ['the same client', one, { peer: PROXY, via: '203.0.113.1' }, true],
    ['another client', one, { peer: PROXY, via: '203.0.113.2' }, false],
    ['a client that forges the beginning', one, { peer: PROXY, via: '198.51.100.1, 203.0.113.1' }, true],
    ['a client that forges much', one, { peer: PROXY, via: 'x, 1.1.1.1,2.2.2.2 ,203.0.113.1' }, true],
    ['a client that forges the victim', one, { peer: PROXY, via: '203.0.113.1, 203.0.113.2' }, false],
    ['the client past the proxy', one, { peer: '203.0.113.1' }, true],
    ['a stranger past the proxy who names the client', one, { peer: '203.0.113.9', via: '203.0.113.1' }, false],
    ['two proxies of ours in a row', one, { peer: PROXY, via: '203.0.113.1, 192.0.2.11' }, true],
    ['IPv6 clients of the same /64', { peer: PROXY, via: '2001:db8::1' }, { peer: PROXY, via: '2001:db8::2' }, true],
    ['IPv6 clients of two networks', { peer: PROXY, via: '2001:db8::1' }, { peer: PROXY, via: '2001:db8:1::1' }, false],
    ['IPv4 clients written as IPv6', one, { peer: PROXY, via: '::ffff:203.0.113.1' }, true],
    ['a proxy written as IPv6', one, { peer: `::ffff:${PROXY}`, via: '203.0.113.1' }, true],
    ['no header: the proxy itself', { peer: PROXY }, { peer: PROXY, via: '203.0.113.1' }, false],
    ['rubbish: the proxy itself', { peer: PROXY, via: 'unknown' }, { peer: PROXY, via: '_hidden' }, true],
  ])('%s', async (_case, first, second, same) => {
    expect(await isSameClient({ trusted_proxies: '192.0.2.10,192.0.2.11/32' }, first, second)).toBe(same)
  })

  test('which may be a whole network, of either family', async () => {
    const settings = { trusted_proxies: '10.0.0.0/8, fd00::/8' }
    const client = '203.0.113.1'
    expect(await isSameClient(settings, { peer: '10.1.2.3', via: client }, { peer: 'fd12::9', via: client })).toBe(true)
    expect(await isSameClient(settings, { peer: '11.1.2.3', via: client }, { peer: '10.1.2.3', via: client })).toBe(
      false,
    )
  })
})

test('the address is found for requests with a sloppy address or HEAD, too', async () => {
  const app = await open()
  const peers = new WeakMap<Request, string>()
  app.setPeerOf((request) => peers.get(request))
  const send = async (peer: string, method: string, path: string, password: string) => {
    const request = new Request(`http://localhost${path}`, { method, headers: basic('ida', password) })
    peers.set(request, peer)
    return (await app.fetch(request)).status
  }
  for (let n = 0; n < 5; n++) {
    expect(await send('203.0.113.1', 'GET', '//api/2/me', `wrong ${n}`)).toBe(401)
    expect(await send('203.0.113.1', 'HEAD', '/api/2/me', `wrong too ${n}`)).toBe(401)
  }
  expect(await send('203.0.113.1', 'GET', '/api/2/me', 'seaglass')).toBe(429)
  expect(await send('203.0.113.2', 'HEAD', '//api/2/me', 'seaglass')).toBe(200)
})

describe('the cookie', () => {
  async function setCookie(settings: Record<string, string>, headers: Record<string, string>): Promise<string> {
    const app = await open(settings)
    app.setPeer(PROXY)
    const base = Object.values(settings).some((value) => value.endsWith('/podcasts')) ? '/podcasts' : ''
    const client = clientOf(app, basic('ida', 'seaglass'))
    const answers = [
      await client.get(`${base}/api/2/me`, { headers }),
      await client.post(`${base}/api/2/auth/ida/login.json`, undefined, { headers }),
    ]
    for (const answer of answers) expect(cookieOf(answer)).toBeDefined()
    const attributes = answers.map((answer) => answer.headers.get('set-cookie')?.split('; ').slice(1).join('; '))
    expect(attributes[0]).toBe(String(attributes[1]))
    return attributes[0] ?? ''
  }

  const trusted_proxies = PROXY
  test.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    ['plain http', {}, {}, false],
    ['a forged header', {}, { 'x-forwarded-proto': 'https' }, false],
    ['another proxy than this', { trusted_proxies: '198.51.100.1' }, { 'x-forwarded-proto': 'https' }, false],
    ['a proxy that speaks http', { trusted_proxies }, { 'x-forwarded-proto': 'http' }, false],
    ['a proxy that says nothing', { trusted_proxies }, {}, false],
    ['a proxy that speaks https', { trusted_proxies }, { 'x-forwarded-proto': 'https' }, true],
    ['a proxy that speaks HTTPS', { trusted_proxies }, { 'x-forwarded-proto': 'HTTPS' }, true],
    ['a client that forges before the proxy', { trusted_proxies }, { 'x-forwarded-proto': 'https, http' }, false],
    ['a base_url with https', { base_url: 'https://pods.example' }, {}, true],
    ['a base_url with http', { base_url: 'http://pods.example' }, { 'x-forwarded-proto': 'https' }, false],
  ])('is marked Secure over https only: with %s', async (_case, settings, headers, secure) => {
    const attributes = await setCookie(settings, headers)
    expect(attributes).toBe(`Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000${secure ? '; Secure' : ''}`)
  })

  test('belongs to the sub-path alone', async () => {
    const attributes = await setCookie({ base_url: 'http://home.example/podcasts' }, {})
    expect(attributes).toBe('Path=/podcasts; HttpOnly; SameSite=Lax; Max-Age=2592000')
  })

  test('is cleared with the attributes it was set with', async () => {
    const app = await open({ base_url: 'https://home.example/podcasts' })
    const answer = await clientOf(app).post('/podcasts/api/2/auth/ida/logout.json')
    expect(answer.headers.get('set-cookie')).toBe(
      'sessionid=; Path=/podcasts; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    )
  })
})
