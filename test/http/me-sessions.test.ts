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
})
