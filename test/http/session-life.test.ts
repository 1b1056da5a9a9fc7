import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const HOUR = 3600
const DAY = 86_400
const LOGIN = '/api/2/auth/ida/login.json'

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  return { app, ida }
}

const holder = (app: TestApp, answer: Answer) => clientOf(app, cookieOf(answer))
const isLive = async (client: Client) => (await client.get('/api/2/me')).status === 200

/** Logs in `count` times and throws the cookies away, as PinePods does before nearly every request. */
async function pileUp(ida: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await ida.post(LOGIN)
}

describe('a session', () => {
  test('without use ends after thirty days, to the second', async () => {
    for (const [seconds, live] of [
      [30 * DAY - 1, true],
      [30 * DAY, false],
    ] as const) {
      const { app, ida } = await open()
      const client = holder(app, await ida.post(LOGIN))
      app.clock.advance(seconds)
      expect(await isLive(client)).toBe(live)
    }
  })

  test('that has ended is as good as no cookie', async () => {
    const { app, ida } = await open()
    const client = holder(app, await ida.post(LOGIN))
    app.clock.advance(30 * DAY)
    expectRefusal(await client.get('/api/2/me'), 401, 'unauthorized')
    const again = await client.get('/api/2/me', { headers: basic('ida', 'seaglass') })
    expect(again.status).toBe(200)
    expect(await isLive(holder(app, again))).toBe(true)
  })

  test('is renewed, and its cookie sent again, only when fewer than fifteen days remain', async () => {
    const { app, ida } = await open()
    const login = await ida.post(LOGIN)
    const client = holder(app, login)
    app.clock.advance(15 * DAY)
    expect((await client.get('/api/2/me')).headers.get('set-cookie')).toBeNull()
    app.clock.advance(1)
    const renewed = await client.get('/api/2/me')
    expect(renewed.headers.get('set-cookie')).toEndWith('; Max-Age=2592000')
    expect(cookieOf(renewed)).toEqual(cookieOf(login))
    await app.idle()
    expect((await client.get('/api/2/me')).headers.get('set-cookie')).toBeNull()
    app.clock.advance(30 * DAY - 1)
    expect(await isLive(client)).toBe(true)
  })

  test('in use never ends', async () => {
    const { app, ida } = await open()
    const client = holder(app, await ida.post(LOGIN))
    for (let n = 0; n < 12; n++) {
      app.clock.advance(29 * DAY)
      expect(await isLive(client)).toBe(true)
      await app.idle()
    }
    expect(sessionCount(app)).toBe(1)
  })

  test('is renewed by logging in with the cookie, too', async () => {
    const { app, ida } = await open()
    const login = await ida.post(LOGIN)
    app.clock.advance(20 * DAY)
    expect(cookieOf(await holder(app, login).post(LOGIN))).toEqual(cookieOf(login))
  })

  test('is renewed by a request that brings the password beside the cookie, too', async () => {
    const { app, ida } = await open()
    const login = await ida.post(LOGIN)
    app.clock.advance(20 * DAY)
    expect(cookieOf(await ida.get('/api/2/me', { headers: cookieOf(login) }))).toEqual(cookieOf(login))
  })

  test('survives a restart', async () => {
    const { app, ida } = await open()
    const cookie = cookieOf(await ida.post(LOGIN))
    await app.idle()
    const restarted = startTestApp({ db: app.db, clock: app.clock })
    expect(await isLive(clientOf(restarted, cookie))).toBe(true)
  })

  test('is not readable in the database', async () => {
    const { app, ida } = await open()
    const { cookie = '' } = cookieOf(await ida.post(LOGIN))
    const token = cookie.slice('sessionid='.length)
    const stored = app.db.query<{ token_hash: Uint8Array }, []>('SELECT token_hash FROM sessions').get()?.token_hash
    expect(Buffer.from(stored ?? []).toString('hex')).toBe(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
    expect(Buffer.from(app.db.serialize()).includes(token)).toBe(false)
  })

  test('lasts as long as session_days says', async () => {
    const { app, ida } = await open({ session_days: '2' })
    const login = await ida.post(LOGIN)
    expect(login.headers.get('set-cookie')).toEndWith('; Max-Age=172800')
    app.clock.advance(2 * DAY)
    expect(await isLive(holder(app, login))).toBe(false)
  })
})

describe('more than a hundred sessions', () => {
  test('of a user do not exist: the oldest unused go', async () => {
    const { app, ida } = await open()
    const first = holder(app, await ida.post(LOGIN))
    const second = holder(app, await ida.post(LOGIN))
    await pileUp(ida, 98)
    expect(sessionCount(app)).toBe(100)
    await ida.post(LOGIN)
    expect(sessionCount(app)).toBe(100)
    expect([await isLive(first), await isLive(second)]).toEqual([false, true])
  })

  test('do not push out one that was used again', async () => {
    const { app, ida } = await open()
    const phone = holder(app, await ida.post(LOGIN))
    app.clock.advance(HOUR + 1)
    expect(await isLive(phone)).toBe(true)
    app.clock.advance(DAY)
    await pileUp(ida, 120)
    expect([await isLive(phone), sessionCount(app)]).toEqual([true, 100])
  })

  test('do not push out the last ten logins, though all others were used again', async () => {
    const { app, ida } = await open()
    const used: Client[] = []
    for (let n = 0; n < 100; n++) used.push(holder(app, await ida.post(LOGIN)))
    app.clock.advance(HOUR + 1)
    for (const client of used) await client.get('/api/2/me')
    await app.idle()
    const fresh: Client[] = []
    for (let n = 0; n < 10; n++) fresh.push(holder(app, await ida.post(LOGIN)))
    for (const client of fresh) expect(await isLive(client)).toBe(true)
    expect(sessionCount(app)).toBe(100)
  })

  test('are counted for each user alone', async () => {
    const { app, ida } = await open()
    const ole = await signUp(app, 'ole', 'driftwood')
    const client = holder(app, await ole.post('/api/2/auth/ole/login.json'))
    await pileUp(ida, 101)
    expect([await isLive(client), sessionCount(app, 'ole'), sessionCount(app)]).toEqual([true, 1, 100])
  })
})

describe('all sessions of a user end', () => {
  async function twoSessions() {
    const { app, ida } = await open()
    const ole = await signUp(app, 'ole', 'driftwood')
    const phone = holder(app, await ole.post('/api/2/auth/ole/login.json'))
    const desk = holder(app, await ole.post('/api/2/auth/ole/login.json'))
    const other = holder(app, await ida.post(LOGIN))
    return { app, ole, phone, desk, other }
  }

  test.each(['setActive', 'remove', 'setPassword'] as const)('at once by %s, and nobody else’s', async (how) => {
    const { app, phone, desk, other } = await twoSessions()
    const { administration } = app.services
    if (how === 'setActive') await administration.setActive('ole', false, COMMAND_LINE)
    else if (how === 'remove') await administration.remove('ole', COMMAND_LINE)
    else await administration.setPassword('ole', 'seagrass', COMMAND_LINE)
    for (const client of [phone, desk]) expectRefusal(await client.get('/api/2/me'), 401, 'unauthorized')
    expect([sessionCount(app, 'ole'), await isLive(other)]).toEqual([0, true])
  })

  test('for good: activation brings none back', async () => {
    const { app, phone } = await twoSessions()
    await app.services.administration.setActive('ole', false, COMMAND_LINE)
    await app.services.administration.setActive('ole', true, COMMAND_LINE)
    expectRefusal(await phone.get('/api/2/me'), 401, 'unauthorized')
  })

  test('but the one that changes the password', async () => {
    const { app, phone, desk, other } = await twoSessions()
    const change = { old_password: 'driftwood', new_password: 'seagrass' }
    expect(await phone.post('/api/2/me/password', change)).toMatchObject({ status: 200 })
    expect([await isLive(phone), await isLive(desk), await isLive(other)]).toEqual([true, false, true])
    expect(sessionCount(app, 'ole')).toBe(1)
  })

  test('but the one that a change by password alone hands out', async () => {
    const { app, ole, phone, desk } = await twoSessions()
    const change = { old_password: 'driftwood', new_password: 'seagrass' }
    const answer = await ole.post('/api/2/me/password', change)
    expect(answer.status).toBe(200)
    expect([await isLive(holder(app, answer)), await isLive(phone), await isLive(desk)]).toEqual([true, false, false])
  })

  test('not when the change is refused', async () => {
    const { phone, desk } = await twoSessions()
    const change = { old_password: 'wrong', new_password: 'seagrass' }
    expectRefusal(await phone.post('/api/2/me/password', change), 403, 'wrong_password', 'old_password')
    expect([await isLive(phone), await isLive(desk)]).toEqual([true, true])
  })
})
