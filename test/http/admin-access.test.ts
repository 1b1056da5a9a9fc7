import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { feedSource, UNCHANGED } from '../support/feed-source.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'
const FOREIGN = 'https://evil.example'

/** Every endpoint for administrators, as one would use it. */
const ADMIN: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['GET', '/api/admin/stats', undefined],
  ['GET', '/api/admin/users', undefined],
  ['POST', '/api/admin/users', { username: 'eva', password: 'seashell' }],
  ['DELETE', '/api/admin/users/kai', undefined],
  ['POST', '/api/admin/users/kai/activate', undefined],
  ['POST', '/api/admin/users/kai/deactivate', undefined],
  ['POST', '/api/admin/users/kai/role', { is_admin: true }],
  ['POST', '/api/admin/users/kai/password', { password: 'driftwood' }],
  ['POST', '/api/admin/users/kai/reset-password', undefined],
  ['POST', '/api/admin/feeds/update', undefined],
  ['POST', '/api/admin/feeds/update/single?url=https://feeds.example/a', undefined],
  ['GET', '/api/admin/audit', undefined],
  ['GET', '/api/admin/mail', undefined],
  ['POST', '/api/admin/mail/test', { email: 'ida@pods.example' }],
  ['GET', '/api/admin/server', undefined],
  ['GET', '/api/admin/settings', undefined],
  ['GET', '/api/admin/backups', undefined],
  ['POST', '/api/admin/backups', undefined],
  ['GET', '/api/admin/feeds?state=ok&q=a&page=0&per_page=10', undefined],
  ['POST', '/api/admin/feeds/1/update', undefined],
  ['POST', '/api/admin/directory/test', undefined],
]

/** Bodies that no endpoint takes which needs one. */
const BAD_BODIES: readonly unknown[] = ['', '{', {}, [], new Uint8Array(11 * 1024 * 1024)]

const toUnknownUser = (path: string) => path.replace('/kai', '/nobody').replace('/1/', '/999/')
const changes = (method: string) => method !== 'GET'

/** Administrators ada and ida, and the ordinary users ole and kai; kai has an address to send mail to. */
async function open() {
  const app = startTestApp({
    settings: { registration: 'open' },
    mailer: { send: async () => undefined },
    feedSource: feedSource({ 'https://feeds.example/a': UNCHANGED }),
  })
  const ada = await signUp(app, 'ada')
  const ida = await signUp(app, 'ida')
  const ole = await signUp(app, 'ole')
  await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
  await clientOf(app).post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
  await ole.put('/subscriptions/ole/phone.txt', 'https://feeds.example/a\nhttps://feeds.example/down\n')
  const browserOf = async (client: typeof ada, name: string) =>
    clientOf(app, cookieOf(await client.post(`/api/2/auth/${name}/login.json`)))
  return { app, ada, ida, ole, anyone: clientOf(app), browser: await browserOf(ida, 'ida'), browserOf }
}

