import { expect, test } from 'bun:test'
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
    const { timestamp } = json as { timestamp: number }
    since[device] = timestamp
    return timestamp
  }

  async function poll(device: string, from = since[device] ?? 0) {
    const { timestamp, ...delta } = Object((await ida.get(`${changes(device)}?since=${from}`)).json)
    since[device] = timestamp
    return delta as { add: string[]; remove: string[] }
  }

  return {
    ...scene,
    upload,
    poll,
    /** The lists of the phone, of the laptop and of the user. */
    lists: () =>
      Promise.all(
        ['ida/phone', 'ida/laptop', 'ida'].map(async (of) => (await ida.get(`/subscriptions/${of}.txt`)).text),
      ),
    /** The feeds are fetched again, some time later. */
    async lead(next: Record<string, string[]>) {
      Object.assign(led, next)
      for (let hour = 0; hour < 30; hour++) await scene.pass(HOUR)
      await app.idle()
    },
  }
}

const texts = (...lists: string[][]) => lists.map((urls) => urls.map((url) => `${url}\n`).join(''))

test('a phone that renames silently and a laptop that never does have a podcast once, and an unsubscribe sticks', async () => {
  const { ida, upload, poll, lists, lead } = await open()
  expect(await poll('laptop')).toEqual({ add: [OLD], remove: [] })
  await poll('phone')
  await lead({ [OLD]: [NEW] })

  // A full sync of AntennaPod, twice: all that it has, under the names that it has by now.
  const first = await upload('phone', { add: [NEW], remove: [] })
  expect(await upload('phone', { add: [NEW], remove: [] })).toBe(first)
  expect(await poll('phone', 0)).toEqual({ add: [NEW], remove: [] })
  expect(await poll('laptop')).toEqual({ add: [], remove: [] })
  expect(await lists()).toEqual(texts([NEW], [OLD], [NEW]))
  expect((await ida.get('/api/2/me/subscriptions')).json).toMatchObject([{ url: NEW, devices: ['phone', 'laptop'] }])
  const podcast = await ida.get(`/api/2/me/podcast?url=${encodeURIComponent(NEW)}`)
  expect(podcast.json).toMatchObject({ devices: [{ subscribed: true }, { subscribed: true }] })

  await upload('phone', { add: [], remove: [NEW] })
  expect((await poll('laptop')).remove).toContain(OLD)
  expect(await lists()).toEqual(texts([], [], []))
  expect(await poll('fresh', 0)).toEqual({ add: [], remove: [] })
})

test('a phone that follows the feed without a word is told that it is gone, and that it is back', async () => {
  const { upload, poll, lists, lead } = await open()
  await poll('phone')
  await poll('laptop')
  await lead({ [OLD]: [NEW] })
  await upload('laptop', { add: [], remove: [OLD] })
  expect((await poll('phone')).remove).toEqual([OLD, NEW])
  await upload('laptop', { add: [NEW] })
  expect(await poll('phone')).toEqual({ add: [NEW], remove: [] })
  expect(await lists()).toEqual(texts([NEW], [NEW], [NEW]))
})

test('a move stays known while the feed cannot be fetched, and is forgotten when the old address answers', async () => {
  const { app, script, pass, upload, lists, lead } = await open()
  await lead({ [OLD]: [NEW] })
  script.answer = async () => failed()
  for (let hour = 0; hour < 30; hour++) await pass(HOUR)
  await upload('phone', { add: [NEW] })
  expect((await lists())[0]).toEqual(`${NEW}\n`)
  script.answer = async () => UNCHANGED
  for (let day = 0; day < 10; day++) await pass(24 * HOUR)
  await app.idle()
  await upload('phone', { add: [OLD] })
  expect((await lists())[0]).toEqual(`${NEW}\n${OLD}\n`)
})

test('a feed that leads elsewhere each time leads only to where it did last', async () => {
  const { app, upload, lists, lead } = await open()
  const places = Array.from({ length: 5 }, (_, n) => `https://place${n}.example/feed`)
  for (const place of places) await lead({ [OLD]: [place] })
  expect(await app.rowsOf('SELECT 1 FROM address_relations')).toHaveLength(2)
  await upload('phone', { add: [places[0]] })
  expect((await lists())[0]).toEqual(`${OLD}\n${places[0]}\n`)
  await upload('phone', { add: [places[4]] })
  expect((await lists())[0]).toEqual(`${places[4]}\n${places[0]}\n`)
})

test('somebody who has neither address does not see the new one', async () => {
  const { ida, upload, lead } = await open()
  await lead({ [OLD]: [NEW] })
  await upload('phone', { remove: [OLD] })
  expect((await ida.get('/search.json?q=new.example')).json).toEqual([])
})

test('an exchange that is asked for leaves no member of the group with two', async () => {
  const { app, ida, upload, lists, lead } = await open()
  await lead({ [OLD]: [NEW, OTHER] })
  await upload('phone', { add: [NEW] })
  await lead({ [NEW]: [OTHER] })
  await app.rowsOf('UPDATE podcasts SET moved_to = $1 WHERE url = $2', OTHER, OLD)
  expect((await ida.post('/api/2/me/moves', { url: OLD, new_url: OTHER })).status).toBe(200)
  expect((await lists()).slice(0, 2)).toEqual(texts([NEW], [OTHER]))
})
