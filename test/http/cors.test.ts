import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type',
}

const PUBLIC = [
  '/api/2/me',
  '/api/2/devices/ida.json',
  '/api/2/auth/ida/login.json',
  '/api/2/nothing',
  '/subscriptions/ida.json',
  '/subscriptions/ida/phone.opml',
  '/suggestions/10.json',
  '/toplist/10.json',
  '/search.json',
  '/search.opml',
  '/clientconfig.json',
]

const OWN = ['/', '/api/admin/users', '/auth/sso/login', '/healthz', '/docs', '/subscriptionsx', '/xapi/2/me']

describe('pages of other origins', () => {
  test.each(PUBLIC)('may call %s, without cookies', async (path) => {
    const app = startTestApp()
    const ida = await signUp(app)
    const { headers } = await ida.get(path, { headers: { origin: 'https://other.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(PUBLIC)('may ask beforehand about %s, without credentials', async (path) => {
    const answer = await clientOf(startTestApp()).call('OPTIONS', path, {
      headers: { origin: 'https://other.example', 'access-control-request-method': 'PUT' },
    })
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(Object.fromEntries(answer.headers)).toMatchObject(PREFLIGHT)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(OWN)('may not call %s', async (path) => {
    const anyone = clientOf(startTestApp())
    for (const method of ['GET', 'OPTIONS']) {
      const { status, headers } = await anyone.call(method, path)
      expect([200, 401, 404, 405]).toContain(status)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('may do all this under a sub-path, and only there', async () => {
    const anyone = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
    expect(await anyone.call('OPTIONS', '/podcasts/api/2/me')).toMatchObject({ status: 204 })
    expect((await anyone.get('/podcasts/api/2/me')).headers.get('access-control-allow-origin')).toBe('*')
    expect(await anyone.call('OPTIONS', '/api/2/me')).toMatchObject({ status: 404 })
    expect((await anyone.get('/api/2/me')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('OPTIONS changes nothing and looks at no body', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.call('OPTIONS', '/api/2/devices/ida/phone.json', { body: '{broken' })
  expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [] })
})
