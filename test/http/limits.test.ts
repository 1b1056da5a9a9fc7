import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, type Client, clientOf, signUp } from '../support/client.ts'
import { expectError } from './error.ts'

/** Limits of a request and of a user: the limit itself is accepted; one more is refused and changes nothing. */

const EPISODES = '/api/2/episodes/ida.json'
const FEEDS = 5000
const ACTIONS = 50_000

const feeds = (count: number) => Array.from({ length: count }, (_, n) => `https://feeds.example/${n}`)
const outlines = (urls: readonly string[]) => urls.map((url) => `<outline xmlUrl="${url}"/>`).join('\n')
const actions = (urls: readonly string[]) =>
  urls.map((episode) => ({ podcast: 'https://a.example/f', episode, action: 'new' }))

const upload = (ida: Client, device: string, body: object) => ida.post(`/api/2/subscriptions/ida/${device}.json`, body)
const put = (ida: Client, device: string, urls: readonly string[]) => ida.put(`/subscriptions/ida/${device}.json`, urls)

type Send = (ida: Client, urls: readonly string[]) => Promise<Answer>

test.each<[string, number, Send]>([
  ['feeds to add', FEEDS, (ida, urls) => upload(ida, 'phone', { add: urls })],
  [
    'feeds to add and to remove',
    FEEDS,
    (ida, urls) => upload(ida, 'phone', { add: urls.slice(1), remove: ['https://gone.example/'] }),
  ],
  ['feeds of a list as JSON', FEEDS, (ida, urls) => put(ida, 'phone', urls)],
  ['feeds of a list as text', FEEDS, (ida, urls) => ida.put('/subscriptions/ida/phone.txt', urls.join('\n'))],
  ['feeds of OPML', FEEDS, (ida, urls) => ida.put('/subscriptions/ida/phone.opml', `<opml>${outlines(urls)}</opml>`)],
  ['actions', ACTIONS, (ida, urls) => ida.post(EPISODES, actions(urls))],
])('%s are limited to %i per request: one more is refused and changes nothing', async (_what, most, send) => {
  const ida = await signUp(startTestApp())
  const kept = async () => (await ida.get('/subscriptions/ida.txt')).text + (await ida.get(EPISODES)).text
  const refused = await send(ida, feeds(most + 1))
  expectError(refused, 413, 'payload_too_large')
  expect(refused.text).toContain(String(most))
  expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([])
  expect((await ida.get(EPISODES)).json).toMatchObject({ actions: [] })

  // Repeated values count, but are stored once.
  const repeated = Array<string>(most).fill('https://feeds.example/0')
  expect((await send(ida, repeated)).status).toBe(200)
  expect((await kept()).match(/feeds\.example/g)).toHaveLength(1)
})

test('all feeds of the largest request are kept', async () => {
  const ida = await signUp(startTestApp())
  expect((await upload(ida, 'phone', { add: feeds(FEEDS) })).status).toBe(200)
  expect((await ida.get('/subscriptions/ida.txt')).text.match(/feeds\.example/g)).toHaveLength(FEEDS)
})

