import { expect, test } from 'bun:test'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { toldNews } from '../../../src/domain/outlets/webhooks.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, HOUR, START, subscribe } from '../feed-scene.ts'
import { FOG, HOOK, MINUTE, openHookScene, TIDE, URL } from './webhook-scene.ts'

const DAY = 24 * HOUR

test('new episodes of one refresh are one message, a minute after the last of them', async () => {
  const { publish, tell, quiet, told, shown, attempts } = await openHookScene()
  await publish({ [FOG]: 2, [TIDE]: 1 })
  await tell()
  expect(told()).toEqual([])
  await quiet()
  expect(told()).toMatchObject([{ event: 'new_episode', total: 3 }])
  const [delivery] = attempts
  if (!delivery) throw new Error('nothing was sent')
  const { news, ...head } = delivery.message
  expect(head).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), createdAt: expect.any(Number), username: 'ida' })
  expect(news).toMatchObject({
    episodes: expect.arrayContaining([
      expect.objectContaining({ title: 'Part 1', podcastTitle: 'Fog', podcastUrl: FOG, url: `${FOG}/1.mp3` }),
      expect.objectContaining({ title: 'Part 0', podcastTitle: 'Tide', podcastUrl: TIDE }),
    ]),
  })
  await quiet()
  expect(attempts).toHaveLength(1)
  expect(await shown()).toMatchObject({
    waiting: 0,
    dropped: 0,
    last_success: expect.stringMatching(/^2025-/),
    last_error: '',
  })
})

test('news that go on coming are told after ten minutes', async () => {
  const { publish, app, tell, told } = await openHookScene()
  await publish({ [FOG]: 1 })
  app.db.run(
    `INSERT INTO webhook_news (user_id, event, at, podcast_id, episode_id) SELECT user_id, event, at + 570, podcast_id, episode_id FROM webhook_news`,
  )
  app.clock.advance(10 * MINUTE - 1)
  await tell()
  expect(told()).toEqual([])
  app.clock.advance(1)
  await tell()
  expect(told()).toMatchObject([{ total: 1 }])
})

test('news by a clock that was ahead are told', async () => {
  const { publish, app, tell, told } = await openHookScene()
  await publish({ [FOG]: 1 })
  app.clock.jump(-DAY)
  await tell()
  expect(told()).toHaveLength(1)
})

test('what was there before the subscription is no news, and neither is what the feed has changed', async () => {
  const { publish, quiet, told, ida, app, runJob } = await openHookScene({ feeds: [FOG] })
  await publish({ [TIDE]: 3, [FOG]: 1 })
  await quiet()
  expect(told()).toMatchObject([{ total: 1 }])
  await subscribe(ida, 'ida', [TIDE])
  app.clock.advance(MINUTE)
  await runJob()
  await quiet()
  expect(told()).toHaveLength(1)
  // The same address, the same episode, another title.
  app.db.run("UPDATE episode_details SET fingerprint = 'x', title = 'x'")
  app.clock.advance(2 * HOUR)
  await runJob()
  await quiet()
  expect(told()).toHaveLength(1)
})

test('episodes without a date are news unless they came with the first answer', async () => {
  const { publish, quiet, told, ida, runJob } = await openHookScene({ feeds: [FOG] })
  await publish({ [FOG]: 1, [TIDE]: 4 }, () => undefined)
  await subscribe(ida, 'ida', [TIDE])
  await runJob()
  await quiet()
  expect(told()).toMatchObject([{ total: 1, episodes: [{ podcastUrl: FOG }] }])
})

test('old episodes are no news while pages of their feed are still to be read', async () => {
  const { script, quiet, told, app, runJob } = await openHookScene({ feeds: [FOG] })
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
  const before = told().length
  await add('of an old page', START - HOUR, 'abc++')
  await add('undated', undefined, 'abc')
  expect(told()).toHaveLength(before)
  await add('new', START + HOUR, 'def')
  expect(told()).toMatchObject([{ total: 1, episodes: [{ title: 'new' }] }])
})

