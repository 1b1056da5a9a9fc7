import { expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { REASONS } from '../feeds/on-demand-scene.ts'
import { A, B, CHANGES } from './scene.ts'

const LIST = '/api/2/me/subscriptions'
const pathOf = (url: string) => `/api/2/me/podcast?url=${encodeURIComponent(url)}`

async function open() {
  const scene = await openFeedScene([], { settings: { rate_limit: 'false' } })
  const { app, ida, script, runJob } = scene
  const ole = await signUp(app, 'ole', 'driftwood')
  return {
    ...scene,
    ole,
    change: (device: string, body: { add?: string[]; remove?: string[] }) =>
      ida.post(`/api/2/subscriptions/ida/${device}.json`, body),
    list: async () => (await ida.get(LIST)).json,
    podcast: async (url = A) => (await ida.get(pathOf(url))).json,
    /** Every feed says this from now on, and has been fetched. */
    async publish(document: ReturnType<typeof feedDocument>) {
      script.answer = async () => feedOf('', { document })
      await runJob()
    },
  }
}

const COMMON = { language: 'en', added: '2025-03-02T10:00:00', private: false, health: { state: 'ok', since: '' } }

test('the list tells of each podcast what its feed says, who has it, and how fetching it goes', async () => {
  const { ole, change, list, publish } = await open()
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
  for (const device of ['phone', 'desk']) await change(device, { add: [A] })
  const episodes = [1_740_000_000, 1_740_900_000, undefined].map((released, n) =>
    feedEpisode({ url: `https://cdn.example/${n}`, guid: `${n}`, released }),
  )
  await publish(feedDocument({ episodes, description: `<p>${'Boats &amp; birds. '.repeat(1000)}</p>` }))
  const answer = await list()
  expect(answer).toEqual([
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
  // Only the beginning of a long description.
  expect(JSON.stringify(answer).length).toBeLessThan(1400)
})

test('the short list has what a card shows, and the shortest one only who has a podcast', async () => {
  const { ida, change, publish } = await open()
  await change('phone', { add: [A] })
  await publish(feedDocument({ episodes: [feedEpisode({ released: 1_740_900_000 })] }))
  await change('desk', { add: [A, B] })
  const [a, b] = [
    { url: A, devices: ['phone', 'desk'] },
    { url: B, devices: ['desk'] },
  ]
  const fetched = {
    title: 'Harbour Talk',
    author: 'Tidewater',
    has_picture: true,
    newest_release: '2025-03-02T07:20:00',
  }
  const unfetched = { title: B, author: '', language: '', has_picture: false, newest_release: '' }
  expect((await ida.get('/api/2/me/podcasts')).json).toEqual([
    { ...COMMON, ...a, ...fetched },
    { ...COMMON, ...b, ...unfetched, health: { state: 'new', since: '' } },
  ])
  expect((await ida.get('/api/2/me/holders')).json).toEqual([a, b])
})

test('the list tells what is hidden from others, as soon as it is', async () => {
  const { ida, change, list } = await open()
  const secret = 'https://feeds.example/a?auth=0123456789abcdef0123456789abcdef'
  await change('phone', { add: [A, secret] })
  expect(await list()).toMatchObject([
    { url: A, private: false },
    { url: secret, private: true },
  ])
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${A}`, { set: { public_subscription: false } })
  expect(await list()).toMatchObject([{ private: true }, { private: true }])
})

test('the list with ?state=new has only what was not fetched yet', async () => {
  const { ida, change, script, runJob } = await open()
  await change('phone', { add: [A, B] })
  script.answer = async ({ url }) => (url === A ? failed() : feedOf('Orbit'))
  await runJob()
  await change('phone', { add: ['https://feeds.example/c'] })
  expect((await ida.get(`${LIST}?state=new`)).json).toMatchObject([
    { url: 'https://feeds.example/c', devices: ['phone'], health: { state: 'new' } },
  ])
})

const PHONE = { id: 'phone', caption: 'Ida’s phone', type: 'mobile' }
const DESK = { id: 'desk', caption: 'desk', type: 'other' }

/** Ida has podcast A on her phone and none on her desk; Ole has B. */
async function openDevices() {
  const scene = await open()
  const { ida, ole } = scene
  await ida.post('/api/2/devices/ida/phone.json', PHONE)
  await ida.post(CHANGES, { add: [A] })
  await ida.post('/api/2/devices/ida/desk.json', {})
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [B] })
  return scene
}

test('GET /api/2/me/podcast tells which devices have it, and what is known of its feed', async () => {
  const { podcast } = await openDevices()
  expect(await podcast()).toEqual({
    url: A,
    subscribed: true,
    devices: [
      { ...PHONE, subscribed: true },
      { ...DESK, subscribed: false },
    ],
    ...{ added: '2025-03-02T10:00:00', newest_release: '', private: false },
    health: { state: 'new', since: '', last_checked: '', last_success: '', reason: '', cause: '' },
  })
})

test('GET /api/2/me/podcast remembers what the user once had, also on a device that is gone', async () => {
  const { ida, change, podcast } = await openDevices()
  const gone = (...ids: string[]) => ({
    subscribed: false,
    added: '',
    devices: ids.map((id) => ({ id, subscribed: false })),
  })
  await change('phone', { remove: [A] })
  expect(await podcast()).toMatchObject(gone('phone', 'desk'))
  await change('phone', { add: [A] })
  await ida.delete('/api/2/devices/ida/phone.json')
  expect(await podcast()).toMatchObject(gone('desk'))
})

test.each(REASONS)('GET /api/2/me/podcast says in plain words what %s means, and no more than that', async (reason) => {
  const { ida, script, runJob } = await openDevices()
  script.answer = async () => failed({ reason, message: 'for administrators: 192.168.1.7' })
  await runJob()
  const { json, text } = await ida.get(pathOf(A))
  const cause = expect.stringMatching(/^(?:The|There|This|What|Something) .{15,80}\.$/)
  const state = reason === 'gone' ? 'gone' : 'failing'
  const at = { since: '2025-03-02T10:00:00', last_checked: '2025-03-02T10:00:00' }
  expect(json).toMatchObject({ health: { state, reason, cause, ...at, last_success: '' } })
  expect(text).not.toContain('192.168')
})

test('GET /api/2/me/podcast does not know what only others or nobody has', async () => {
  const { ida } = await openDevices()
  const unknown = await ida.get(pathOf('https://nowhere.example/'))
  for (const url of [B, `${A}/b`]) {
    const answer = await ida.get(pathOf(url))
    expectError(answer, 404, 'unknown_podcast')
    expect(answer.text).toBe(unknown.text)
  }
})