test('5,000 rejected feeds are all reported, in strings', async () => {
  const ida = await signUp(startTestApp())
  const { status, text } = await upload(ida, 'phone', {
    add: feeds(FEEDS).map((feed) => feed.replace('https', 'gopher')),
  })
  expect([status, text.match(/\["gopher:[^"]*",""\]/g)?.length]).toEqual([200, FEEDS])
})

const feed = (name: string) => `https://${name}.example/f`
const [A, B, C, D] = [feed('a'), feed('b'), feed('c'), feed('d')]
const [E, F, G] = [feed('e'), feed('f'), feed('g')]

async function open(db?: ReturnType<typeof openMemoryDatabase>) {
  const app = startTestApp({
    ...(db && { db }),
    settings: { max_subscriptions: '4', max_devices: '2', max_settings: '2' },
  })
  const ida = db ? clientOf(app, basic('ida', 'seaglass')) : await signUp(app)
  /** All data that quotas limit. */
  const everything = async () => (await ida.get('/api/2/me/export')).text.replace(/"exported":"[^"]*"/, '')
  /** Expects an error that names the setting, and no change. */
  async function expectOver(setting: string, attempt: () => Promise<Answer>) {
    const before = await everything()
    const refused = await attempt()
    expectError(refused, 409, 'quota_exceeded')
    expect(refused.text).toContain(setting)
    expect(await everything()).toBe(before)
  }
  const expectTooMany = (attempt: () => Promise<Answer>) => expectOver('max_subscriptions', attempt)
  return { app, ida, expectOver, expectTooMany }
}

const ok = { status: 200 }

describe('the number of subscriptions of a user, over all devices', () => {
  test('is limited in uploads', async () => {
    const { app, ida, expectTooMany } = await open()
    expect(await upload(ida, 'phone', { add: [A, B, C] })).toMatchObject(ok)
    expect(await upload(ida, 'desk', { add: [A] })).toMatchObject(ok)
    await expectTooMany(() => upload(ida, 'desk', { add: [B] }))
    await expectTooMany(() => upload(ida, 'phone', { add: [D, E], remove: [A] }))
    expect(await upload(ida, 'phone', { add: [D], remove: [A] })).toMatchObject(ok)
    expect(await upload(ida, 'phone', { add: [B, C, D] })).toMatchObject(ok)
    const bo = await signUp(app, 'bo')
    expect(await bo.put('/subscriptions/bo/phone.json', [A, B, C, D])).toMatchObject(ok)
  })

  test('is limited in lists, and falls with removed podcasts and devices', async () => {
    const { ida, expectTooMany } = await open()
    expect(await put(ida, 'phone', [A, B, C, D])).toMatchObject(ok)
    await expectTooMany(() => put(ida, 'phone', [A, B, C, D, E]))
    expect(await put(ida, 'phone', [B, C, D, E])).toMatchObject(ok)
    await expectTooMany(() => put(ida, 'desk', [A]))
    await ida.delete('/api/2/devices/ida/phone.json')
    expect(await put(ida, 'desk', [A, B, C, D])).toMatchObject(ok)
  })

  test('is limited for the other devices of a sync group, and when a group is created', async () => {
    const { ida, expectTooMany } = await open()
    const group = () => ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    await upload(ida, 'phone', { add: [A, B] })
    await upload(ida, 'desk', { add: [C] })
    await expectTooMany(group)
    await upload(ida, 'desk', { remove: [C] })
    expect(await group()).toMatchObject(ok)
    await expectTooMany(() => upload(ida, 'phone', { add: [C] }))
    await expectTooMany(() => put(ida, 'desk', [A, B, C]))
    expect(await put(ida, 'desk', [A, C])).toMatchObject(ok)
  })

  test('may stay above a lowered limit: podcasts can be exchanged and removed, but not added', async () => {
    const db = openMemoryDatabase()
    const before = startTestApp({ db })
    await put(await signUp(before), 'phone', [A, B, C, D, E, F])
    await before.idle()
    before.end()
    // Both applications create the same tokens, since their randomness is seeded alike.
    db.run('DELETE FROM sessions')
    const { ida, expectTooMany } = await open(db)
    await expectTooMany(() => upload(ida, 'phone', { add: [G] }))
    expect(await upload(ida, 'phone', { add: [A, B] })).toMatchObject(ok)
    expect(await upload(ida, 'phone', { add: [G], remove: [A] })).toMatchObject(ok)
    expect(await put(ida, 'phone', [A, B, C, D, E])).toMatchObject(ok)
  })
})

test.each<[string, (ida: Client) => Promise<Answer>]>([
  ['when they are created', (ida) => ida.post('/api/2/devices/ida/third.json', {})],
  ['in uploads of changes', (ida) => upload(ida, 'third', { add: [A] })],
  ['in lists', (ida) => put(ida, 'third', [A])],
  ['in actions', (ida) => ida.post(EPISODES, [{ podcast: A, episode: B, action: 'new', device: 'third' }])],
])('the number of devices of a user is limited %s', async (_way, make) => {
  const { ida, expectOver } = await open()
  await ida.post('/api/2/devices/ida/phone.json', {})
  expect(await make(ida)).toMatchObject(ok)
  await ida.delete('/api/2/devices/ida/third.json')
  await ida.post('/api/2/devices/ida/desk.json', {})
  await expectOver('max_devices', () => make(ida))
  expect(await upload(ida, 'desk', { add: [B] })).toMatchObject(ok)
})

test('the number of podcasts and episodes with settings is limited', async () => {
  const { ida, expectOver } = await open()
  const set = (podcast: string, change: object) =>
    ida.post(`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(podcast)}`, change)
  for (const url of [A, B]) expect(await set(url, { set: { a: 1 } })).toMatchObject(ok)
  await expectOver('max_settings', () => set(C, { set: { a: 1 } }))
  expect(await set(B, { set: { b: 1 } })).toMatchObject(ok)
  await set(A, { remove: ['a'] })
  expect(await set(C, { set: { a: 1 } })).toMatchObject(ok)
})
