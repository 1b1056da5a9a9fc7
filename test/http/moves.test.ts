import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const PATH = '/api/2/me/moves'
const OLD = 'https://feeds.example/old'
const NEW = 'https://elsewhere.example/new'
const PAIR = { url: OLD, new_url: NEW }

const add = (client: Client, name: string, device: string, ...urls: string[]) =>
  client.post(`/api/2/subscriptions/${name}/${device}.json`, { add: urls })
const changes = async (client: Client, device: string) =>
  (await client.get(`/api/2/subscriptions/ida/${device}.json?since=1`)).json

/** Ida has `from` on the phone; its last fetch ended for good at `to`. */
async function open({ from = OLD, to = NEW }: { from?: string; to?: string } = {}) {
  const app = startTestApp({ settings: { registration: 'open' } })
  const ida = await signUp(app, 'ida')
  await add(ida, 'ida', 'phone', from)
  await app.idle()
  app.db.run('UPDATE podcasts SET moved_to = ? WHERE url = ?', [to, from])
  const offered = async () => (await ida.get(PATH)).json
  return { app, ida, offered }
}

describe('a move is offered', () => {
  test('to whoever has the feed, once however many devices have it', async () => {
    const { app, ida, offered } = await open()
    await add(ida, 'ida', 'desk', OLD)
    expect(await offered()).toEqual([{ ...PAIR, title: OLD }])
    const ole = await signUp(app, 'ole')
    expect((await ole.get(PATH)).json).toEqual([])
  })

  test.each([
    ['from http to http', 'http://a.example/f', 'http://b.example/f'],
    ['from http to https elsewhere', 'http://a.example/f', 'https://b.example/f'],
    ['to another path', OLD, 'https://feeds.example/other'],
  ])('%s', async (_what, from, to) => {
    const { offered } = await open({ from, to })
    expect(await offered()).toEqual([{ url: from, new_url: to, title: from }])
  })

  test.each([
    ['to https at the same address, which is an upgrade', 'http://a.example/f', 'https://a.example/f'],
    ['back to http', OLD, 'http://elsewhere.example/new'],
    ['to what nobody could subscribe to', OLD, 'https://somebody:secret@elsewhere.example/new'],
    ['to an address that is too long', OLD, `https://elsewhere.example/${'a'.repeat(2048)}`],
  ])('not %s', async (_what, from, to) => {
    const { offered } = await open({ from, to })
    expect(await offered()).toEqual([])
  })
})

describe('a move that is asked for', () => {
  test('exchanges the feeds on every device that has it and in their sync groups', async () => {
    const { ida, offered } = await open()
    await add(ida, 'ida', 'desk', 'https://feeds.example/x')
    await add(ida, 'ida', 'car', OLD, NEW)
    await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    const { status, json } = await ida.post(PATH, PAIR)
    expect([status, json]).toEqual([
      200,
      { status: 'ok', devices: expect.arrayContaining(['phone', 'desk', 'car']), timestamp: expect.any(Number) },
    ])
    for (const device of ['phone', 'desk', 'car'])
      expect(await changes(ida, device)).toMatchObject({ add: expect.arrayContaining([NEW]), remove: [OLD] })
    expect(await offered()).toEqual([])
  })

  test('keeps what was set for the podcast', async () => {
    const { ida } = await open()
    const settings = (url: string) => `/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(url)}`
    await ida.post(settings(OLD), { set: { public_subscription: false } })
    await ida.post(PATH, PAIR)
    expect((await ida.get(settings(NEW))).json).toEqual({ public_subscription: false })
  })

  test.each([
    ['another new address', { url: OLD, new_url: 'https://mine.example/' }, 400, 'new_url'],
    ['no new address', { url: OLD }, 400, 'new_url'],
    ['an address that is none', { url: OLD, new_url: 'javascript:alert(1)' }, 400, 'new_url'],
    ['a feed that no device has', { url: 'https://feeds.example/y', new_url: NEW }, 404, undefined],
  ])('with %s is refused and changes nothing', async (_what, body, status, field) => {
    const { ida, offered } = await open()
    expectRefusal(await ida.post(PATH, body), status, status === 404 ? 'unknown_podcast' : 'validation_failed', field)
    expect(await offered()).toEqual([{ ...PAIR, title: OLD }])
    expect(await changes(ida, 'phone')).toMatchObject({ add: [OLD], remove: [] })
  })
})
