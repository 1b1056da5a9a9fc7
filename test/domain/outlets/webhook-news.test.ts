import { expect, test } from 'bun:test'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { selectNews } from '../../../src/domain/outlets/webhooks.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, HOUR, START, subscribe } from '../feed-scene.ts'
import { FOG, HOOK, MINUTE, openHookScene, TIDE, URL } from './webhook-scene.ts'

const DAY = 24 * HOUR

test('new episodes of one refresh make one message, a minute after the last of them', async () => {
  const { publish, deliver, quiet, delivered, shown, attempts } = await openHookScene()
  await publish({ [FOG]: 2, [TIDE]: 1 })
  await deliver()
  expect(delivered()).toEqual([])
  await quiet()
  expect(attempts).toHaveLength(1)
  expect(attempts[0]?.message).toEqual({
    ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), createdAt: expect.any(Number), username: 'ida' },
    news: expect.objectContaining({
      ...{ event: 'new_episode', total: 3 },
      episodes: expect.arrayContaining([
        expect.objectContaining({ title: 'Part 1', podcastTitle: 'Fog', podcastUrl: FOG, url: `${FOG}/1.mp3` }),
        expect.objectContaining({ title: 'Part 0', podcastTitle: 'Tide', podcastUrl: TIDE }),
      ]),
    }),
  })
  await quiet()
  expect(attempts).toHaveLength(1)
  const success = expect.stringMatching(/^2025-/)
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 0, last_success: success, last_error: '' })
})

test('news that keep coming are sent after ten minutes', async () => {
  const { publish, app, deliver, delivered } = await openHookScene()
  await publish({ [FOG]: 1 })
  const columns = (at: string) => `user_id, event, ${at}, podcast_id, episode_id`
  app.db.run(`INSERT INTO webhook_news (${columns('at')}) SELECT ${columns('at + 570')} FROM webhook_news`)
  app.clock.advance(10 * MINUTE - 1)
  await deliver()
  expect(delivered()).toEqual([])
  app.clock.advance(1)
  await deliver()
  expect(delivered()).toMatchObject([{ total: 1 }])
})

test('news dated by a clock that was ahead are sent', async () => {
  const { publish, app, deliver, delivered } = await openHookScene()
  await publish({ [FOG]: 1 })
  app.clock.jump(-DAY)
  await deliver()
  expect(delivered()).toHaveLength(1)
})

test('episodes from before the subscription and changed episodes are not news', async () => {
  const { publish, quiet, delivered, ida, app, runJob } = await openHookScene({ feeds: [FOG] })
  await publish({ [TIDE]: 3, [FOG]: 1 })
  await quiet()
  expect(delivered()).toMatchObject([{ total: 1 }])
  await subscribe(ida, 'ida', [TIDE])
  app.clock.advance(MINUTE)
  await runJob()
  await quiet()
  expect(delivered()).toHaveLength(1)
  // Same address, same episode, another title.
  app.db.run("UPDATE episode_details SET fingerprint = 'x', title = 'x'")
  app.clock.advance(2 * HOUR)
  await runJob()
  await quiet()
  expect(delivered()).toHaveLength(1)
})

test('old episodes are not news while pages of their feed are still to be read', async () => {
  const { script, quiet, delivered, app, runJob } = await openHookScene({ feeds: [FOG] })
  const episodes: FeedEpisode[] = []
  const add = async (title: string, released: number | undefined, bodyHash: string) => {
    episodes.push(feedEpisode({ url: `${FOG}/${title}.mp3`, title, guid: title, released }))
    const document = { ...feedDocument(), episodes }
    script.answer = async () => ({ ...UNCHANGED, kind: 'feed', document, bodyHash })
    app.clock.advance(2 * HOUR)
    await runJob()
    await quiet()
  }
  await add('known', START - DAY, 'abc+')
  const before = delivered().length
  await add('of an old page', START - HOUR, 'abc++')
  await add('undated', undefined, 'abc')
  expect(delivered()).toHaveLength(before)
  await add('new', START + HOUR, 'def')
  expect(delivered()).toMatchObject([{ total: 1, episodes: [{ title: 'new' }] }])
})

