import { expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { REASONS } from '../feeds/on-demand-scene.ts'
import { A, B, CHANGES, PHONE } from './scene.ts'

const LIST = '/api/2/me/subscriptions'
const pathOf = (url: string) => `/api/2/me/podcast?url=${encodeURIComponent(url)}`

async function open() {
  const scene = await openFeedScene([], { settings: { rate_limit: 'false' } })
  const { app, ida, script, runJob } = scene
  return {
    ...scene,
    ole: await signUp(app, 'ole', 'driftwood'),
    change: (device: string, body: { add?: string[]; remove?: string[] }) =>
      ida.post(`/api/2/subscriptions/ida/${device}.json`, body),
    /** Publishes a document as every feed, and fetches the feeds. */
    async publish(document: ReturnType<typeof feedDocument>) {
      script.answer = async () => feedOf('', { document })
      await runJob()
    },
  }
}

const COMMON = { language: 'en', added: '2025-03-02T10:00:00', private: false, health: { state: 'ok', since: '' } }

test('the list has the contents of each feed, its devices and its health', async () => {
  const { ida, ole, change, publish } = await open()
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
  for (const device of ['phone', 'desk']) await change(device, { add: [A] })
  const episodes = [1_740_000_000, 1_740_900_000, undefined].map((released, n) =>
    feedEpisode({ url: `https://cdn.example/${n}`, guid: `${n}`, released }),
  )
  await publish(feedDocument({ episodes, description: `<p>${'Boats &amp; birds. '.repeat(1000)}</p>` }))
  const { json, text } = await ida.get(LIST)
  expect(json).toEqual([
    {
      ...{ ...COMMON, url: A, title: 'Harbour Talk', author: 'Tidewater' },
      description: expect.stringMatching(/^(?:Boats & birds\. )+.*…$/),
      website: 'https://tidewater.example/',
      logo_url: 'https://tidewater.example/logo.png',
      scaled_logo_url: 'https://tidewater.example/logo.png',
      ...{ subscribers: 2, subscribers_last_week: 2 },
      mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fa',
      ...{ devices: ['phone', 'desk'], newest_release: '2025-03-02T07:20:00' },
    },
  ])
  // Long descriptions are cut.
  expect(text.length).toBeLessThan(1400)
})

test('me/podcasts has the fields of a card, and me/holders only the devices', async () => {
  const { ida, change, publish } = await open()
  await change('phone', { add: [A] })
  await publish(feedDocument({ episodes: [feedEpisode({ released: 1_740_900_000 })] }))
  await change('desk', { add: [A, B] })
  const [a, b] = [
    { url: A, devices: ['phone', 'desk'] },
    { url: B, devices: ['desk'] },
  ]
  const fetched = { title: 'Harbour Talk', author: 'Tidewater', has_picture: true }
  const unfetched = { title: B, author: '', language: '', has_picture: false, newest_release: '' }
  expect((await ida.get('/api/2/me/podcasts')).json).toEqual([
    { ...COMMON, ...a, ...fetched, newest_release: '2025-03-02T07:20:00' },
    { ...COMMON, ...b, ...unfetched, health: { state: 'new', since: '' } },
  ])
  expect((await ida.get('/api/2/me/holders')).json).toEqual([a, b])
})

test('the list shows at once which podcasts are hidden from others', async () => {
  const { ida, change } = await open()
  const secret = 'https://feeds.example/a?auth=0123456789abcdef0123456789abcdef'
  await change('phone', { add: [A, secret] })
  expect((await ida.get(LIST)).json).toMatchObject([
    { url: A, private: false },
    { url: secret, private: true },
  ])
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${A}`, { set: { public_subscription: false } })
  expect((await ida.get(LIST)).json).toMatchObject([{ private: true }, { private: true }])
})

test('the list with ?state=new has only podcasts that have not been fetched', async () => {
  const { ida, change, script, runJob } = await open()
  await change('phone', { add: [A, B] })
  script.answer = async ({ url }) => (url === A ? failed() : feedOf('Orbit'))
  await runJob()
  await change('phone', { add: ['https://feeds.example/c'] })
  expect((await ida.get(`${LIST}?state=new`)).json).toMatchObject([
    { url: 'https://feeds.example/c', devices: ['phone'], health: { state: 'new' } },
  ])
})

const IDAS_PHONE = { id: 'phone', caption: 'Ida’s phone', type: 'mobile' }
const DESK = { id: 'desk', caption: 'desk', type: 'other' }

/** Subscribes Ida's phone to A; her desk has no podcast, and Ole has B. */
async function openDevices() {
  const scene = await open()
  const { ida, ole } = scene
  await ida.post(PHONE, IDAS_PHONE)
  await ida.post(CHANGES, { add: [A] })
  await ida.post('/api/2/devices/ida/desk.json', {})
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [B] })
  return scene
}

test('me/podcast has all devices and the health of the feed, and remembers former subscriptions', async () => {
  const { ida, change } = await openDevices()
  const podcast = async () => (await ida.get(pathOf(A))).json
  expect(await podcast()).toEqual({
    url: A,
    subscribed: true,
    devices: [
      { ...IDAS_PHONE, subscribed: true },
      { ...DESK, subscribed: false },
    ],
    ...{ added: '2025-03-02T10:00:00', newest_release: '', private: false },
    health: { state: 'new', since: '', last_checked: '', last_success: '', reason: '', cause: '' },
  })
  const unsubscribed = (...ids: string[]) => ({
    ...{ subscribed: false, added: '' },
    devices: ids.map((id) => ({ id, subscribed: false })),
  })
  await change('phone', { remove: [A] })
  expect(await podcast()).toMatchObject(unsubscribed('phone', 'desk'))
  await change('phone', { add: [A] })
  await ida.delete(PHONE)
  expect(await podcast()).toMatchObject(unsubscribed('desk'))
})

test.each(REASONS)(
  'me/podcast explains the failure %s in plain words, without details for administrators',
  async (reason) => {
    const { ida, script, runJob } = await openDevices()
    script.answer = async () => failed({ reason, message: 'for administrators: 192.168.1.7' })
    await runJob()
    const { json, text } = await ida.get(pathOf(A))
    const cause = expect.stringMatching(/^(?:The|There|This|What|Something) .{15,80}\.$/)
    const state = reason === 'gone' ? 'gone' : 'failing'
    const at = { since: '2025-03-02T10:00:00', last_checked: '2025-03-02T10:00:00' }
    expect(json).toMatchObject({ health: { state, reason, cause, ...at, last_success: '' } })
    expect(text).not.toContain('192.168')
  },
)

test('me/podcast does not reveal podcasts that only other users have', async () => {
  const { ida } = await openDevices()
  const unknown = await ida.get(pathOf('https://nowhere.example/'))
  for (const url of [B, `${A}/b`]) {
    const answer = await ida.get(pathOf(url))
    expectError(answer, 404, 'unknown_podcast')
    expect(answer.text).toBe(unknown.text)
  }
})
