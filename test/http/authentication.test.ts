import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { PROTECTED, sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

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
