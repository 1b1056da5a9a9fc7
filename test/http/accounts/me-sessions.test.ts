import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'

const PATH = '/api/2/me/sessions'
const ME = '/api/2/me'
const HOUR = 3600
const FIREFOX = 'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

/** Ida with two browsers and an app that sends the password each time, and Ole. */
async function open() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const desk = await signUp(app)
  await signUp(app, 'ole', 'driftwood')
  async function browser(name: string, password: string): Promise<Client> {
    const client = clientOf(app, { ...basic(name, password), 'user-agent': FIREFOX })
    return clientOf(app, { ...cookieOf(await client.post(`/api/2/auth/${name}/login.json`)), 'user-agent': FIREFOX })
  }
  const [phone, tablet] = [await browser('ida', 'seaglass'), await browser('ida', 'seaglass')]
  return { app, desk, phone, tablet, oles: await browser('ole', 'driftwood') }
}

const isLive = async (client: Client) => (await client.get(ME)).status === 200
const listed = ({ json }: Answer): { id: number; current: boolean }[] => (Array.isArray(json) ? json : [])
const currentOf = async (client: Client) => listed(await client.get(PATH)).find(({ current }) => current)?.id ?? 0

test('the live sessions are listed, last used first, and which one asks', async () => {
  const { app, desk, phone } = await open()
  app.clock.advance(2 * HOUR)
  await desk.get(ME, { headers: { 'user-agent': 'AntennaPod/3.7.0' } })
  const at = (hour: number, day: string) => `2025-${day}T${hour}:00:00`
  const session = (hour: number) => ({
    id: expect.any(Number),
    created: at(hour, '03-02'),
    last_used: at(hour, '03-02'),
    expires: at(hour, '04-01'),
    current: false,
  })
  expect((await phone.get(PATH)).json).toEqual([
    { ...session(12), client: 'AntennaPod' },
    { ...session(10), client: 'Firefox on Android' },
    { ...session(10), current: true, client: 'Firefox on Android' },
  ])
  await app.idle()
  expect((await phone.get(PATH)).json).toMatchObject([
    { client: 'AntennaPod' },
    { last_used: '2025-03-02T12:00:00', current: true },
    { current: false },
  ])
  app.clock.advance(29 * 24 * HOUR)
  await phone.get(ME)
  await app.idle()
  app.clock.advance(2 * 24 * HOUR)
  expect((await phone.get(PATH)).json).toMatchObject([{ current: true }])
})

test('to end a session throws out whoever holds it at once, and nobody else', async () => {
  const { phone, tablet, oles } = await open()
  const answer = await phone.delete(`${PATH}/${await currentOf(tablet)}`)
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([200, { status: 'ok' }, null])
  expectError(await tablet.get(ME), 401, 'unauthorized')
  expect([await isLive(phone), await isLive(oles)]).toEqual([true, true])
})

test('to end somebody else’s is refused in the same words as one that does not exist', async () => {
  const { app, phone, oles } = await open()
  const foreign = await phone.delete(`${PATH}/${await currentOf(oles)}`)
  expectError(foreign, 404, 'not_found')
  for (const id of ['999999', '999999999999999']) expect((await phone.delete(`${PATH}/${id}`)).text).toBe(foreign.text)
  expect([await isLive(oles), sessionCount(app)]).toEqual([true, 2])
})

test('to end all others keeps the one that asks, and everybody else’s', async () => {
  const { app, phone, tablet, oles } = await open()
  const answer = await phone.delete(PATH)
  expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
  expect([await isLive(phone), await isLive(tablet), await isLive(oles)]).toEqual([true, false, true])
  expect(sessionCount(app)).toBe(1)
  expect((await phone.delete(PATH)).status).toBe(200)
})
