import { describe, expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { UNCHANGED } from '../../support/feed-source.ts'

/** Apps and a server while a feed moves (docs/protocol.md#D83). */

const OLD = 'http://old.example/feed'
const NEW = 'https://new.example/feed'
const OTHER = 'https://other.example/feed'
const HOUR = 3600

/** A phone and a laptop in one sync group; `lead` says from then on where the servers of feeds lead. */
async function open() {
  const scene = await openFeedScene([OLD])
  const { ida, app, script } = scene
  const led: Record<string, string[]> = {}
  script.answer = async ({ url }) => feedOf('', { document: feedDocument(), leads: led[url] ?? [] })
  await ida.post('/api/2/devices/ida/laptop.json')
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'laptop']] })
  const changes = (device: string) => `/api/2/subscriptions/ida/${device}.json`
  const since: Record<string, number> = {}

  async function upload(device: string, body: unknown): Promise<number> {
    const { status, json } = await ida.post(changes(device), body)
    expect([status, json]).toEqual([200, { timestamp: expect.any(Number), update_urls: [] }])
    since[device] = Reflect.get(Object(json), 'timestamp')
    return since[device] ?? 0
  }

  async function poll(device: string, from = since[device] ?? 0) {
    const { json } = await ida.get(`${changes(device)}?since=${from}`)
    since[device] = Reflect.get(Object(json), 'timestamp')
    return { add: [Reflect.get(Object(json), 'add')].flat(), remove: [Reflect.get(Object(json), 'remove')].flat() }
  }

  return {
    ...scene,
    upload,
    poll,
    list: async (device: string) => [(await ida.get(`/subscriptions/ida/${device}.json`)).json].flat(),
    all: async () =>
      [(await ida.get('/subscriptions/ida.json')).json].flat().map((podcast) => Reflect.get(Object(podcast), 'url')),
    /** The feeds are fetched again, some time later. */
    async lead(next: Record<string, string[]>) {
      Object.assign(led, next)
      for (let hour = 0; hour < 30; hour++) await scene.pass(HOUR)
      await app.idle()
    },
  }
}

