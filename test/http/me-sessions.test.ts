import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const PATH = '/api/2/me/sessions'
const ME = '/api/2/me'
const HOUR = 3600
const FIREFOX = 'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

/** Ida with two browsers and an app that sends the password each time, and Ole. */
async function open() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const desk = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  async function signIn(name: string, password: string, agent: string): Promise<Client> {
    const client = clientOf(app, { ...basic(name, password), 'user-agent': agent })
    return clientOf(app, { ...cookieOf(await client.post(`/api/2/auth/${name}/login.json`)), 'user-agent': agent })
  }
  const phone = await signIn('ida', 'seaglass', FIREFOX)
  const tablet = await signIn('ida', 'seaglass', FIREFOX)
  const oles = await signIn('ole', 'driftwood', FIREFOX)
  return { app, desk, phone, tablet, ole, oles, signIn }
}

const isLive = async (client: Client) => (await client.get(ME)).status === 200
const listed = ({ json }: Answer): { id: number; current: boolean }[] => (Array.isArray(json) ? json : [])
const currentOf = async (client: Client) => listed(await client.get(PATH)).find(({ current }) => current)?.id ?? 0

describe('GET /api/2/me/sessions', () => {
  test('lists the live sessions, last used first, and tells which one asks', async () => {
    const { app, desk, phone } = await open()
    app.clock.advance(2 * HOUR)
    await desk.get(ME, { headers: { 'user-agent': 'AntennaPod/3.7.0' } })
    expect((await phone.get(PATH)).json).toEqual([
      {
        id: expect.any(Number),
        created: '2025-03-02T12:00:00',
        last_used: '2025-03-02T12:00:00',
        expires: '2025-04-01T12:00:00',
        current: false,
        client: 'AntennaPod',
      },
      expect.objectContaining({ created: '2025-03-02T10:00:00', last_used: '2025-03-02T10:00:00', current: false }),
      {
        id: expect.any(Number),
        created: '2025-03-02T10:00:00',
        last_used: '2025-03-02T10:00:00',
        expires: '2025-04-01T10:00:00',
        current: true,
        client: 'Firefox on Android',
      },
    ])
    await app.idle()
    expect((await phone.get(PATH)).json).toMatchObject([
      { client: 'AntennaPod' },
      { last_used: '2025-03-02T12:00:00', current: true },
      { current: false },
    ])
  })

  test('leaves out those that have ended, and everybody else’s', async () => {
    const { app, phone, oles } = await open()
    app.clock.advance(29 * 24 * HOUR)
    await phone.get(ME)
    await app.idle()
    app.clock.advance(2 * 24 * HOUR)
    expect((await phone.get(PATH)).json).toMatchObject([{ current: true }])
    expectRefusal(await oles.get(PATH), 401, 'unauthorized')
  })

  test('calls a client that says nothing of itself nothing', async () => {
    const { desk } = await open()
    expect((await desk.get(PATH)).json).toMatchObject([{ client: '', current: true }, {}, {}])
  })

  test('tells nothing that would let somebody in', async () => {
    const { app, phone } = await open()
    const { text } = await phone.get(PATH)
    const hashes = app.db.query<{ token_hash: Uint8Array }, []>('SELECT token_hash FROM sessions').all()
    for (const { token_hash } of hashes) expect(text).not.toContain(Buffer.from(token_hash).toString('hex'))
    expect(text).not.toMatch(/token|hash/)
  })
})

