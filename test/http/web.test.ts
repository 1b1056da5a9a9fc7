import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readBundle } from '../../src/http/web-files.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const PAGE = '<!doctype html><base href="{base}/"><div id="app"></div>'
const SCRIPT = 'console.log("podstep")'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const file = (path: string, text: string) => ({
  path,
  raw: base64(text),
  brotli: base64(`brotli of ${text}`),
  gzip: base64(`gzip of ${text}`),
})

const bundle = JSON.stringify([
  file('a/main-1a2b.js', SCRIPT),
  file('a/index-3c4d.css', 'body{}'),
  file('icon.svg', '<svg/>'),
  file('index.html', PAGE),
])

const web = readBundle(bundle)

const open = (settings: Record<string, string> = {}) => startTestApp({ web, settings })

async function get(app: ReturnType<typeof open>, path: string, headers: Record<string, string> = {}) {
  const response = await app.fetch(
    new Request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } }),
  )
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('the page of the web client', () => {
  test.each([
    ['/'],
    ['/login'],
    ['/register'],
    ['/activate'],
    ['/reset-password'],
    ['/discover'],
    ['/podcast?url=x'],
    ['/episode'],
    ['/listening'],
    ['/devices'],
    ['/connect'],
    ['/upgrades'],
    ['/transfer'],
    ['/account'],
    ['/admin/users'],
    ['/admin/feeds'],
    ['/admin/server'],
  ])('is there at %s', async (path) => {
    const { status, headers, bytes } = await get(open(), path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(bytes.toString()).toBe(PAGE.replace('{base}', ''))
  })

  test('is asked for anew each time, lets nothing in but our own files, and tells nobody where it is', async () => {
    const { headers } = await get(open(), '/')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    const csp = headers.get('content-security-policy') ?? ''
    expect(csp).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(csp).not.toMatch(/unsafe|\*|https?:/)
  })

  test('knows the sub-path, and is only below it', async () => {
    const app = open({ base_url: 'https://home.example/podcasts' })
    expect((await get(app, '/podcasts/login')).bytes.toString()).toContain('<base href="/podcasts/">')
    expect((await get(app, '/login')).status).toBe(404)
  })

  test.each([
    ['br', 'br', (bytes: Buffer) => brotliDecompressSync(bytes).toString()],
    ['gzip, deflate, br', 'br', (bytes: Buffer) => brotliDecompressSync(bytes).toString()],
    ['gzip', 'gzip', (bytes: Buffer) => gunzipSync(bytes).toString()],
    ['identity', null, (bytes: Buffer) => bytes.toString()],
  ])('comes packed for who accepts %s', async (accepted, coding, unpack) => {
    const { headers, bytes } = await get(open(), '/', { 'accept-encoding': accepted })
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([coding, 'Accept-Encoding'])
    expect(unpack(bytes)).toBe(PAGE.replace('{base}', ''))
  })
})

describe('a file of the web client', () => {
  test.each([
    ['/a/main-1a2b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/a/index-3c4d.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml', 'public, max-age=86400'],
  ])('%s says what it is and how long it stays so', async (path, type, caching) => {
    const { status, headers } = await get(open(), path)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, caching])
  })

  test.each([
    ['/icon.svg', 'cross-origin'],
    ['/a/main-1a2b.js', 'same-origin'],
    ['/', 'same-origin'],
  ])('%s is for pages of %s', async (path, policy) => {
    expect((await get(open(), path)).headers.get('cross-origin-resource-policy')).toBe(policy)
  })

  test('comes as the build has packed it', async () => {
    const { bytes } = await get(open(), '/a/main-1a2b.js', { 'accept-encoding': 'br' })
    expect(bytes.toString()).toBe(`brotli of ${SCRIPT}`)
  })
})

describe('an address that is none', () => {
  test('shows people the page, which says so', async () => {
    const { status, headers, bytes } = await get(open(), '/nothing', { accept: 'text/html,*/*;q=0.8' })
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(bytes.toString()).toContain('<div id="app">')
  })

  test.each([
    ['a program asks', '/nothing', {}],
    ['it is one of the API', '/api/2/nothing.json', { accept: 'text/html' }],
  ])('is an error object when %s', async (_case, path, headers) => {
    expectRefusal(await clientOf(open(), headers).get(path), 404, 'not_found')
  })
})