test('podcasts of others, and those unsubscribed meanwhile, are not news', async () => {
  const { publish, quiet, delivered, app, ida } = await openHookScene({ feeds: [FOG] })
  const kai = await signUp(app, 'kai', 'pebbles')
  await subscribe(kai, 'kai', [TIDE])
  await publish({ [FOG]: 1, [TIDE]: 1 })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [FOG] })
  await quiet()
  expect(delivered()).toEqual([])
  expect(app.db.query('SELECT * FROM webhook_news').all()).toEqual([])
})

test('a huge burst makes one bounded message', async () => {
  const { publish, quiet, delivered, app } = await openHookScene()
  await publish({ [FOG]: 700 })
  expect(app.db.query('SELECT * FROM webhook_news').all()).toHaveLength(500)
  await quiet()
  expect(delivered()).toMatchObject([{ total: 500, episodes: { length: 50 } }])
})

test('an episode already reported for another address of its podcast is not news', async () => {
  const { script, quiet, delivered, app, runJob } = await openHookScene()
  const parts: Record<string, number> = {}
  script.answer = async ({ url }) => {
    const episodes = Array.from({ length: parts[url] ?? 0 }, (_, n) =>
      feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `part ${n}`, released: START + HOUR + n }),
    )
    return { ...UNCHANGED, kind: 'feed', document: feedDocument({ episodes }), ...(url === TIDE && { leads: [FOG] }) }
  }
  const counts: number[] = []
  for (const next of [{}, { [FOG]: 1 }, { [TIDE]: 1 }, { [TIDE]: 2 }]) {
    Object.assign(parts, next)
    app.clock.advance(2 * HOUR)
    await runJob()
    await quiet()
    counts.push(delivered().length)
  }
  expect(counts).toEqual([0, 1, 1, 2])
  expect(delivered()).toMatchObject([{ total: 1 }, { total: 1, episodes: [{ podcastUrl: TIDE }] }])
})

test('an episode that returns in a private feed of this server is not news', async () => {
  const own = `https://feeds.example/feeds/${'x'.repeat(72)}/new.rss`
  const settings = { base_url: 'https://feeds.example' }
  const { publish, quiet, delivered } = await openHookScene({ feeds: [FOG, own], settings })
  await publish({ [FOG]: 1 })
  await quiet()
  await publish({ [own]: 1 })
  await quiet()
  expect(delivered()).toMatchObject([{ total: 1, episodes: [{ podcastUrl: FOG }] }])
})

test('old episodes of new podcasts take no room from news', async () => {
  const { publish, quiet, delivered, app, ida } = await openHookScene({ feeds: [FOG] })
  await publish({ [TIDE]: 700 }, () => app.clock.seconds() - DAY)
  await subscribe(ida, 'ida', [TIDE])
  // The server learns of the new podcast first.
  app.clock.advance(MINUTE)
  await publish({})
  await publish({ [FOG]: 1 })
  await quiet()
  expect(delivered()).toMatchObject([{ total: 1, episodes: [{ podcastUrl: FOG }] }])
})

test('a new device is reported with its name at the time of the message', async () => {
  const { ida, quiet, delivered, app } = await openHookScene()
  const device = (uid: string) => `/api/2/devices/ida/${uid}.json`
  await ida.post(device('desk'), { caption: 'Desk', type: 'desktop' })
  await ida.post(device('desk'), { caption: 'Big desk' })
  const play = { podcast: FOG, episode: `${FOG}/0.mp3`, action: 'play', device: 'watch' }
  await ida.post('/api/2/episodes/ida.json', [play])
  await ida.post(device('gone'), { caption: 'Gone' })
  await ida.delete(device('gone'))
  await quiet()
  const desk = { uid: 'desk', caption: 'Big desk', type: 'desktop' }
  const devices = [desk, { uid: 'watch', caption: 'watch', type: 'other' }]
  expect(delivered()).toEqual([{ event: 'new_device', total: 2, devices }])
  await ida.post(device('phone'), { caption: 'Phone' })
  expect(app.db.query('SELECT * FROM webhook_news').all()).toEqual([])
})