describe('DELETE /api/2/me/sessions/{id}', () => {
  test('throws out whoever holds the session at once, and nobody else', async () => {
    const { phone, tablet, oles } = await open()
    const answer = await phone.delete(`${PATH}/${await currentOf(tablet)}`)
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    expect(answer.headers.get('set-cookie')).toBeNull()
    expectRefusal(await tablet.get(ME), 401, 'unauthorized')
    expect([await isLive(phone), await isLive(oles)]).toEqual([true, true])
  })

  test('of the session that asks is to sign out: the cookie is removed', async () => {
    const { phone, tablet } = await open()
    const answer = await phone.delete(`${PATH}/${await currentOf(phone)}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(/^sessionid=; .*Max-Age=0/)
    expect([await isLive(phone), await isLive(tablet)]).toEqual([false, true])
  })

  test('does not keep out an app that knows the password: it begins another session', async () => {
    const { app, desk, phone } = await open()
    const id = await currentOf(desk)
    await phone.delete(`${PATH}/${id}`)
    expect(await isLive(desk)).toBe(true)
    expect(await currentOf(desk)).toBeGreaterThan(id)
    expect(sessionCount(app)).toBe(3)
  })

  test('does not keep out the app that asks with the password either, and leaves it with no cookie', async () => {
    const { desk } = await open()
    const answer = await desk.delete(`${PATH}/${await currentOf(desk)}`)
    expect(answer.headers.get('set-cookie')).toMatch(/^sessionid=; .*Max-Age=0/)
    expect(await isLive(desk)).toBe(true)
  })

  test.each([
    ['no such session', '999999', 404, 'not_found', undefined],
    ['a number beyond all numbers', '999999999999999', 404, 'not_found', undefined],
    ['no number', 'x', 400, 'validation_failed', 'id'],
    ['a negative number', '-1', 400, 'validation_failed', 'id'],
    ['a number of sixteen digits', '1234567890123456', 400, 'validation_failed', 'id'],
    ['a number in other words', '0x1', 400, 'validation_failed', 'id'],
    ['SQL', "1'--", 400, 'validation_failed', 'id'],
  ])('refuses %s', async (_case, id, status, word, field) => {
    const { app, phone } = await open()
    expectRefusal(await phone.delete(`${PATH}/${id}`), status, word, field)
    expect(sessionCount(app)).toBe(2)
  })

  test('refuses somebody else’s, in the same words as one that does not exist', async () => {
    const { phone, oles } = await open()
    const foreign = await phone.delete(`${PATH}/${await currentOf(oles)}`)
    expectRefusal(foreign, 404, 'not_found')
    expect(foreign.text).toBe((await phone.delete(`${PATH}/999999`)).text)
    expect(await isLive(oles)).toBe(true)
  })

  test('twice at once works once', async () => {
    const { phone, tablet } = await open()
    const path = `${PATH}/${await currentOf(tablet)}`
    const answers = await Promise.all([phone.delete(path), phone.delete(path)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
  })

  test('while the session is in use: what was begun is answered, and then it is over', async () => {
    const { phone, tablet } = await open()
    const id = await currentOf(tablet)
    const [ended, ...used] = await Promise.all([
      phone.delete(`${PATH}/${id}`),
      ...Array.from({ length: 20 }, () => tablet.get(ME)),
    ])
    expect(ended.status).toBe(200)
    for (const { status } of used) expect([200, 401]).toContain(status)
    expectRefusal(await tablet.get(ME), 401, 'unauthorized')
  })

  test('is not undone by the renewal of a session that was just used', async () => {
    const { app, phone, tablet } = await open()
    const id = await currentOf(tablet)
    app.clock.advance(20 * 24 * HOUR)
    await Promise.all([tablet.get(ME), phone.delete(`${PATH}/${id}`)])
    await app.idle()
    expectRefusal(await tablet.get(ME), 401, 'unauthorized')
  })
})

describe('DELETE /api/2/me/sessions', () => {
  test('ends all but the one that asks, and nobody else’s', async () => {
    const { app, phone, tablet, oles } = await open()
    const answer = await phone.delete(PATH)
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    expect([await isLive(phone), await isLive(tablet), await isLive(oles)]).toEqual([true, false, true])
    expect(sessionCount(app)).toBe(1)
    expect((await phone.delete(PATH)).status).toBe(200)
  })

  test('from two browsers at once leaves one of them, or none, but not both', async () => {
    const { phone, tablet } = await open()
    await Promise.all([phone.delete(PATH), tablet.delete(PATH)])
    expect(Number(await isLive(phone)) + Number(await isLive(tablet))).toBeLessThan(2)
  })
})
