import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { type Client, clientOf, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'

const KEY = 'A KEY'
const SECRET = 'the$secret^of#the~directory'
const EXTERNAL = '/api/2/search/external'
const TRENDING = '/api/2/trending'

interface Asked {
  readonly path: string
  readonly query: Record<string, string>
  readonly headers: Headers
}

/** A directory on this machine that answers as `answer` says. */
function startDirectory(answer: (request: Request) => Response | Promise<Response>) {
  const asked: Asked[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      asked.push({ path: pathname, query: Object.fromEntries(searchParams), headers: request.headers })
      return answer(request)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/api/1.0`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

function open(url: string, settings: Record<string, string> = {}): { app: TestApp; anyone: Client } {
  const app = startTestApp({
    settings: { directory_key: KEY, directory_secret: SECRET, directory_url: url, ...settings },
  })
  return { app, anyone: clientOf(app) }
}

const feeds = (...list: unknown[]) => Response.json({ status: 'true', feeds: list, count: list.length })

const SAME = { title: 'Harbour Talk', url: 'https://feeds.example/harbour', description: 'Boats', author: 'Tidewater' }
const PICTURES = { image: 'https://img.example/i.png', artwork: 'https://img.example/a.png' }
const HARBOUR = { ...SAME, ...PICTURES, id: 1, language: 'EN-us', categories: null }
const HARBOUR_OBJECT = { ...SAME, logo_url: PICTURES.image, language: 'en-us', source: 'podcastindex' }

test.each([`${EXTERNAL}?q=harbour`, TRENDING])(
  'without credentials %s is an empty list, and says why',
  async (path) => {
    const { status, json, headers } = await clientOf(startTestApp()).get(path)
    expect([status, json, headers.get('x-external-directory')]).toEqual([200, [], 'off'])
  },
)

describe('a search', () => {
  test('asks the directory as its API wants it, and gives what it finds', async () => {
    await using directory = startDirectory(() => feeds(HARBOUR))
    const { app, anyone } = open(directory.url)
    const { status, json, headers } = await anyone.get(`${EXTERNAL}?q=%20harbour%20%20talk%20`)
    expect([status, json, headers.get('x-external-directory')]).toEqual([200, [HARBOUR_OBJECT], 'ok'])
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const [request] = directory.asked
    expect(request).toMatchObject({ path: '/api/1.0/search/byterm', query: { q: 'harbour talk', max: '20' } })
    const date = String(app.clock.seconds())
    const signature = createHash('sha1')
      .update(KEY + SECRET + date)
      .digest('hex')
    expect(['x-auth-key', 'x-auth-date', 'authorization'].map((name) => request?.headers.get(name))).toEqual([
      KEY,
      date,
      signature,
    ])
    expect(request?.headers.get('user-agent')).toMatch(/^podstep\//)
  })

  test('is asked once within ten minutes, however many people want it, in any case', async () => {
    await using directory = startDirectory(() => feeds(HARBOUR))
    const { app, anyone } = open(directory.url)
    await Promise.all(['harbour', 'HARBOUR', ' harbour'].map((q) => anyone.get(`${EXTERNAL}?q=${q}`)))
    app.clock.advance(599)
    await anyone.get(`${EXTERNAL}?q=harbour`)
    expect(directory.asked).toHaveLength(1)
    app.clock.advance(2)
    await anyone.get(`${EXTERNAL}?q=harbour`)
    expect(directory.asked).toHaveLength(2)
  })

  test('is limited to 60 a minute for each address', async () => {
    await using directory = startDirectory(() => feeds())
    const { app, anyone } = open(directory.url)
    for (let n = 0; n < 60; n++) expect((await anyone.get(`${EXTERNAL}?q=x`)).status).toBe(200)
    expectError(await anyone.get(`${EXTERNAL}?q=x`), 429, 'rate_limited')
    app.setPeer('192.0.2.2')
    expect((await anyone.get(`${EXTERNAL}?q=x`)).status).toBe(200)
  })
})

test.each([
  ['', { max: '20' }],
  ['?lang=PT-br&max=50', { max: '50', lang: 'pt-br' }],
  ['?lang=', { max: '20' }],
])('trending%s asks for %j', async (query, expected) => {
  await using directory = startDirectory(() => feeds(HARBOUR))
  expect((await open(directory.url).anyone.get(TRENDING + query)).json).toEqual([HARBOUR_OBJECT])
  expect(directory.asked).toMatchObject([{ path: '/api/1.0/podcasts/trending', query: expected }])
})

describe('a directory that gives nothing', () => {
  test.each([
    ['rejects the credentials', () => new Response('', { status: 401 }), 'credentials'],
    ['fails', () => new Response('', { status: 500 }), 'answer'],
    ['sends a page', () => new Response('<html>'), 'answer'],
    ['says itself that it fails', () => Response.json({ status: 'false', description: 'low tide' }), 'answer'],
  ])('because it %s: an empty list, a header, and the cause for administrators', async (_case, answer, trouble) => {
    await using directory = startDirectory(answer)
    const { app, anyone } = open(directory.url)
    const ida = await signUp(app)
    const { status, json, headers } = await anyone.get(`${EXTERNAL}?q=x`)
    expect([status, json, headers.get('x-external-directory')]).toEqual([200, [], 'error'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await ida.get('/api/admin/directory')).json).toEqual({
      enabled: true,
      last_answer: '',
      last_failure: { at: '2025-03-02T10:00:00', trouble, cause: expect.stringMatching(/^.{10,}$/) },
    })
    const warnings = app.logs.filter((line) => line.includes('"warn"'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`"trouble":"${trouble}"`)
    for (const secret of [KEY, SECRET]) expect(app.logs.join()).not.toContain(secret)
  })

  test('is left alone for a minute after three failures in a row, and is asked again then', async () => {
    const server = { answer: () => new Response('', { status: 500 }) }
    await using directory = startDirectory(() => server.answer())
    const { app, anyone } = open(directory.url)
    for (const q of ['a', 'b', 'c', 'd', 'e']) await anyone.get(`${EXTERNAL}?q=${q}`)
    expect(directory.asked).toHaveLength(3)
    server.answer = () => feeds(HARBOUR)
    app.clock.advance(59)
    expect((await anyone.get(`${EXTERNAL}?q=a`)).headers.get('x-external-directory')).toBe('error')
    app.clock.advance(2)
    expect((await anyone.get(`${EXTERNAL}?q=a`)).json).toEqual([HARBOUR_OBJECT])
    expect(directory.asked).toHaveLength(4)
  })
})
