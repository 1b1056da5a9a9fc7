import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  return { app, ida }
}

describe('the format suffix', () => {
  test.each(['my.phone', 'v1.2.json', '.hidden', 'Phone-2_b', 'téléphone'])(
    'is cut at the last dot, so the device may be called %s',
    async (device) => {
      const { ida } = await open()
      const path = encodeURIComponent(device)
      expect(await ida.post(`/api/2/devices/ida/${path}.json`, { caption: 'x' })).toMatchObject({ status: 200 })
      expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ id: device }] })
      expect(await ida.get(`/subscriptions/ida/${path}.txt`)).toMatchObject({ status: 200 })
    },
  )

  test.each([
    ['GET', '/api/2/devices/ida.JSON'],
    ['GET', '/api/2/devices/ida.Json'],
    ['POST', '/api/2/auth/ida/login.JSON'],
    ['POST', '/api/2/auth/ida/login.Json'],
    ['POST', '/api/2/auth/ida/logout.jsoN'],
    ['GET', '/subscriptions/ida.OPML'],
    ['GET', '/subscriptions/ida.Txt'],
  ])('may be written in any case: %s %s', async (method, path) => {
    const { ida } = await open()
    expect(await ida.call(method, path)).toMatchObject({ status: 200 })
  })

  test('must be one the address knows', async () => {
    const { ida } = await open()
    for (const path of ['/api/2/devices/ida', '/api/2/devices/ida.xml', '/api/2/sync-devices/ida.txt']) {
      expectRefusal(await ida.get(path), 404, 'not_found')
    }
  })
})

describe('path segments', () => {
  test('are decoded once, not twice', async () => {
    const { ida } = await open()
    expectRefusal(await ida.get('/api/2/devices/%2569da.json'), 403, 'forbidden')
    expectRefusal(await ida.post('/api/2/devices/ida/a%252Eb.json', {}), 400, 'validation_failed', 'device')
  })

  test.each<[string, string, number, string, string | undefined]>([
    ['GET', '/api/2/devices/%zz.json', 400, 'validation_failed', 'username'],
    ['GET', '/api/2/devices/%C3%28.json', 400, 'validation_failed', 'username'],
    ['POST', '/api/2/devices/ida/%E0%A4%A.json', 400, 'validation_failed', 'device'],
    ['POST', '/api/2/devices/ida/%.json', 400, 'validation_failed', 'device'],
    ['DELETE', '/api/admin/users/%', 400, 'validation_failed', 'username'],
    ['POST', '/api/admin/feeds/%/update', 400, 'validation_failed', 'id'],
    ['GET', '/api/2/tag/%FF/5.json', 400, 'validation_failed', 'tag'],
    ['GET', '/artwork/%?url=https://feeds.example/f', 400, 'validation_failed', 'size'],
    ['GET', '/search.%', 400, 'invalid_format', undefined],
    ['GET', '/toplist.%FF', 400, 'invalid_format', undefined],
    ['GET', '/toplist/%', 404, 'not_found', undefined],
    ['GET', '/toplist/%.json', 404, 'not_found', undefined],
    ['GET', '/suggestions/%FF.json', 404, 'not_found', undefined],
    ['GET', '/api/2/tags/%.json', 404, 'not_found', undefined],
    ['GET', '/api/2/tag/sea/%.json', 404, 'not_found', undefined],
    ['GET', '/%', 404, 'not_found', undefined],
    ['GET', '/api/2/%', 404, 'not_found', undefined],
  ])('with a broken percent escape are refused in plain words: %s %s', async (method, path, status, word, field) => {
    const { ida } = await open()
    const answer = await ida.call(method, path)
    expectRefusal(answer, status, word, field)
    expect(answer.text).not.toContain('Expected')
    if (field !== undefined) expect(answer.json).toMatchObject({ message: `${field} cannot be decoded` })
  })
})

