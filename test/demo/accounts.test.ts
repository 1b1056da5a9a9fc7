import { expect, test } from 'bun:test'
import { addDevices, addHistory, DEMO_USERS, historyOf, type Send } from '../../src/demo/accounts.ts'
import { createShows, FIXED_NEWEST, newestAt, pathOf } from '../../src/demo/shows.ts'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, signUp } from '../support/client.ts'

const BASE = 'http://127.0.0.1:8080'
const SHOWS = createShows(FIXED_NEWEST)

/** The data of the users of a new demo, through the API. */
async function startDemo() {
  const app = startTestApp()
  const clients = new Map<string, Client>()
  for (const { username, password } of DEMO_USERS) {
    await signUp(app, username, password)
    clients.set(username, clientOf(app, basic(username, password)))
  }
  const statuses: number[] = []
  const send: Send = async ({ username }, path, body) => {
    const answer = await clients.get(username)?.post(path, body)
    statuses.push(answer?.status ?? 0)
  }
  await addDevices(send, SHOWS, BASE)
  await addHistory(send, SHOWS, BASE)
  const get = async (username: string, path: string) => (await clients.get(username)?.get(path))?.json
  return { get, statuses, [Symbol.asyncDispose]: () => app.idle() }
}

const PATHS = [
  ['ida', '/subscriptions/ida/phone.json'],
  ['ida', '/subscriptions/ida/laptop.json'],
  ['ida', '/subscriptions/ida/kitchen.json'],
  ['ida', '/api/2/devices/ida.json'],
  ['ida', '/api/2/sync-devices/ida.json'],
  ['ida', '/api/2/lists/ida.json'],
  ['ida', '/api/2/settings/ida/device.json?device=phone'],
  ['ida', '/api/2/episodes/ida.json?since=0'],
  ['otto', '/subscriptions/otto/mobile.json'],
  ['otto', '/subscriptions/otto/desktop.json'],
  ['otto', '/api/2/sync-devices/otto.json'],
  ['otto', '/api/2/episodes/otto.json?since=0'],
] as const

test('the data of the demo is accepted, and the same at every start', async () => {
  await using demo = await startDemo()
  await using other = await startDemo()
  expect(demo.statuses.every((status) => status === 200 || status === 201)).toBe(true)
  expect(demo.statuses.length).toBeGreaterThan(15)
  for (const [username, path] of PATHS) {
    const data = await demo.get(username, path)
    expect(data).toBeDefined()
    expect(JSON.stringify(data)).not.toBe('[]')
    expect(await other.get(username, path)).toEqual(data)
  }
  // Ida has a sync group, favorites, lists, chapters and episodes in progress, Otto separate devices.
  expect(await demo.get('ida', '/api/2/sync-devices/ida.json')).toEqual({
    synchronized: [['phone', 'laptop']],
    'not-synchronized': ['kitchen'],
  })
  expect(await demo.get('otto', '/api/2/sync-devices/otto.json')).toEqual({
    synchronized: [],
    'not-synchronized': ['mobile', 'desktop'],
  })
  expect(await demo.get('ida', '/api/2/lists/ida.json')).toMatchObject([{ name: 'sea-air' }, { name: 'short-ones' }])
  const favorite = new URLSearchParams({
    podcast: `${BASE}/demo/the-unposted.xml`,
    episode: `${BASE}/demo/the-unposted/1.mp3`,
  })
  expect(await demo.get('ida', `/api/2/settings/ida/episode.json?${favorite}`)).toEqual({ is_favorite: true })
  const chaptered = new URLSearchParams({
    podcast: `${BASE}/demo/lantern-quay.xml`,
    episode: `${BASE}/demo/lantern-quay/6.mp3`,
  })
  expect(await demo.get('ida', `/api/2/chapters/ida.json?${chaptered}`)).toMatchObject({
    chapters: [{ start: 0 }, { advertisement: true }, { end: 1500 }],
  })
  // One episode of each podcast.
  expect(await demo.get('ida', '/api/2/me/in-progress?limit=100')).toMatchObject({ items: { length: 10 } })
})

test.each(DEMO_USERS.map((user) => [user.username, user] as const))('the history of %s is consistent', (_, user) => {
  const history = historyOf(user, SHOWS, BASE)
  const episodes = new Map(
    SHOWS.flatMap((show) =>
      show.episodes.map((each) => [BASE + pathOf.audio(show, each), { ...each, feed: BASE + pathOf.feed(show) }]),
    ),
  )
  for (const { podcast, episode, guid, device, timestamp, position, total } of history) {
    const known = episodes.get(episode)
    expect(known).toMatchObject({ guid, feed: podcast })
    expect(user.devices.map(({ id }) => id)).toContain(device)
    const at = Date.parse(`${timestamp}Z`) / 1000
    expect(at).toBeGreaterThan(known?.released ?? Number.POSITIVE_INFINITY)
    expect(at).toBeLessThan(FIXED_NEWEST + 3600)
    if (position === undefined) continue
    expect(total).toBe(known?.seconds)
    expect(position).toBeLessThanOrEqual(known?.seconds ?? 0)
  }
  const times = history.map(({ timestamp }) => Date.parse(timestamp))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(history.map(({ action }) => action))).toEqual(new Set(['download', 'play', 'delete']))
  expect(history.length).toBeGreaterThan(30)
})

test.each(['2026-11-27T07:00:00Z', '2026-11-27T06:15:00Z', '2027-01-01T00:00:00Z', '2028-02-29T23:59:59Z'])(
  'the history of a demo started at %s is recent and not in the future',
  (start) => {
    const now = Date.parse(start)
    const shows = createShows(newestAt(now / 1000))
    for (const user of DEMO_USERS) {
      const latest = Math.max(...historyOf(user, shows, BASE).map(({ timestamp }) => Date.parse(`${timestamp}Z`)))
      expect(latest).toBeLessThanOrEqual(now)
      expect(latest).toBeGreaterThan(now - 36 * 3_600_000)
    }
  },
)

test('every podcast has a subscriber, so that the directory lists it', () => {
  const slugs = new Set(DEMO_USERS.flatMap(({ devices }) => devices.flatMap(({ shows }) => shows)))
  expect(slugs).toEqual(new Set(SHOWS.map(({ slug }) => slug)))
})