describe.each(ADMIN)('%s %s', (method, path, body) => {
  const bodies = changes(method) ? [body, ...BAD_BODIES] : [undefined]

  test('asks an anonymous to sign in first, whatever the path names and whatever the body is', async () => {
    const { app, anyone } = await open()
    const before = stored(app)
    for (const address of [path, toUnknownUser(path)]) {
      for (const sent of bodies) {
        const answer = await anyone.call(method, address, { body: sent })
        expectRefusal(answer, 401, 'unauthorized')
        expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
      }
    }
    expect(stored(app)).toBe(before)
  })

  test('takes no wrong password, not even beside the cookie of an administrator', async () => {
    const { browser } = await open()
    const headers = { authorization: `Basic ${btoa('ida:wrong')}` }
    expectRefusal(await browser.call(method, path, { body, headers }), 401, 'invalid_credentials')
  })

  test('is closed to ordinary users by password and by cookie, whatever the path names and the body is', async () => {
    const { app, ole, browserOf } = await open()
    const cookie = await browserOf(ole, 'ole')
    const before = stored(app)
    for (const client of [ole, cookie]) {
      for (const address of [path, toUnknownUser(path)]) {
        for (const sent of bodies) {
          expectRefusal(await client.call(method, address, { body: sent }), 403, 'admin_required')
        }
      }
    }
    expect(stored(app)).toBe(before)
  })

  test('serves an administrator by password and by cookie', async () => {
    for (const way of ['ida', 'browser'] as const) {
      const answer = await (await open())[way].call(method, path, { body })
      expect(answer.status).toBe(200)
    }
  })

  test('sends answers and refusals that nobody keeps and no page of another origin reads', async () => {
    const { anyone, ida, ole } = await open()
    for (const client of [anyone, ole, ida]) {
      const { headers } = await client.call(method, path, { body, headers: { origin: FOREIGN } })
      expect(headers.get('cache-control')).toBe('no-store')
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })

  test('knows no preflight', async () => {
    const { anyone } = await open()
    const answer = await anyone.call('OPTIONS', path, { headers: { origin: FOREIGN } })
    expectRefusal(answer, 405, 'method_not_allowed')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  test('is shut at once for an administrator who is one no longer', async () => {
    const { app, ida, browser } = await open()
    // Whoever has the password in a cache is out as well.
    expect([(await ida.get('/api/admin/stats')).status, (await browser.get('/api/admin/stats')).status]).toEqual([
      200, 200,
    ])
    await app.services.administration.setAdmin('ida', false, COMMAND_LINE)
    for (const client of [ida, browser]) expectRefusal(await client.call(method, path, { body }), 403, 'admin_required')
    await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
    await app.services.administration.setActive('ida', false, COMMAND_LINE)
    expectRefusal(await ida.call(method, path, { body }), 403, 'account_inactive')
    expectRefusal(await browser.call(method, path, { body }), 401, 'unauthorized')
    await app.services.administration.remove('ida', COMMAND_LINE)
    for (const client of [ida, browser]) expect((await client.call(method, path, { body })).status).toBe(401)
  })
})

describe('a page of another site with the cookie of an administrator', () => {
  test.each(ADMIN.filter(([method]) => changes(method)))('can do nothing: %s %s', async (method, path, body) => {
    const { app, browser } = await open()
    const before = stored(app)
    for (const sent of [body, ...BAD_BODIES]) {
      for (const address of [path, toUnknownUser(path)]) {
        const answer = await browser.call(method, address, { body: sent, headers: { origin: FOREIGN } })
        expectRefusal(answer, 403, 'csrf_rejected')
      }
    }
    expect(stored(app)).toBe(before)
  })

  test.each(ADMIN.filter(([method]) => changes(method)))('is no page of this one: %s %s', async (...endpoint) => {
    const [method, path, body] = endpoint
    const { browser } = await open()
    const answer = await browser.call(method, path, { body, headers: { origin: 'http://localhost' } })
    expect(answer.status).toBe(200)
  })
})

describe('a wrong method is 405 with the right ones, whoever asks', () => {
  test.each([
    ['/api/admin/stats', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/api/admin/users', 'GET, HEAD, POST', ['PUT', 'DELETE', 'PATCH']],
    ['/api/admin/users/kai', 'DELETE', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH']],
    ['/api/admin/users/nobody', 'DELETE', ['GET']],
    ['/api/admin/users/kai/activate', 'POST', ['GET', 'HEAD', 'PUT', 'DELETE']],
    ['/api/admin/users/kai/deactivate', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/users/kai/role', 'POST', ['GET', 'PUT', 'DELETE', 'PATCH']],
    ['/api/admin/users/kai/password', 'POST', ['GET', 'PUT', 'DELETE', 'PATCH']],
    ['/api/admin/users/kai/reset-password', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/feeds/update', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/feeds/update/single', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/audit', 'GET, HEAD', ['POST', 'DELETE']],
    ['/api/admin/mail', 'GET, HEAD', ['POST', 'DELETE']],
    ['/api/admin/mail/test', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/server', 'GET, HEAD', ['POST', 'DELETE']],
    ['/api/admin/settings', 'GET, HEAD', ['POST', 'PUT', 'DELETE']],
    ['/api/admin/feeds', 'GET, HEAD', ['POST', 'PUT', 'DELETE']],
    ['/api/admin/feeds/1/update', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/sso/test', 'POST', ['GET', 'PUT', 'DELETE']],
    ['/api/admin/directory/test', 'POST', ['GET', 'PUT', 'DELETE']],
  ])('%s', async (path, allow, wrong) => {
    const { app, ida, anyone } = await open()
    const before = stored(app)
    for (const client of [ida, anyone]) {
      for (const method of wrong) {
        const answer = await client.call(method, path)
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow])
        if (method !== 'HEAD') expectRefusal(answer, 405, 'method_not_allowed')
      }
    }
    expect(stored(app)).toBe(before)
  })

  test.each(['/api/admin', '/api/admin/user', '/api/admin/users/kai/email', '/api/2/admin/users'])(
    'and %s is no address at all',
    async (path) => {
      expectRefusal(await (await open()).ida.get(path), 404, 'not_found')
    },
  )
})

describe('the feeds', () => {
  test.each([
    ['no url', '', 400, 'validation_failed', 'url'],
    ['an empty url', '?url=', 400, 'validation_failed', 'url'],
    ['what is no address', '?url=nonsense', 400, 'validation_failed', 'url'],
    ['a scheme that is no feed’s', '?url=file:///etc/passwd', 400, 'validation_failed', 'url'],
    ['a feed nobody ever sent', '?url=https://feeds.example/b', 404, 'unknown_podcast', undefined],
    ['a feed whose server cannot be reached', '?url=https://feeds.example/down', 502, 'feed_unreachable', undefined],
    ['the same in another spelling', '?url=%20HTTPS://Feeds.example:443/down', 502, 'feed_unreachable', undefined],
    ['the same by http, which is another feed', '?url=feed://feeds.example/a', 404, 'unknown_podcast', undefined],
  ])('refuse an update of one with %s', async (_case, query, status, word, field) => {
    const { ida } = await open()
    expectRefusal(await ida.post(`/api/admin/feeds/update/single${query}`), status, word, field)
  })
})