test('a failing feed is reported once after a day, one that is gone at once', async () => {
  const { script, app, runJob, quiet, delivered, runDirectoryJob } = await openHookScene()
  await runDirectoryJob()
  script.answer = async ({ url }) => (url === FOG ? failed() : failed({ reason: 'gone', message: 'gone' }))
  for (let hour = 0; hour < 60; hour++) {
    app.clock.advance(HOUR)
    await runJob()
    await quiet()
  }
  const since = expect.any(Number)
  const failing = (podcastTitle: string, podcastUrl: string, reason: string) => [
    { podcastTitle, podcastUrl, isPrivate: false, reason, since },
  ]
  expect(delivered() as unknown[]).toEqual([
    { event: 'feed_failing', total: 1, podcasts: failing('Tide', TIDE, 'gone') },
    { event: 'feed_failing', total: 1, podcasts: failing('Fog', FOG, 'timeout') },
  ])
  const sinces = delivered().map((news) => ('podcasts' in news ? (news.podcasts[0]?.since ?? 0) : 0))
  expect(sinces[1]).toBeGreaterThan(START)
  expect(sinces[0]).toBe(sinces[1] ?? 0)
})

test('a feed that recovers before the message is not reported', async () => {
  const { script, app, runJob, quiet, delivered } = await openHookScene({ feeds: [FOG] })
  const works = script.answer
  script.answer = async () => failed({ reason: 'gone', message: 'gone' })
  app.clock.advance(2 * HOUR)
  await runJob()
  script.answer = works
  app.clock.advance(2 * DAY)
  await runJob()
  await quiet()
  expect(delivered()).toEqual([])
})

test('only selected events are reported, and news of deselected ones are dropped', async () => {
  const { browser, ida, publish, quiet, delivered } = await openHookScene()
  await ida.post('/api/2/devices/ida/desk.json', {})
  await publish({ [FOG]: 1 })
  await browser.put(HOOK, { url: URL, events: ['new_device'] })
  await publish({ [FOG]: 1 })
  await quiet()
  expect(delivered()).toMatchObject([{ event: 'new_device' }])
})

const NEWS = { title: 'Fog', url: 'https://cdn.example/fog.mp3', website: '', duration: undefined, podcastTitle: '' }

const newsOf = (
  ...episodes: readonly { podcastUrl?: string; released: number | undefined; subscribedSeq: number }[]
) => {
  const all = episodes.map((each) => ({ ...NEWS, podcastUrl: '', isPrivate: false, ...each }))
  return selectNews('new_episode', { lastId: 1, episodes: all, devices: [], podcasts: [] }, START, undefined)
}

test.each([
  [START - 100, START - 100, true],
  [START - 101, START - 100, false],
  // A logical clock ahead of real time, and one whose time is unknown.
  [START, START + 50, true],
  [START - 10, START + 50, false],
  [START - 10, START + 2 * DAY, true],
  [5, 7, true],
  [undefined, START, true],
])('an episode released at %p is news to a subscriber since %d: %p', (released, subscribedSeq, isNews) => {
  expect(newsOf({ released, subscribedSeq })?.event).toBe(isNews ? 'new_episode' : undefined)
})

test('an episode of two addresses of a podcast is in a message once', () => {
  const [podcastUrl, old] = ['https://feeds.example/new', 'http://feeds.example/old']
  const episode = { released: START, subscribedSeq: START }
  const delivered = newsOf({ ...episode, podcastUrl }, { ...episode, podcastUrl: old })
  expect(delivered).toMatchObject({ total: 1, episodes: [{ podcastUrl }] })
})