test('nobody is told of podcasts of others, nor of those that are unsubscribed from meanwhile', async () => {
  const { publish, quiet, told, app, ida } = await openHookScene({ feeds: [FOG] })
  const kai = await signUp(app, 'kai', 'pebbles')
  await subscribe(kai, 'kai', [TIDE])
  await publish({ [FOG]: 1, [TIDE]: 1 })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [FOG] })
  await quiet()
  expect(told()).toEqual([])
  expect(app.db.query('SELECT * FROM webhook_news').all()).toEqual([])
})

test('a burst beyond all measure is one bounded message', async () => {
  const { publish, quiet, told, app } = await openHookScene()
  await publish({ [FOG]: 700 })
  expect(app.db.query('SELECT * FROM webhook_news').all()).toHaveLength(500)
  await quiet()
  expect(told()).toMatchObject([{ total: 500, episodes: { length: 50 } }])
})

test('an episode that another address of its podcast has told before is no news', async () => {
  const { script, quiet, told, app, runJob } = await openHookScene()
  const parts = new Map([
    [FOG, 0],
    [TIDE, 0],
  ])
  script.answer = async ({ url }) => {
    const episodes = Array.from({ length: parts.get(url) ?? 0 }, (_, n) =>
      feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `part ${n}`, released: START + HOUR + n }),
    )
    return { ...UNCHANGED, kind: 'feed', document: feedDocument({ episodes }), ...(url === TIDE && { leads: [FOG] }) }
  }
  const refreshed = async () => {
    app.clock.advance(2 * HOUR)
    await runJob()
    await quiet()
  }
  await refreshed()
  parts.set(FOG, 1)
  await refreshed()
  expect(told()).toMatchObject([{ total: 1 }])
  parts.set(TIDE, 1)
  await refreshed()
  expect(told()).toHaveLength(1)
  parts.set(TIDE, 2)
  await refreshed()
  expect(told()).toMatchObject([{ total: 1 }, { total: 1, episodes: [{ podcastUrl: TIDE }] }])
})

test('what comes back by a private feed that an app has brought along is no news', async () => {
  const own = `https://feeds.example/feeds/${'x'.repeat(72)}/new.rss`
  const settings = { base_url: 'https://feeds.example' }
  const { publish, quiet, told } = await openHookScene({ feeds: [FOG, own], settings })
  await publish({ [FOG]: 1 })
  await quiet()
  await publish({ [own]: 1 })
  await quiet()
  expect(told()).toMatchObject([{ total: 1, episodes: [{ podcastUrl: FOG }] }])
})

test('what many new podcasts have had before takes no room of what is new', async () => {
  const { publish, quiet, told, app, ida } = await openHookScene({ feeds: [FOG] })
  await publish({ [TIDE]: 700 }, () => app.clock.seconds() - DAY)
  await subscribe(ida, 'ida', [TIDE])
  // The server comes to know the new one first.
  app.clock.advance(MINUTE)
  await publish({})
  await publish({ [FOG]: 1 })
  await quiet()
  expect(told()).toMatchObject([{ total: 1, episodes: [{ podcastUrl: FOG }] }])
})

test('a new device is told as it is called when the message is made', async () => {
  const { ida, quiet, told, app } = await openHookScene()
  await ida.post('/api/2/devices/ida/desk.json', { caption: 'Desk', type: 'desktop' })
  await ida.post('/api/2/devices/ida/desk.json', { caption: 'Big desk' })
  await ida.post('/api/2/episodes/ida.json', [
    { podcast: FOG, episode: `${FOG}/0.mp3`, action: 'play', device: 'watch' },
  ])
  await ida.post('/api/2/devices/ida/gone.json', { caption: 'Gone' })
  await ida.delete('/api/2/devices/ida/gone.json')
  await quiet()
  expect(told()).toEqual([
    {
      event: 'new_device',
      total: 2,
      devices: [
        { uid: 'desk', caption: 'Big desk', type: 'desktop' },
        { uid: 'watch', caption: 'watch', type: 'other' },
      ],
    },
  ])
  await ida.post('/api/2/devices/ida/phone.json', { caption: 'Phone' })
  expect(app.db.query('SELECT * FROM webhook_news').all()).toEqual([])
})