describe('while a feed moves', () => {
  test('a phone that renames silently and a laptop that never does have it once, and an unsubscribe sticks', async () => {
    const { ida, upload, poll, list, all, lead } = await open()
    expect(await poll('laptop')).toEqual({ add: [OLD], remove: [] })
    await poll('phone')
    await lead({ [OLD]: [NEW] })

    // A full sync of AntennaPod, twice: all that it has, under the names that it has by now.
    const first = await upload('phone', { add: [NEW], remove: [] })
    expect(await upload('phone', { add: [NEW], remove: [] })).toBe(first)
    expect(await poll('phone', 0)).toEqual({ add: [NEW], remove: [] })
    expect(await poll('laptop')).toEqual({ add: [], remove: [] })
    expect([await list('phone'), await list('laptop'), await all()]).toEqual([[NEW], [OLD], [NEW]])
    expect((await ida.get('/api/2/me/subscriptions')).json).toMatchObject([{ url: NEW, devices: ['phone', 'laptop'] }])
    const podcast = await ida.get(`/api/2/me/podcast?url=${encodeURIComponent(NEW)}`)
    expect(podcast.json).toMatchObject({ devices: [{ subscribed: true }, { subscribed: true }] })

    await upload('phone', { add: [], remove: [NEW] })
    expect((await poll('laptop')).remove).toContain(OLD)
    expect([await list('phone'), await list('laptop'), await all()]).toEqual([[], [], []])
    expect(await poll('fresh', 0)).toEqual({ add: [], remove: [] })
  })

  test('an unsubscribe from an address that nothing leads to yet changes nothing', async () => {
    const { upload, poll, list, lead } = await open()
    await poll('laptop')
    await upload('phone', { remove: [NEW] })
    await lead({ [OLD]: [NEW] })
    expect(await poll('laptop')).toEqual({ add: [], remove: [] })
    await upload('phone', { remove: [NEW] })
    expect(await poll('laptop')).toEqual({ add: [], remove: [OLD, NEW] })
    expect([await list('phone'), await list('laptop')]).toEqual([[], []])
  })

  test('a phone that has told nobody is still told that it is gone, and where it lives a laptop may say so', async () => {
    const { upload, poll, list, lead } = await open()
    await poll('phone')
    await poll('laptop')
    await lead({ [OLD]: [NEW] })
    await upload('laptop', { add: [], remove: [OLD] })
    expect((await poll('phone')).remove).toEqual([OLD, NEW])
    await upload('laptop', { add: [NEW] })
    expect(await poll('phone')).toEqual({ add: [NEW], remove: [] })
    expect(await list('laptop')).toEqual([NEW])
  })

  test('it is one while it goes on to a third address, and comes back', async () => {
    const { upload, poll, list, lead } = await open()
    await poll('laptop')
    await lead({ [OLD]: [NEW] })
    await upload('phone', { add: [NEW] })
    await lead({ [OLD]: [NEW, OTHER], [NEW]: [OTHER] })
    await upload('phone', { add: [OTHER] })
    expect([await list('phone'), await list('laptop')]).toEqual([[OTHER], [OLD]])
    await lead({ [OLD]: [], [NEW]: [OTHER, OLD], [OTHER]: [OLD] })
    expect(await poll('laptop')).toEqual({ add: [], remove: [] })
    await upload('phone', { remove: [OLD] })
    expect([await list('phone'), await list('laptop')]).toEqual([[], []])
  })

  test('what it was stays known when it cannot be had, and is forgotten when it is there again', async () => {
    const { app, script, pass, upload, list, lead } = await open()
    await lead({ [OLD]: [NEW] })
    script.answer = async () => failed()
    for (let hour = 0; hour < 30; hour++) await pass(HOUR)
    await upload('phone', { add: [NEW] })
    expect(await list('phone')).toEqual([NEW])
    script.answer = async () => UNCHANGED
    for (let day = 0; day < 10; day++) await pass(24 * HOUR)
    await app.idle()
    await upload('phone', { add: [OLD] })
    expect(await list('phone')).toEqual([NEW, OLD])
  })

  test('a feed that leads elsewhere each time leads only to where it did last', async () => {
    const { app, upload, list, lead } = await open()
    const places = Array.from({ length: 5 }, (_, n) => `https://place${n}.example/feed`)
    for (const place of places) await lead({ [OLD]: [place] })
    expect(app.db.query('SELECT COUNT(*) FROM address_relations').values()).toEqual([[2]])
    await upload('phone', { add: [places[0]] })
    expect(await list('phone')).toEqual([OLD, places[0]])
    await upload('phone', { add: [places[4]] })
    expect(await list('phone')).toEqual([places[4], places[0]])
  })

  test('a feed that claims the guid of another is not one with it', async () => {
    const { script, upload, list, pass } = await open()
    script.answer = async () => feedOf('', { document: feedDocument({ guid: 'the same' }) })
    await upload('phone', { add: [OTHER] })
    for (let hour = 0; hour < 30; hour++) await pass(HOUR)
    await upload('phone', { remove: [OTHER] })
    expect(await list('phone')).toEqual([OLD])
  })

  test('nobody who has neither address is told anything', async () => {
    const { app, upload, lead } = await open()
    await lead({ [OLD]: [NEW] })
    await upload('phone', { remove: [OLD] })
    const { fetch } = app
    const search = await fetch(new Request('http://localhost/search.json?q=new.example'))
    expect(await search.json()).toEqual([])
  })

  test('an exchange that is asked for leaves no member of the group with two', async () => {
    const { app, ida, upload, list, lead } = await open()
    await lead({ [OLD]: [NEW, OTHER] })
    await upload('phone', { add: [NEW] })
    await lead({ [NEW]: [OTHER] })
    app.db.run('UPDATE podcasts SET moved_to = ?1 WHERE url = ?2', [OTHER, OLD])
    expect((await ida.post('/api/2/me/moves', { url: OLD, new_url: OTHER })).status).toBe(200)
    expect([await list('phone'), await list('laptop')]).toEqual([[NEW], [OTHER]])
  })
})
