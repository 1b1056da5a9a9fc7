import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, clientOf, signUp } from '../support/client.ts'
import { openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from './private-feeds-scene.ts'
import { expectRefusal } from './refusal.ts'

const LISTENING = '/api/2/me/listening'
const FEED = 'https://feeds.example/harbour'
const MINUTE = 60

interface Play {
  readonly podcast?: string
  readonly episode?: string
  readonly at?: string
  readonly started?: number | undefined
  readonly position?: number
  readonly total?: number
  readonly device?: string
  readonly action?: string
}

/** Ten minutes of the morning of 2 March, unless told otherwise. */
function play({ at = '2025-03-02T08:00:00', episode = 'fog', started = 0, ...fields }: Play = {}) {
  const rest = { podcast: FEED, position: 10 * MINUTE, total: 30 * MINUTE, device: 'phone', action: 'play', ...fields }
  return { ...rest, episode: `https://cdn.example/${episode}.mp3`, timestamp: at, started }
}

const upload = (client: Client, actions: readonly unknown[], name = 'ida') =>
  client.post(`/api/2/episodes/${name}.json`, actions)

async function open(actions: readonly unknown[] = []) {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  if (actions.length > 0) expect(await upload(ida, actions)).toMatchObject({ status: 200 })
  return { app, ida }
}

/** What the account heard in these days of March. */
async function heard(actions: readonly unknown[], query = ''): Promise<unknown> {
  const { ida } = await open(actions)
  const { status, json } = await ida.get(`${LISTENING}${query}`)
  expect(status).toBe(200)
  return json
}

describe('what was heard', () => {
  test('is nothing at first, of the last 30 days', async () => {
    expect(await heard([])).toEqual({
      ...{ from: '2025-02-01', to: '2025-03-02', minutes: 0, episodes: 0, days: [], podcasts: [] },
      weekdays: [0, 0, 0, 0, 0, 0, 0],
    })
  })

  test('is told by day, weekday and podcast', async () => {
    const other = 'https://feeds.example/winds'
    const actions = [
      play(),
      play({ episode: 'gale', position: 20 * MINUTE }),
      play({ at: '2025-02-28T23:59:59', started: 600, position: 900 }),
      play({ at: '2025-02-21T12:00:00', podcast: other, position: 30 * MINUTE }),
    ]
    expect(await heard(actions)).toEqual({
      ...{ from: '2025-02-01', to: '2025-03-02', minutes: 65, episodes: 3 },
      days: [
        { date: '2025-02-21', minutes: 30 },
        { date: '2025-02-28', minutes: 5 },
        { date: '2025-03-02', minutes: 30 },
      ],
      weekdays: [0, 0, 0, 0, 35, 0, 30],
      podcasts: [
        { url: FEED, title: FEED, logo_url: '', minutes: 35, episodes: 2 },
        { url: other, title: other, logo_url: '', minutes: 30, episodes: 1 },
      ],
    })
  })

  test.each<[string, readonly unknown[], number]>([
    ['twice the same upload', [play(), play()], 10],
    ['the same stretch from two devices', [play(), play({ device: 'desk' })], 10],
    ['the same stretch at two times of a day', [play(), play({ at: '2025-03-02T09:00:00' })], 10],
    ['the same stretch on two days', [play(), play({ at: '2025-03-01T09:00:00' })], 20],
    ['a stretch that grows', [play(), play({ position: 900 }), play({ position: 1200 })], 20],
    ['two that overlap', [play(), play({ started: 300, position: 900 })], 15],
    ['one after the other', [play(), play({ started: 600, position: 900 })], 15],
    ['two episodes', [play(), play({ episode: 'gale' })], 20],
    ['the same file in two podcasts', [play(), play({ podcast: 'https://feeds.example/winds' })], 20],
    ['no beginning', [{ ...play(), started: undefined }], 0],
    ['a beginning that is not known', [play({ started: -1 })], 0],
    ['no end', [{ ...play(), position: undefined }], 0],
    ['backwards', [play({ started: 900 })], 0],
    ['more than there is', [play({ position: 1801 })], 0],
    ['all there is', [play({ position: 1800 })], 30],
    ['an unknown length', [{ ...play(), total: undefined }], 10],
    ['thirteen hours', [{ ...play({ position: 13 * 3600 }), total: undefined }], 0],
    ['a download', [play({ action: 'download' })], 0],
    ['half a minute', [play({ position: 30 })], 1],
    ['less than half a minute', [play({ position: 29 })], 0],
    ['before the range', [play({ at: '2025-01-31T23:59:59' })], 0],
    ['in the first second of the range', [play({ at: '2025-02-01T00:00:00' })], 10],
    ['in the last second of the range', [play({ at: '2025-03-02T23:59:59' })], 10],
    ['after the range', [play({ at: '2025-03-03T00:00:00' })], 0],
  ])('%s', async (_what, actions, minutes) => {
    const { days, podcasts } = { days: [], podcasts: [], ...Object(await heard(actions)) }
    expect(await heard(actions)).toMatchObject({ minutes })
    expect([days.length > 0, podcasts.length > 0]).toEqual([minutes > 0, minutes > 0])
  })

  test.each([
    ['?from=2025-03-02&to=2025-03-02', ['2025-03-02', '2025-03-02'], [30]],
    ['?from=2025-02-28&to=2025-03-01', ['2025-02-28', '2025-03-01'], [20]],
    ['?from=2025-03-01&to=2025-03-03&offset=119', ['2025-03-01', '2025-03-03'], [20, 30]],
    ['?from=2025-03-01&to=2025-03-03&offset=120', ['2025-03-01', '2025-03-03'], [50]],
    ['?from=2025-03-01&to=2025-03-03&offset=-120', ['2025-03-01', '2025-03-03'], [50]],
    ['?to=2024-12-31', ['2024-12-02', '2024-12-31'], []],
  ])('%s is about %p', async (query, [from = '', to = ''], minutes) => {
    // On either side of midnight.
    const actions = [
      play({ at: '2025-03-01T22:00:00', position: 20 * MINUTE }),
      play({ at: '2025-03-02T00:00:00', episode: 'gale', position: 30 * MINUTE }),
    ]
    const told = Object(await heard(actions, query))
    expect([told.from, told.to]).toEqual([from, to])
    expect(told.days.map((day: { minutes: number }) => day.minutes)).toEqual(minutes)
  })

  test.each([
    ['?from=yesterday', 'from'],
    ['?to=2025-02-30', 'to'],
    ['?from=2025-03-02&to=2025-03-01', 'from'],
    ['?from=2024-01-01&to=2025-03-02', 'from'],
    ['?offset=Berlin', 'offset'],
  ])('%s is refused', async (query, field) => {
    const { ida } = await open()
    expectRefusal(await ida.get(LISTENING + query), 400, 'validation_failed', field)
  })

  test('names the 20 podcasts heard the longest', async () => {
    const actions = Array.from({ length: 25 }, (_, n) =>
      play({ podcast: `https://feeds.example/${n}`, position: (n + 1) * MINUTE }),
    )
    const told = Object(await heard(actions))
    expect(told.podcasts.map(({ minutes }: { minutes: number }) => minutes)).toEqual(
      Array.from({ length: 20 }, (_, n) => 25 - n),
    )
    expect(told).toMatchObject({ minutes: 325, episodes: 25 })
  })

  test('is the same however many there are, thousands in one second too', async () => {
    const actions = Array.from({ length: 5000 }, (_, n) =>
      play({
        started: n,
        position: n + 2,
        total: 10_000,
        at: n < 4500 ? '2025-03-01T10:00:00' : '2025-03-02T10:00:00',
      }),
    )
    expect(await heard(actions)).toMatchObject({
      minutes: Math.round(5002 / 60),
      days: [{ minutes: 75 }, { minutes: 8 }],
    })
  })
})

describe('what others heard', () => {
  test('is nobody’s business, also not an administrator’s', async () => {
    const { app, ida } = await open()
    const bob = await signUp(app, 'bob')
    await upload(bob, [play()], 'bob')
    expect((await ida.get(LISTENING)).json).toMatchObject({ minutes: 0, episodes: 0, podcasts: [] })
    expect((await bob.get(LISTENING)).json).toMatchObject({ minutes: 10 })
    expectRefusal(await clientOf(app).get(LISTENING), 401, 'unauthorized')
  })

  test('does not show what a private podcast is called', async () => {
    const { ida, bob } = await openPrivateFeeds()
    const [secret = ''] = PRIVATE
    const actions = [play({ podcast: secret }), play({ podcast: PUBLIC, position: 5 * MINUTE })]
    await upload(bob, actions, 'bob')
    await upload(ida, actions)
    const { json, text } = await bob.get(LISTENING)
    expect(json).toMatchObject({ podcasts: [{ url: secret, title: secret, logo_url: '' }, { url: PUBLIC }] })
    expect(text.replaceAll(secret, '')).not.toMatch(TRACE)
    expect((await ida.get(LISTENING)).json).toMatchObject({
      podcasts: [
        { url: secret, title: 'Quillwort 0', logo_url: 'https://bramblewick.example/logo.png' },
        { url: PUBLIC, title: 'Harbour Talk' },
      ],
    })
  })
})