test('a feed that fails is told once after a day, one that is gone at once', async () => {
  const { script, app, runJob, quiet, told, sortOut } = await openHookScene()
  await sortOut()
  script.answer = async ({ url }) => (url === FOG ? failed() : failed({ reason: 'gone', message: 'gone' }))
  for (let hour = 0; hour < 60; hour++) {
    app.clock.advance(HOUR)
    await runJob()
    await quiet()
  }
  const since = expect.any(Number)
  expect(told()).toEqual([
    {
      event: 'feed_failing',
      total: 1,
      podcasts: [{ podcastTitle: 'Tide', podcastUrl: TIDE, isPrivate: false, reason: 'gone', since }],
    },
    {
      event: 'feed_failing',
      total: 1,
      podcasts: [{ podcastTitle: 'Fog', podcastUrl: FOG, isPrivate: false, reason: 'timeout', since }],
    },
  ])
  const [gone, failing] = told().map((news) => ('podcasts' in news ? (news.podcasts[0]?.since ?? 0) : 0))
  expect(failing).toBeGreaterThan(START)
  expect(gone).toBe(failing)
})

test('a feed that works again when the message is made is not told', async () => {
  const { script, app, runJob, quiet, told } = await openHookScene({ feeds: [FOG] })
  const works = script.answer
  script.answer = async () => failed({ reason: 'gone', message: 'gone' })
  app.clock.advance(2 * HOUR)
  await runJob()
  script.answer = works
  app.clock.advance(2 * DAY)
  await runJob()
  await quiet()
  expect(told()).toEqual([])
})

test('only what is wanted is told, and what is not wanted any more is forgotten', async () => {
  const { browser, ida, publish, quiet, told } = await openHookScene()
  await ida.post('/api/2/devices/ida/desk.json', {})
  await publish({ [FOG]: 1 })
  await browser.put(HOOK, { url: URL, events: ['new_device'] })
  await publish({ [FOG]: 1 })
  await quiet()
  expect(told()).toMatchObject([{ event: 'new_device' }])
})

test('an episode is news from the second of the subscription on', () => {
  const episode = {
    title: '',
    url: '',
    website: '',
    duration: undefined,
    podcastTitle: '',
    podcastUrl: '',
    isPrivate: false,
  }
  const news = (released: number | undefined, subscribedSeq: number) =>
    toldNews(
      'new_episode',
      { upTo: 1, episodes: [{ ...episode, released, subscribedSeq }], devices: [], podcasts: [] },
      START,
      undefined,
    )
  expect(news(START - 100, START - 100)).toMatchObject({ total: 1 })
  expect(news(START - 101, START - 100)).toBeUndefined()
  // A logical clock that has run ahead of the real one, and one of which nobody knows the time.
  expect(news(START, START + 50)).toMatchObject({ total: 1 })
  expect(news(START - 10, START + 50)).toBeUndefined()
  expect(news(START - 10, START + 2 * DAY)).toMatchObject({ total: 1 })
  expect(news(5, 7)).toMatchObject({ total: 1 })
  expect(news(undefined, START)).toMatchObject({ total: 1 })
})

test('an episode that two addresses of a podcast tell is told once', () => {
  const said = { title: 'Fog', website: '', released: START, duration: undefined, podcastTitle: '', isPrivate: false }
  const episode = { ...said, url: 'https://cdn.example/fog.mp3', subscribedSeq: START }
  const episodes = [
    { ...episode, podcastUrl: 'https://feeds.example/new' },
    { ...episode, podcastUrl: 'http://feeds.example/old' },
  ]
  expect(toldNews('new_episode', { upTo: 1, episodes, devices: [], podcasts: [] }, START, undefined)).toMatchObject({
    total: 1,
    episodes: [{ podcastUrl: 'https://feeds.example/new' }],
  })
})
