import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
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

  test('is renewed by a request that brings the password beside the cookie, too', async () => {
    const { app, ida } = await open()
    const login = await ida.post(LOGIN)
    app.clock.advance(20 * DAY)
    expect(cookieOf(await ida.get('/api/2/me', { headers: cookieOf(login) }))).toEqual(cookieOf(login))
  })

  test('is not readable in the database', async () => {
    const { app, ida } = await open()
    const { cookie = '' } = cookieOf(await ida.post(LOGIN))
    const token = cookie.slice('sessionid='.length)
    const stored = app.db.query<{ token_hash: Uint8Array }, []>('SELECT token_hash FROM sessions').get()?.token_hash
    expect(Buffer.from(stored ?? []).toString('hex')).toBe(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
    expect(Buffer.from(app.db.serialize()).includes(token)).toBe(false)
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

  test('but the one that changes the password', async () => {
    const { app, phone, desk, other } = await twoSessions()
    const change = { old_password: 'driftwood', new_password: 'seagrass' }
    expect(await phone.post('/api/2/me/password', change)).toMatchObject({ status: 200 })
    expect([await isLive(phone), await isLive(desk), await isLive(other)]).toEqual([true, false, true])
    expect(sessionCount(app, 'ole')).toBe(1)
  })
})
