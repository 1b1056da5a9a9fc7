import { expect, test } from 'bun:test'
import { createOrigins, SOCKET_PEER } from '../../../src/http/origin.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../../support/client.ts'

const PROXY = '192.0.2.10'

/** Origin of a request: the peer of the connection, and its X-Forwarded-For. */
interface Origin {
  readonly peer: string | undefined
  readonly via?: string
}

async function open(settings: Record<string, string> = {}, peerOf?: (request: Request) => string | undefined) {
  const app = startTestApp({ settings, ...(peerOf && { peerOf }) })
  await signUp(app)
  return app
}

async function statusFrom(app: TestApp, { peer, via }: Origin, password: string): Promise<number> {
  app.setPeer(peer)
  const headers = via === undefined ? {} : { 'x-forwarded-for': via }
  return (await clientOf(app, { ...basic('ida', password), ...headers }).get('/api/2/me')).status
}

/** Whether ten failures from `first` block `second`, so both count as one client. */
async function isSameClient(settings: Record<string, string>, first: Origin, second: Origin): Promise<boolean> {
  const app = await open(settings)
  for (let n = 0; n < 10; n++) expect(await statusFrom(app, first, `wrong ${n}`)).toBe(401)
  const status = await statusFrom(app, second, 'one more guess')
  expect([401, 429]).toContain(status)
  return status === 429
}

const FORGED = '1.1.1.1'

test.each<[string, Origin, Origin, boolean]>([
  ['the same address', { peer: '192.0.2.1' }, { peer: '192.0.2.1' }, true],
  ['a forged X-Forwarded-For', { peer: '192.0.2.1' }, { peer: '192.0.2.1', via: FORGED }, true],
  ['the same forged one', { peer: '192.0.2.1', via: FORGED }, { peer: '192.0.2.2', via: FORGED }, false],
  ['IPv4 written as IPv6', { peer: '192.0.2.1' }, { peer: '::ffff:192.0.2.1' }, true],
  ['IPv6 of the same /64', { peer: '2001:db8:1:2::1' }, { peer: '2001:0DB8:0001:2:ffff:ffff:ffff:ffff' }, true],
  ['IPv6 of another /64', { peer: '2001:db8:1:2::1' }, { peer: '2001:db8:1:3::1' }, false],
  ['IPv6 loopback and IPv4 loopback', { peer: '::1' }, { peer: '127.0.0.1' }, false],
])('without trusted proxies the client is the peer: %s', async (_case, first, second, same) => {
  expect(await isSameClient({}, first, second)).toBe(same)
})

