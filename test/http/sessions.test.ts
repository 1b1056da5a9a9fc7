import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const DAY = 86_400
const LOGIN = '/api/2/auth/ida/login.json'
const LOGOUT = '/api/2/auth/ida/logout.json'
const ok = { status: 200, json: { status: 'ok' } }

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  return { app, ida, ole, anyone: clientOf(app) }
}

/** A client that has nothing but the cookie of this answer. */
const holder = (app: TestApp, answer: Answer) => clientOf(app, cookieOf(answer))
const isLive = async (client: ReturnType<typeof clientOf>) => (await client.get('/api/2/me')).status === 200

describe('login', () => {
  test('answers ok with a cookie for thirty days', async () => {
    const { ida } = await open()
    const answer = await ida.post(LOGIN)
    expect(answer).toMatchObject(ok)
    expect(answer.headers.get('set-cookie')).toMatch(
      /^sessionid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    )
  })

  test.each([
    ['no body', undefined, undefined],
    ['broken JSON', '{broken', 'application/json'],
    ['a form', 'a=b', 'application/x-www-form-urlencoded'],
    ['text of an unusual kind', '', 'text/x-markdown'],
  ])('takes %s', async (_case, body, type) => {
    const { ida } = await open()
    const headers = type === undefined ? {} : { 'content-type': type }
    expect(await ida.post(LOGIN, body, { headers })).toMatchObject(ok)
  })

  test('refuses missing and wrong credentials with the challenge', async () => {
    const { app, anyone } = await open()
    const missing = await anyone.post(LOGIN)
    expectRefusal(missing, 401, 'unauthorized')
    const wrong = await clientOf(app, basic('ida', 'wrong')).post(LOGIN)
    expectRefusal(wrong, 401, 'invalid_credentials')
    for (const { headers } of [missing, wrong]) expect(headers.get('www-authenticate')).toStartWith('Basic realm=')
    const fromPage = await anyone.post(LOGIN, undefined, { headers: { 'x-requested-with': 'x' } })
    expect(fromPage.headers.get('www-authenticate')).toBeNull()
  })

  test('refuses another name than the path’s, whatever the password and whether or not it exists', async () => {
    const { app, ole } = await open()
    expectRefusal(await ole.post(LOGIN), 400, 'username_mismatch')
    expectRefusal(await clientOf(app, basic('ole', 'wrong')).post(LOGIN), 400, 'username_mismatch')
    expectRefusal(await ole.post('/api/2/auth/nobody/login.json'), 400, 'username_mismatch')
  })

  test('tells a deactivated user so, but only after the right password', async () => {
    const { app, ole } = await open()
    await app.services.administration.setActive('ole', false, COMMAND_LINE)
    expectRefusal(await ole.post('/api/2/auth/ole/login.json'), 403, 'account_inactive')
    const guess = clientOf(app, basic('ole', 'wrong'))
    expectRefusal(await guess.post('/api/2/auth/ole/login.json'), 401, 'invalid_credentials')
  })

  test('tells a pending user so, but only after the right password', async () => {
    const { app, anyone } = await open({ registration: 'invite' })
    const eva = { username: 'eva', password: 'seagrass', email: 'eva@pods.example' }
    expect(await anyone.post('/api/2/register', eva)).toMatchObject({ json: { status: 'pending_activation' } })
    const path = '/api/2/auth/eva/login.json'
    expectRefusal(await clientOf(app, basic('eva', 'seagrass')).post(path), 403, 'account_pending')
    expectRefusal(await clientOf(app, basic('eva', 'seagrass')).get('/api/2/me'), 403, 'account_pending')
    expectRefusal(await clientOf(app, basic('eva', 'wrong')).post(path), 401, 'invalid_credentials')
  })
})

describe('login with a cookie', () => {
  test('alone keeps the session', async () => {
    const { app, ida } = await open()
    const client = holder(app, await ida.post(LOGIN))
    expect(await client.post(LOGIN)).toMatchObject(ok)
    expect(sessionCount(app)).toBe(1)
  })

  test('alone, of another user, is 400', async () => {
    const { app, ole } = await open()
    const client = holder(app, await ole.post('/api/2/auth/ole/login.json'))
    expectRefusal(await client.post(LOGIN), 400, 'username_mismatch')
  })

  test.each(['of another user', 'stale', 'made up'])(
    '%s beside the right password is 200 and brings a new one',
    async (kind) => {
      const { app, ida, ole } = await open()
      const foreign = cookieOf(await ole.post('/api/2/auth/ole/login.json'))
      const old = cookieOf(await ida.post(LOGIN))
      if (kind === 'stale') app.clock.advance(30 * DAY)
      const cookies = { 'of another user': foreign, stale: old, 'made up': { cookie: `sessionid=${'A'.repeat(43)}` } }
      const headers = Object.entries(cookies).find(([name]) => name === kind)?.[1] ?? {}
      const answer = await ida.post(LOGIN, undefined, { headers })
      expect(answer).toMatchObject(ok)
      expect(cookieOf(answer)).not.toEqual(foreign)
      expect(cookieOf(answer)).not.toEqual(old)
      expect(await holder(app, answer).get('/api/2/me')).toMatchObject({ json: { username: 'ida' } })
    },
  )
})

describe('logout', () => {
  test('ends the session, clears the cookie and leaves the other sessions alone', async () => {
    const { app, ida } = await open()
    const phone = holder(app, await ida.post(LOGIN))
    const desk = holder(app, await ida.post(LOGIN))
    const answer = await phone.post(LOGOUT)
    expect(answer).toMatchObject(ok)
    expect(answer.headers.get('set-cookie')).toBe('sessionid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0')
    expectRefusal(await phone.get('/api/2/me'), 401, 'unauthorized')
    expect([await isLive(desk), sessionCount(app)]).toEqual([true, 1])
  })

  test('with another user’s cookie is 400 and ends nothing', async () => {
    const { app, ole } = await open()
    const client = holder(app, await ole.post('/api/2/auth/ole/login.json'))
    expectRefusal(await client.post(LOGOUT), 400, 'username_mismatch')
    expect(await isLive(client)).toBe(true)
  })
})

describe('several cookies named sessionid', () => {
  const token = (letter: string) => `sessionid=${letter.repeat(43)}`

  test('are each tried, so another program’s on the same host does no harm', async () => {
    const { app, ida } = await open()
    const { cookie = '' } = cookieOf(await ida.post(LOGIN))
    for (const jar of [
      `sessionid=djangosession0123456789; ${cookie}`,
      `${token('A')}; csrftoken=x; ${cookie}; ${token('B')}`,
      `theme=dark;${cookie};sessionid=`,
      `xsessionid=1; ${cookie}`,
    ]) {
      expect(await clientOf(app, { cookie: jar }).get('/api/2/me')).toMatchObject({ status: 200 })
    }
  })
})