describe('sloppy addresses', () => {
  test.each([
    ['GET', '//api/2/devices/ida.json'],
    ['GET', '/api///2//devices/ida.json'],
    ['GET', '/api/2/devices/ida.json/'],
    ['GET', '//api/2//devices/ida.JSON//'],
    ['GET', '/api/2/me/'],
    ['POST', '//api/2/auth/ida//login.json'],
    ['POST', '/api/2/auth/ida/login.json/'],
    ['GET', '//healthz'],
  ])('are served, never redirected: %s %s', async (method, path) => {
    const { ida } = await open()
    expect(await ida.call(method, path)).toMatchObject({ status: 200 })
  })
})

describe('a sub-path', () => {
  const settings = { base_url: 'https://home.example/podcasts' }

  test.each([
    ['GET', '/podcasts/api/2/devices/ida.json'],
    ['GET', '//podcasts//api/2/devices/ida.json/'],
    ['GET', '/podcasts/subscriptions/ida.OPML'],
    ['POST', '/podcasts/api/2/auth/ida/login.json'],
    ['GET', '/podcasts/openapi.json'],
  ])('stands before every address: %s %s', async (method, path) => {
    const { ida } = await open(settings)
    expect(await ida.call(method, path)).toMatchObject({ status: 200 })
  })

  test.each([
    '/api/2/devices/ida.json',
    '/podcast/api/2/devices/ida.json',
    '/podcastsapi/2/devices/ida.json',
    '/podcasts/podcasts/api/2/me',
  ])('is needed and matched whole: %s is 404', async (path) => {
    const { ida } = await open(settings)
    expectRefusal(await ida.get(path), 404, 'not_found')
  })
})

describe('methods', () => {
  test.each([
    ['PATCH', '/api/2/me', 'GET, HEAD, DELETE'],
    ['POST', '/api/2/me', 'GET, HEAD, DELETE'],
    ['GET', '/api/2/auth/ida/login.json', 'POST'],
    ['HEAD', '/api/2/auth/ida/login.json', 'POST'],
    ['GET', '/api/2/register', 'POST'],
    ['GET', '/api/2/devices/ida/phone.json', 'POST, PUT, DELETE'],
    ['DELETE', '/subscriptions/ida/phone.txt', 'GET, HEAD, POST, PUT'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['GET', '//api/2/register/', 'POST'],
  ])('that an address does not understand give 405 and what it does: %s %s', async (method, path, allowed) => {
    const { ida } = await open()
    const answer = await ida.call(method, path)
    if (method === 'HEAD') expect(answer).toMatchObject({ status: 405, text: '' })
    else expectRefusal(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  test('do not matter for an address nobody knows, which is 404 without credentials too', async () => {
    const { app } = await open()
    const anyone = clientOf(app)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await anyone.call(method, '/api/2/nothing/ida.json')
      expectRefusal(answer, 404, 'not_found')
      expect(answer.headers.get('allow')).toBeNull()
    }
  })

  test.each(['/api/2/me', '/api/2/devices/ida.json', '/subscriptions/ida.opml', '/healthz', '/openapi.json'])(
    'HEAD %s is GET without the body',
    async (path) => {
      const { ida } = await open()
      const get = await ida.get(path)
      const head = await ida.call('HEAD', path)
      expect(head).toMatchObject({ status: 200, text: '' })
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
      const names = ['content-type', 'cache-control', 'access-control-allow-origin', 'set-cookie']
      for (const name of names) expect(head.headers.get(name)).toBe(get.headers.get(name))
    },
  )
})

describe('every answer', () => {
  test.each([
    ['GET', '/api/2/me'],
    ['GET', '/subscriptions/ida.txt'],
    ['GET', '/api/2/episodes/ida.json'],
    ['POST', '/api/2/auth/ida/login.json'],
    ['GET', '/nothing'],
    ['GET', '/api/2/register'],
    ['GET', '/readyz'],
  ])('tells caches to keep nothing and browsers to guess nothing: %s %s', async (method, path) => {
    const { ida } = await open()
    const { headers } = await ida.call(method, path)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
