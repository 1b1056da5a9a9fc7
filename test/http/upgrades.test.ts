import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const PATH = '/api/2/me/upgrades'
const HTTP = 'http://feeds.example/a'
const HTTPS = 'https://feeds.example/a'
const PAIR = { http_url: HTTP, https_url: HTTPS }

const add = (client: Client, name: string, device: string, ...urls: string[]) =>
  client.post(`/api/2/subscriptions/${name}/${device}.json`, { add: urls })
const changes = async (client: Client, device: string, since: unknown) =>
  (await client.get(`/api/2/subscriptions/ida/${device}.json?since=${since}`)).json

/** Ida, and Ole, whose subscription makes the https feed known. */
async function open({ known = true } = {}) {
  const app = startTestApp({ settings: { registration: 'open' } })
  const ida = await signUp(app, 'ida')
  const ole = await signUp(app, 'ole')
  if (known) await add(ole, 'ole', 'phone', HTTPS)
  const offered = async () => (await ida.get(PATH)).json
  return { app, ida, ole, offered }
}

describe('an upgrade is offered', () => {
  test('for a feed by http that somebody has by https, once however many devices have it', async () => {
    const { ida, offered } = await open()
    await add(ida, 'ida', 'phone', HTTP)
    await add(ida, 'ida', 'desk', HTTP)
    expect(await offered()).toEqual([{ ...PAIR, title: HTTP }])
  })

  test.each([
    [
      'was fetched once',
      "INSERT INTO podcasts (url, created_at, succeeded_at, is_secret, is_private) VALUES ('https://feeds.example/a', 0, 1, 0, 0)",
    ],
    ['is where the http feed leads', "UPDATE podcasts SET moved_to = 'https://feeds.example/a'"],
  ])('when the https feed %s', async (_how, sql) => {
    const { app, ida, offered } = await open({ known: false })
    await add(ida, 'ida', 'phone', HTTP)
    expect(await offered()).toEqual([])
    app.db.run(sql)
    expect(await offered()).toEqual([{ ...PAIR, title: HTTP }])
  })

  test.each([
    [
      'nobody has ever had it',
      "DELETE FROM subscriptions WHERE podcast_id = (SELECT id FROM podcasts WHERE url LIKE 'https%')",
    ],
    [
      'the http feed leads elsewhere',
      "UPDATE podcasts SET moved_to = 'https://feeds.example/b' WHERE url LIKE 'http:%'",
    ],
  ])('not when %s', async (_why, sql) => {
    const { app, ida, offered } = await open({ known: false })
    await add(ida, 'ida', 'phone', HTTP)
    await add(ida, 'ida', 'desk', 'https://feeds.example/c')
    app.db.run(sql)
    expect(await offered()).toEqual([])
  })

  test('not for a device that has both, but for another one that has not', async () => {
    const { ida, offered } = await open()
    await add(ida, 'ida', 'phone', HTTP, HTTPS)
    expect(await offered()).toEqual([])
    await add(ida, 'ida', 'desk', HTTP)
    expect(await offered()).toEqual([{ ...PAIR, title: HTTP }])
  })

  test('not for other paths, ports and hosts, nor for feeds that are gone from all devices', async () => {
    const { ida, offered } = await open()
    const others = [
      'http://feeds.example/A',
      'http://feeds.example:8080/a',
      'http://feeds.example/a?b',
      'http://other.example/a',
    ]
    await add(ida, 'ida', 'phone', HTTP, ...others)
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [HTTP] })
    expect(await offered()).toEqual([])
  })
})

describe('an upgrade that is asked for', () => {
  test('exchanges the feeds on every device that has it, and every one of them learns of it', async () => {
    const { ida, offered } = await open()
    await add(ida, 'ida', 'phone', HTTP, 'https://feeds.example/x')
    await add(ida, 'ida', 'desk', HTTP, HTTPS)
    await add(ida, 'ida', 'car', 'https://feeds.example/x')
    const before = await Promise.all(['phone', 'desk', 'car'].map((device) => changes(ida, device, 0)))
    const since = Math.max(
      ...before.map((each) => Number(Object.entries(each ?? {}).find(([key]) => key === 'timestamp')?.[1])),
    )
    const { status, json } = await ida.post(PATH, PAIR)
    expect([status, json]).toEqual([200, { status: 'ok', devices: ['phone', 'desk'], timestamp: expect.any(Number) }])
    expect(await changes(ida, 'phone', since)).toMatchObject({ add: [HTTPS], remove: [HTTP] })
    expect(await changes(ida, 'desk', since)).toMatchObject({ add: [], remove: [HTTP] })
    expect(await changes(ida, 'car', since)).toMatchObject({ add: [], remove: [] })
    expect(await offered()).toEqual([])
  })

  test('keeps what was set for the podcast, such as that nobody is to know of it, unless that was set anew', async () => {
    const { app, ida } = await open()
    await add(ida, 'ida', 'phone', HTTP)
    const settings = (url: string) => `/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(url)}`
    await ida.post(settings(HTTP), { set: { public_subscription: false } })
    await ida.post(PATH, PAIR)
    expect((await ida.get(settings(PAIR.https_url))).json).toEqual({ public_subscription: false })
    await app.idle()
  })

  test.each([
    [
      'a feed nobody has',
      { http_url: 'http://feeds.example/z', https_url: 'https://feeds.example/z' },
      404,
      'unknown_podcast',
      undefined,
    ],
    [
      'a feed only others have',
      { http_url: 'http://feeds.example/o', https_url: 'https://feeds.example/o' },
      404,
      'unknown_podcast',
      undefined,
    ],
    ['another https feed', { ...PAIR, https_url: 'https://feeds.example/b' }, 400, 'validation_failed', 'https_url'],
    ['an http feed instead', { ...PAIR, https_url: HTTP }, 400, 'validation_failed', 'https_url'],
    ['nonsense', { ...PAIR, https_url: 'nonsense' }, 400, 'validation_failed', 'https_url'],
    [
      'a feed whose https twin is unknown',
      { http_url: 'http://feeds.example/u', https_url: 'https://feeds.example/u' },
      400,
      'validation_failed',
      'https_url',
    ],
    ['no https_url', { http_url: HTTP }, 400, 'validation_failed', 'https_url'],
    ['no http_url', { https_url: HTTPS }, 400, 'validation_failed', 'http_url'],
    ['a number', { ...PAIR, http_url: 1 }, 400, 'validation_failed', 'http_url'],
  ])('for %s is refused and changes nothing', async (_case, body, status, word, field) => {
    const { app, ida, ole } = await open()
    await add(ida, 'ida', 'phone', HTTP, 'http://feeds.example/u')
    await add(ole, 'ole', 'desk', 'http://feeds.example/o', 'https://feeds.example/o')
    const before = stored(app)
    expectRefusal(await ida.post(PATH, body), status, word, field)
    expect(stored(app)).toBe(before)
  })
})
