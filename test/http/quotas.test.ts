import { describe, expect, test } from 'bun:test'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { startTestApp } from '../support/app.ts'
import { type Answer, type Client, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const C = 'https://c.example/f'
const D = 'https://d.example/f'
const E = 'https://e.example/f'
const F = 'https://f.example/f'
const G = 'https://g.example/f'
const SETTINGS = { max_subscriptions: '4', max_devices: '2', max_settings: '2' }

async function open() {
  const app = startTestApp({ settings: SETTINGS })
  const ida = await signUp(app)
  /** Everything that a quota is about. */
  const everything = async () => (await ida.get('/api/2/me/export')).text.replace(/"exported":"[^"]*"/, '')
  return { app, ida, everything }
}

/** Refused with words that name the limit and the setting, and nothing is changed. */
async function expectOver(attempt: () => Promise<Answer>, everything: () => Promise<string>, setting: string) {
  const before = await everything()
  const refused = await attempt()
  expectRefusal(refused, 409, 'quota_exceeded')
  expect(refused.text).toContain(setting)
  expect(await everything()).toBe(before)
}

const upload = (ida: Client, device: string, body: object) => ida.post(`/api/2/subscriptions/ida/${device}.json`, body)
const put = (ida: Client, device: string, urls: readonly string[]) => ida.put(`/subscriptions/ida/${device}.json`, urls)

describe('subscriptions, over all devices', () => {
  test('may be exactly so many, and no more by an upload', async () => {
    const { ida, everything } = await open()
    expect((await upload(ida, 'phone', { add: [A, B, C] })).status).toBe(200)
    expect((await upload(ida, 'desk', { add: [A] })).status).toBe(200)
    await expectOver(() => upload(ida, 'desk', { add: [B] }), everything, 'max_subscriptions')
    await expectOver(() => upload(ida, 'phone', { add: [D, E], remove: [A] }), everything, 'max_subscriptions')
    expect((await upload(ida, 'phone', { add: [D], remove: [A] })).status).toBe(200)
    expect((await upload(ida, 'phone', { add: [B, C, D] })).status).toBe(200)
  })

  test('nor by a list', async () => {
    const { ida, everything } = await open()
    expect((await put(ida, 'phone', [A, B, C, D])).status).toBe(200)
    await expectOver(() => put(ida, 'phone', [A, B, C, D, E]), everything, 'max_subscriptions')
    expect((await put(ida, 'phone', [B, C, D, E])).status).toBe(200)
    await expectOver(() => put(ida, 'desk', [A]), everything, 'max_subscriptions')
  })

  test('nor by what reaches the other devices of a group', async () => {
    const { ida, everything } = await open()
    await upload(ida, 'phone', { add: [A] })
    await upload(ida, 'desk', {})
    await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    expect((await upload(ida, 'phone', { add: [B] })).status).toBe(200)
    await expectOver(() => upload(ida, 'phone', { add: [C] }), everything, 'max_subscriptions')
    await expectOver(() => put(ida, 'desk', [A, B, C]), everything, 'max_subscriptions')
    expect((await put(ida, 'desk', [A, C])).status).toBe(200)
  })

  test('nor by bringing devices together', async () => {
    const { ida, everything } = await open()
    await upload(ida, 'phone', { add: [A, B] })
    await upload(ida, 'desk', { add: [C] })
    const group = () => ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    await expectOver(group, everything, 'max_subscriptions')
    await upload(ida, 'desk', { add: [B], remove: [C] })
    expect((await group()).status).toBe(200)
  })

  test('make room when they go, with their device as well', async () => {
    const { ida } = await open()
    await put(ida, 'phone', [A, B, C, D])
    await upload(ida, 'phone', { remove: [A] })
    expect((await upload(ida, 'phone', { add: [E] })).status).toBe(200)
    await ida.delete('/api/2/devices/ida/phone.json')
    expect((await put(ida, 'desk', [A, B, C, D])).status).toBe(200)
  })

  test('of somebody who has more, from times without a limit, can be exchanged and removed but not added to', async () => {
    const { app, ida, everything } = await open()
    await app.idle()
    const store = createSqliteStore(app.db)
    const user = await store.users.findByName('ida')
    if (!user) throw new Error('the user is not known')
    await store.subscriptions.replace(user.id, 'phone', [A, B, C, D, E, F], app.clock.seconds())
    await store.idle()
    await expectOver(() => upload(ida, 'phone', { add: [G] }), everything, 'max_subscriptions')
    expect((await upload(ida, 'phone', { add: [A, B] })).status).toBe(200)
    expect((await upload(ida, 'phone', { add: [G], remove: [A] })).status).toBe(200)
    expect((await put(ida, 'phone', [A, B, C, D, E])).status).toBe(200)
  })

  test('of one user are nothing to the others', async () => {
    const { app, ida } = await open()
    await put(ida, 'phone', [A, B, C, D])
    const bo = await signUp(app, 'bo')
    expect((await bo.put('/subscriptions/bo/phone.json', [A, B, C, D])).status).toBe(200)
  })
})

describe('devices', () => {
  const ways: [string, (ida: Client) => Promise<Answer>][] = [
    ['by themselves', (ida) => ida.post('/api/2/devices/ida/third.json', {})],
    ['by an upload of changes', (ida) => upload(ida, 'third', { add: [A] })],
    ['by a list', (ida) => put(ida, 'third', [A])],
    [
      'by an action',
      (ida) => ida.post('/api/2/episodes/ida.json', [{ podcast: A, episode: B, action: 'new', device: 'third' }]),
    ],
  ]

  test.each(ways)('may be exactly so many, and no more %s', async (_, make) => {
    const { ida, everything } = await open()
    await ida.post('/api/2/devices/ida/phone.json', {})
    expect((await make(ida)).status).toBe(200)
    await ida.delete('/api/2/devices/ida/third.json')
    await ida.post('/api/2/devices/ida/desk.json', {})
    await expectOver(() => make(ida), everything, 'max_devices')
    expect((await upload(ida, 'desk', { add: [B] })).status).toBe(200)
  })
})

test('settings may be of exactly so many things', async () => {
  const { ida, everything } = await open()
  const set = (podcast: string, change: object) =>
    ida.post(`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(podcast)}`, change)
  expect((await set(A, { set: { a: 1 } })).status).toBe(200)
  expect((await set(B, { set: { a: 1 } })).status).toBe(200)
  await expectOver(() => set(C, { set: { a: 1 } }), everything, 'max_settings')
  expect((await set(B, { set: { b: 1 } })).status).toBe(200)
  await set(A, { remove: ['a'] })
  expect((await set(C, { set: { a: 1 } })).status).toBe(200)
})