test.each([
  ['203.0.113.200', '203.0.113.200', '203.0.113.0/24'],
  ['::ffff:203.0.113.200', '203.0.113.200', '203.0.113.0/24'],
  ['2001:db8:1:2:3::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['::1', '::/64', '::/48'],
  [SOCKET_PEER, SOCKET_PEER, SOCKET_PEER],
])('the client at %s counts as %s, and as one of the network %s', (peer, address, network) => {
  const origins = createOrigins({ baseUrl: undefined, trustedProxies: [], peerOf: () => peer })
  const request = new Request('http://localhost/')
  expect([origins.clientAddress(request), origins.clientNetwork(request)]).toEqual([address, network])
})

test('a peer of the Unix socket is a trusted proxy', async () => {
  const via = (client: string) => ({ peer: SOCKET_PEER, via: client })
  expect(await isSameClient({}, via('203.0.113.1'), via('203.0.113.2'))).toBe(false)
})

const ONE = { peer: PROXY, via: '203.0.113.1' }

test.each<[string, Origin, Origin, boolean]>([
  ['another client', ONE, { peer: PROXY, via: '203.0.113.2' }, false],
  ['a client that forges the beginning', ONE, { peer: PROXY, via: 'x, 1.1.1.1,2.2.2.2 ,203.0.113.1' }, true],
  ['a client that forges the victim', ONE, { peer: PROXY, via: '203.0.113.1, 203.0.113.2' }, false],
  ['the client past the proxy', ONE, { peer: '203.0.113.1' }, true],
  ['another one past the proxy who names the client', ONE, { peer: '203.0.113.9', via: '203.0.113.1' }, false],
  ['two proxies of ours in a row', ONE, { peer: PROXY, via: '203.0.113.1, 192.0.2.11' }, true],
  ['IPv6 clients of the same /64', { peer: PROXY, via: '2001:db8::1' }, { peer: PROXY, via: '2001:db8::2' }, true],
  ['a proxy written as IPv6', ONE, { peer: `::ffff:${PROXY}`, via: '203.0.113.1' }, true],
  ['a proxy of a network of them', ONE, { peer: 'fd12::9', via: '203.0.113.1' }, true],
  ['no header: the proxy itself', { peer: PROXY }, ONE, false],
  ['rubbish: the proxy itself', { peer: PROXY, via: 'unknown' }, { peer: PROXY, via: '_hidden' }, true],
])('behind a trusted proxy, the client is the one that the proxy names: %s', async (_case, first, second, same) => {
  expect(await isSameClient({ trusted_proxies: '192.0.2.10,192.0.2.11/32,fd00::/8' }, first, second)).toBe(same)
})

const GONE = { peer: undefined }

test.each<[string, Origin, Origin, boolean]>([
  ['the same one', GONE, GONE, true],
  ['ones that name different clients', { ...GONE, via: '203.0.113.1' }, { ...GONE, via: '203.0.113.2' }, true],
  ['the client that it names', { ...GONE, via: '203.0.113.1' }, { peer: '203.0.113.1' }, false],
  ['the machine itself', GONE, { peer: '127.0.0.1' }, false],
])('a peer that has closed its connection is never a trusted proxy: %s', async (_case, first, second, same) => {
  for (const trusted_proxies of ['127.0.0.1,::1', '0.0.0.0/0,::/0'])
    expect(await isSameClient({ trusted_proxies }, first, second)).toBe(same)
})

test('the client address is also known for HEAD and for normalized paths', async () => {
  const peers = new WeakMap<Request, string>()
  const app = await open({}, (request) => peers.get(request))
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

const attributesOf = (answer: { headers: Headers }) => answer.headers.get('set-cookie')?.split('; ').slice(1)
const trusted_proxies = PROXY

test.each<[string, Record<string, string>, Record<string, string>, boolean]>([
  ['a forged header', {}, { 'x-forwarded-proto': 'https' }, false],
  ['another proxy than this', { trusted_proxies: '198.51.100.1' }, { 'x-forwarded-proto': 'https' }, false],
  ['a proxy that speaks http', { trusted_proxies }, { 'x-forwarded-proto': 'http' }, false],
  ['a proxy that speaks HTTPS', { trusted_proxies }, { 'x-forwarded-proto': 'HTTPS' }, true],
  ['a client that forges before the proxy', { trusted_proxies }, { 'x-forwarded-proto': 'https, http' }, false],
  ['a base_url with https', { base_url: 'https://pods.example' }, {}, true],
  ['a base_url with http', { base_url: 'http://pods.example' }, { 'x-forwarded-proto': 'https' }, false],
])('the session cookie is Secure over https only: with %s', async (_case, settings, headers, secure) => {
  const app = await open(settings)
  app.setPeer(PROXY)
  const client = clientOf(app, { ...basic('ida', 'seaglass'), ...headers })
  const expected = ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Max-Age=2592000', ...(secure ? ['Secure'] : [])]
  for (const answer of [await client.get('/api/2/me'), await client.post('/api/2/auth/ida/login.json')])
    expect(attributesOf(answer)).toEqual(expected)
})

test('the session cookie is limited to the sub-path, and cleared with the same attributes', async () => {
  const app = await open({ base_url: 'https://home.example/podcasts' })
  const login = await clientOf(app, basic('ida', 'seaglass')).post('/podcasts/api/2/auth/ida/login.json')
  expect(attributesOf(login)).toEqual(['Path=/podcasts', 'HttpOnly', 'SameSite=Lax', 'Max-Age=2592000', 'Secure'])
  const logout = await clientOf(app, cookieOf(login)).post('/podcasts/api/2/auth/ida/logout.json')
  expect(attributesOf(logout)).toEqual(['Path=/podcasts', 'HttpOnly', 'SameSite=Lax', 'Max-Age=0', 'Secure'])
})

function openLog(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  app.clock.advance(1)
  const send = async (headers: Record<string, string>, peer: string | null = PROXY) => {
    app.setPeer(peer ?? undefined)
    await clientOf(app, headers).get('/healthz')
  }
  const warnings = () =>
    app.logs.filter((line) => line.includes('trusted_proxies')).map((line): Record<string, unknown> => JSON.parse(line))
  return { app, send, warnings }
}

test.each([
  ['x-forwarded-for', '203.0.113.1'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-host', 'pods.example'],
  ['forwarded', 'for=203.0.113.1;proto=https'],
])('a header of an unknown proxy is warned about once an hour: %s', async (header, value) => {
  const { app, send, warnings } = openLog()
  for (let n = 0; n < 5; n++) await send({ [header]: value })
  await send({ 'x-forwarded-for': '203.0.113.1' })
  expect(warnings()).toMatchObject([{ level: 'warn', peer: PROXY, header }])
  // The value contains the client's address.
  expect(JSON.stringify(warnings())).not.toContain('203.0.113.1')
  await send({ [header]: value }, '192.0.2.11')
  app.clock.advance(3600)
  await send({ [header]: value })
  expect(warnings().map(({ peer }) => peer)).toEqual([PROXY, '192.0.2.11', PROXY])
})

test.each<[string, Record<string, string>, Record<string, string>, string | null]>([
  ['from a trusted proxy', { trusted_proxies: '192.0.2.0/24' }, { 'x-forwarded-for': '203.0.113.1' }, PROXY],
  ['without such a header', {}, { via: '1.1 proxy', origin: 'http://localhost' }, PROXY],
  ['from a peer that has closed its connection', {}, { 'x-forwarded-for': '203.0.113.1' }, null],
])('no warning about proxies is logged %s', async (_case, settings, headers, peer) => {
  const { send, warnings } = openLog(settings)
  await send(headers, peer)
  expect(warnings()).toEqual([])
})
