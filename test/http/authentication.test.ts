import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { PROTECTED, sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'
const COOKIE = /^sessionid=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/

/** Ida with the devices phone and desk and no session yet, and ole. */
async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: ['https://feeds.example/a'] })
  await ida.post('/api/2/devices/ida/desk.json', { caption: 'Desk' })
  app.db.run('DELETE FROM sessions')
  return { app, ida, ole, anyone: clientOf(app) }
}

async function login(app: Awaited<ReturnType<typeof open>>['app'], name = 'ida', password = 'seaglass') {
  return clientOf(app, cookieOf(await clientOf(app, basic(name, password)).post(`/api/2/auth/${name}/login.json`)))
}

describe.each(PROTECTED)('%s %s', (method, path, body) => {
  test('without credentials is 401 with the challenge that gPodder waits for', async () => {
    const { app, anyone } = await open()
    const before = stored(app)
    const answer = await anyone.call(method, path, { body })
    expectRefusal(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    expect(stored(app)).toBe(before)
  })

  test('without credentials but with X-Requested-With is 401 without the challenge, so no browser asks', async () => {
    const { anyone } = await open()
    const answer = await anyone.call(method, path, { body, headers: { 'x-requested-with': 'x' } })
    expectRefusal(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBeNull()
  })

  test('works with Basic alone and hands out a session, which then works alone', async () => {
    const { app, ida } = await open()
    const answer = await ida.call(method, path, { body })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(COOKIE)
    const me = await clientOf(app, cookieOf(answer)).get('/api/2/me')
    expect(me).toMatchObject({ status: 200, json: { username: 'ida' } })
    expect(me.headers.get('set-cookie')).toBeNull()
  })

  test('works with the cookie alone and sends none back', async () => {
    const { app } = await open()
    const answer = await (await login(app)).call(method, path, { body })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test('with a wrong password is 401 even beside a good cookie', async () => {
    const { app } = await open()
    const ida = await login(app)
    const before = stored(app)
    const answer = await ida.call(method, path, { body, headers: basic('ida', 'wrong') })
    expectRefusal(answer, 401, 'invalid_credentials')
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    expect(stored(app)).toBe(before)
  })
})

describe('the paths of another user', () => {
  const named = PROTECTED.filter(([, path]) => path.includes('ida'))

  test.each(named)(
    'are forbidden by password and by cookie, and no session is handed out: %s %s',
    async (...endpoint) => {
      const [method, path, body] = endpoint
      const { app, ole } = await open()
      const before = stored(app)
      expectRefusal(await ole.call(method, path, { body }), 403, 'forbidden')
      expectRefusal(await (await login(app, 'ole', 'driftwood')).call(method, path, { body }), 403, 'forbidden')
      expect(stored(app)).toBe(before)
    },
  )

  test('answer the same whether or not the user exists', async () => {
    const { ole } = await open()
    const existing = await ole.get('/api/2/devices/ida.json')
    const missing = await ole.get('/api/2/devices/nobody.json')
    expect([missing.status, missing.text]).toEqual([existing.status, existing.text])
  })

  test('ask for credentials first', async () => {
    const { anyone } = await open()
    expectRefusal(await anyone.get('/api/2/devices/nobody.json'), 401, 'unauthorized')
  })
})

describe('a program that answers one challenge and then lives on the cookie (gPodder)', () => {
  test('can run a whole sync', async () => {
    const { app, anyone, ida } = await open()
    expectRefusal(await anyone.get('/api/2/devices/ida.json'), 401, 'unauthorized')
    const gpodder = clientOf(app, cookieOf(await ida.get('/api/2/devices/ida.json')))
    for (const [method, path, body] of PROTECTED) {
      expect(await gpodder.call(method, path, { body })).toMatchObject({ status: 200 })
    }
    expect(sessionCount(app)).toBe(1)
  })
})

describe('Basic credentials', () => {
  test.each([
    ['another case of the name', 'IDA', 'seaglass'],
    ['white space round the name', ' ida ', 'seaglass'],
  ])('are accepted with %s', async (_case, name, password) => {
    const { app } = await open()
    expect(await clientOf(app, basic(name, password)).get('/api/2/devices/ida.json')).toMatchObject({ status: 200 })
  })

  test.each([
    ['another case of the password', 'ida', 'Seaglass'],
    ['white space round the password', 'ida', ' seaglass '],
    ['an empty password', 'ida', ''],
    ['an empty name', '', 'seaglass'],
    ['an unknown name', 'nobody', 'seaglass'],
    ['another user’s password', 'ole', 'seaglass'],
  ])('are refused with %s', async (_case, name, password) => {
    const { app } = await open()
    expectRefusal(await clientOf(app, basic(name, password)).get('/api/2/me'), 401, 'invalid_credentials')
  })

  test.each([
    ['with colons', 'sea:glass::'],
    ['of characters beyond Latin-1', 'пароль-🌊'],
    ['with spaces at both ends', ' sea glass '],
  ])('may have a password %s', async (_case, password) => {
    const app = startTestApp()
    const client = await signUp(app, 'ida', password)
    expect(await client.get('/api/2/me')).toMatchObject({ status: 200, json: { username: 'ida' } })
  })

  test('may be in the URL-safe alphabet, without padding, or in Latin-1', async () => {
    const app = startTestApp()
    await signUp(app, 'ida', 'sü?>~~')
    const utf8 = Buffer.from('ida:sü?>~~', 'utf8')
    const latin1 = Buffer.from('ida:sü?>~~', 'latin1')
    const encoded = [utf8, latin1].flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url')])
    expect(new Set(encoded).size).toBe(4)
    for (const text of encoded) {
      const answer = await clientOf(app, { authorization: `Basic ${text}` }).get('/api/2/me')
      expect(answer).toMatchObject({ status: 200 })
    }
  })

  test.each(['Basic', 'Basic !!!', 'Basic aWRh', 'Basic aWRhOnNlYWdsYXNz c2Vh', 'Basic a==b'])(
    'that cannot be decoded are 400, even beside a good cookie: %s',
    async (authorization) => {
      const { app } = await open()
      const ida = await login(app)
      const answer = await ida.get('/api/2/me', { headers: { authorization } })
      expectRefusal(answer, 400, 'validation_failed', 'Authorization')
      expect(answer.headers.get('www-authenticate')).toBeNull()
    },
  )

  test('win over the cookie of another user, and bring a session of their own', async () => {
    const { app } = await open()
    const ole = await login(app, 'ole', 'driftwood')
    const answer = await ole.get('/api/2/me', { headers: basic('ida', 'seaglass') })
    expect(answer).toMatchObject({ status: 200, json: { username: 'ida' } })
    expect(await clientOf(app, cookieOf(answer)).get('/api/2/me')).toMatchObject({ json: { username: 'ida' } })
  })

  test('beside a good cookie of the same user bring no second session', async () => {
    const { app } = await open()
    const ida = await login(app)
    const answer = await ida.get('/api/2/me', { headers: basic('ida', 'seaglass') })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(sessionCount(app)).toBe(1)
  })
})

describe('other schemes', () => {
  test('a Bearer token is an app password, and none exists: 401 even beside a good cookie', async () => {
    const { app } = await open()
    const ida = await login(app)
    expectRefusal(await ida.get('/api/2/me', { headers: { authorization: 'Bearer x' } }), 401, 'invalid_credentials')
  })

  test('schemes we do not speak are not there at all', async () => {
    const { app, anyone } = await open()
    const headers = { authorization: 'Digest username="ida"' }
    expectRefusal(await anyone.get('/api/2/me', { headers }), 401, 'unauthorized')
    expect(await (await login(app)).get('/api/2/me', { headers })).toMatchObject({ status: 200 })
  })
})
