import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readBundle, writeBundle } from '../../../src/http/web-files.ts'
import { startTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/client.ts'
import { expectError } from '../error.ts'

const PAGE =
  '<!doctype html><base href="{base}/"><script>start()</script>{preload}<div id="app"><!--public-->sign in<!--/public--><!--shell-->shell<!--/shell--></div>'
const SIGN_IN = '<div id="app"><!--public-->sign in<!--/public--></div>'
const SHELL = '<div id="app"><!--shell-->shell<!--/shell--></div>'
const SIGNED_IN = { cookie: `sessionid=${'x'.repeat(43)}` }
const SCRIPT = 'console.log("podstep")'
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const file = (path: string, text: string) => ({
  ...{ path, raw: bytesOf(text), brotli: bytesOf(`brotli of ${text}`), gzip: bytesOf(`gzip of ${text}`) },
})

const scripts = ['main-1a2b', 'rest-5e6f', 'en-7a8b', 'de-9c0d'].map((name) => file(`a/${name}.js`, SCRIPT))
const others = [file('a/index-3c4d.css', 'body{}'), file('icon.svg', '<svg/>'), file('index.html', PAGE)]
const web = readBundle(writeBundle([...scripts, ...others]))

const server = startTestApp({ web })

async function get(path: string, given: Record<string, string> = {}, app = server) {
  const headers = { host: 'localhost', ...given }
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('the page of the web client', () => {
  test('is served at the path of each page', async () => {
    const account = ['login', 'register', 'activate', 'reset-password', 'account', 'transfer']
    const podcasts = ['discover', 'podcast?url=x', 'episode', 'listening', 'devices', 'connect', 'upgrades']
    for (const path of ['', ...account, ...podcasts, 'admin/users', 'admin/feeds', 'admin/server', 'admin/log']) {
      const { status, headers, bytes } = await get(`/${path}`)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
      expect(bytes.toString()).toStartWith('<!doctype html><base href="/">')
    }
  })

  test('has the outline of the page that will be shown', async () => {
    const outline = async (path: string, given = {}) =>
      /<div id="app">.*/.exec(String((await get(path, given)).bytes))?.[0]
    expect(await outline('/', SIGNED_IN)).toBe(SHELL)
    expect(await outline('/')).toBe(SIGN_IN)
    expect(await outline('/', { cookie: 'sessionid=of-another-program' })).toBe(SIGN_IN)
    expect(await outline('/login', SIGNED_IN)).toBe(SIGN_IN)
  })

  test.each([
    ['/', 'de-AT,de;q=0.9,en;q=0.8', ['a/de-9c0d.js']],
    ['/discover', 'fi, DE;q=0.5', ['a/de-9c0d.js', 'a/rest-5e6f.js']],
    ['/login', 'de', ['a/de-9c0d.js']],
    ['/devices', 'de', ['a/de-9c0d.js', 'a/rest-5e6f.js']],
    ['/login', '../../main, ma', ['a/en-7a8b.js']],
  ])('preloads the files that %s needs for the language %s', async (path, accepted, expected) => {
    const { bytes } = await get(path, { ...SIGNED_IN, 'accept-language': accepted })
    const links = [...bytes.toString().matchAll(/<link rel="(\w+)" href="([^"]*)">/g)]
    expect(links.map(([, , href]) => href)).toEqual(expected)
    for (const [, rel] of links) expect(rel).toBe('modulepreload')
  })

  test('is revalidated each time, loads only its own files and sound, and sends no referrer', async () => {
    const { headers } = await get('/')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    // Over plain HTTP, browsers ignore it with a warning.
    expect(headers.get('cross-origin-opener-policy')).toBeNull()
    const overHttps = startTestApp({ web, settings: { base_url: 'https://home.example' } })
    expect((await get('/', {}, overHttps)).headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('permissions-policy')).toContain('camera=()')
    const csp = headers.get('content-security-policy') ?? ''
    const hash = new Bun.CryptoHasher('sha256').update('start()').digest('base64')
    expect(csp).toContain(`default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'`)
    const rest = csp.split('; ').filter((part) => !part.startsWith('media-src '))
    expect(rest.join('; ')).not.toMatch(/unsafe|\*|https?:/)
    // Episodes are streamed from their publishers.
    expect(csp).toContain('; media-src http: https:;')
  })

  test.each([
    [['/', '/login'], 1],
    [['/api/2/me'], 1],
    [['/podcasts', '/healthz', '/wp-login.php'], 0],
  ])('a sub-path that a proxy cuts off is reported once in the log after requests for %p', async (paths, count) => {
    const app = startTestApp({ web, settings: { base_url: 'https://home.example/podcasts' } })
    for (const path of [...paths, ...paths]) await clientOf(app).get(path)
    expect(app.logs.filter((line) => line.includes('"base_path":"/podcasts"'))).toHaveLength(count)
  })

  test('contains the sub-path, and is served only below it', async () => {
    const app = startTestApp({ web, settings: { base_url: 'https://home.example/podcasts' } })
    expect((await get('/podcasts/login', {}, app)).bytes.toString()).toContain('<base href="/podcasts/">')
    expect((await get('/login', {}, app)).status).toBe(404)
  })

  test.each<[string, string | null, (bytes: Buffer) => Uint8Array]>([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', null, (bytes) => bytes],
  ])('is compressed for clients that accept %s', async (accepted, coding, unpack) => {
    const { headers, bytes } = await get('/', { 'accept-encoding': accepted })
    const vary = 'Accept-Encoding, Accept-Language, Cookie'
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([coding, vary])
    expect(Buffer.from(unpack(bytes)).toString()).toEndWith(SIGN_IN)
  })
})

test.each([
  ['/a/main-1a2b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'same-origin'],
  ['/a/index-3c4d.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable', 'same-origin'],
  ['/icon.svg', 'image/svg+xml', 'public, max-age=86400', 'cross-origin'],
])(
  'the file %s has its type, its caching and its resource policy, and is compressed',
  async (path, type, caching, policy) => {
    const { headers, bytes } = await get(path, { 'accept-encoding': 'br' })
    const names = ['content-type', 'cache-control', 'cross-origin-resource-policy']
    expect(names.map((name) => headers.get(name))).toEqual([type, caching, policy])
    expect(bytes.toString()).toStartWith('brotli of ')
  },
)

test.each([
  '/../../etc/passwd',
  '/a/..%2f..%2f..%2fetc%2fpasswd',
  '/a/%2e%2e/%2e%2e/etc/passwd',
  '/a/..%5c..%5cetc',
  '/a//etc/passwd',
])('%s reads no file outside of the web client', async (path) => {
  expect(await get(path)).toMatchObject({ status: 404 })
})

test('an unknown path is 404 with the page of the web client for browsers', async () => {
  const { status, headers, bytes } = await get('/nothing', { accept: 'text/html,*/*;q=0.8' })
  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(bytes.toString()).toContain('<div id="app">')
})

test.each<[string, string, Record<string, string>]>([
  ['for other clients', '/nothing', {}],
  ['below /api', '/api/2/nothing.json', { accept: 'text/html' }],
])('an unknown path is an error object %s', async (_case, path, headers) => {
  expectError(await clientOf(server, headers).get(path), 404, 'not_found')
})
