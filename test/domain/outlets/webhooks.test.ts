import { expect, test } from 'bun:test'
import { parseWebhookUrl, toldNews } from '../../../src/domain/outlets/webhooks.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { startTestApp } from '../../support/app.ts'
import { signIn, signUp } from '../../support/client.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { receiver } from '../../support/webhooks.ts'
import { failed, HOUR, openFeedScene, START, subscribe } from '../feed-scene.ts'

const DAY = 24 * HOUR
const MINUTE = 60
const HOOK = '/api/2/me/webhook'
const FOG = 'https://feeds.example/fog'
const TIDE = 'https://feeds.example/tide'
const URL = 'https://hooks.example/ida'

/** Ida's phone has two feeds, which were fetched an hour ago, and her webhook is told everything. */
async function openHookScene({ settings = {}, feeds = [FOG, TIDE] as readonly string[] } = {}) {
  const { sender, script: answers, attempts, told } = receiver()
  const scene = await openFeedScene(feeds, { settings, webhookSender: sender })
  const { app } = scene
  const browser = await signIn(app)
  const published = new Map<string, { released?: number }[]>()
  scene.script.answer = async ({ url }) => {
    const episodes = (published.get(url) ?? []).map((fields, n) =>
      feedEpisode({ url: `${url}/${n}.mp3`, title: `Part ${n}`, guid: `${url} ${n}`, ...fields }),
    )
    return { ...UNCHANGED, kind: 'feed', document: feedDocument({ title: url === FOG ? 'Fog' : 'Tide', episodes }) }
  }
  await scene.runJob()
  const shown = async () => (await browser.get(HOOK)).json as Record<string, unknown>
  const tell = () => scene.runJob('webhooks')
  expect(await browser.put(HOOK, { url: URL })).toMatchObject({ status: 200 })
  return {
    ...scene,
    browser,
    answers,
    attempts,
    told,
    shown,
    tell,
    /** Lets an hour pass, in which each of the feeds gets so many new episodes, and has them fetched. */
    async publish(counts: Record<string, number>, released = () => app.clock.seconds() as number | undefined) {
      app.clock.advance(2 * HOUR)
      for (const [url, count] of Object.entries(counts)) {
        const all = published.get(url) ?? []
        const date = released()
        for (let n = 0; n < count; n++) all.push(date === undefined ? {} : { released: date })
        published.set(url, all)
      }
      await scene.runJob()
    },
    /** Nothing new comes for a minute, and then it is told. */
    async quiet() {
      app.clock.advance(MINUTE)
      await tell()
    },
  }
}

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

test('a receiver that answers 500 for a day gets it again ever later, until the message is given up', async () => {
  const { ida, answers, attempts, app, shown, tell, quiet, publish } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  const first = app.clock.seconds()
  expect(await shown()).toMatchObject({
    waiting: 1,
    dropped: 0,
    last_error: 'hooks.example answered 500',
    last_failure: expect.stringMatching(/^2025-03-02T1/),
    next_attempt: expect.stringMatching(/^2025-03-02T1/),
    off_reason: '',
  })
  for (let minute = 0; minute < 25 * 60; minute++) {
    app.clock.advance(MINUTE)
    await tell()
  }
  const waits = attempts.map(({ at }) => at - first)
  expect(waits.slice(0, 8)).toEqual([0, 60, 180, 420, 900, 1860, 3780, 7380])
  expect(Math.max(...waits)).toBeGreaterThan(23 * HOUR)
  expect(Math.max(...waits)).toBeLessThan(DAY)
  expect(new Set(attempts.map(({ message }) => message.id)).size).toBe(1)
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: 'hooks.example answered 500' })
  // The next one is tried, and all is well.
  answers.answer = () => 204
  await publish({ [FOG]: 1 })
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, next_attempt: '' })
  expect(attempts.at(-1)?.message.news.event).toBe('new_episode')
})

test('while attempts fail all messages wait, and then come in their order', async () => {
  const { ida, answers, attempts, told, publish, quiet, app, tell } = await openHookScene()
  answers.answer = () => 'hooks.example takes too long'
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  await publish({ [FOG]: 1 })
  await quiet()
  const before = attempts.length
  answers.answer = () => 200
  app.clock.advance(HOUR)
  await tell()
  expect(told().slice(before)).toMatchObject([{ event: 'new_device' }, { event: 'new_episode' }])
})

test('after a message that is delivered the next failure is the first again', async () => {
  const { ida, answers, quiet, app, tell, publish } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  for (let hour = 0; hour < 5; hour++) {
    app.clock.advance(HOUR)
    await tell()
  }
  await publish({ [FOG]: 1 })
  answers.answer = (_webhook, { news }) => (news.event === 'new_device' ? 200 : 500)
  await quiet()
  const pause = app.db.query('SELECT failures, next_attempt_at - failed_at AS seconds FROM webhooks').get()
  expect(pause).toEqual({ failures: 1, seconds: MINUTE })
})

test('a pause by a clock that was ahead is none', async () => {
  const { ida, answers, attempts, app, quiet, tell } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  app.clock.jump(-2 * HOUR)
  await tell()
  expect(attempts).toHaveLength(2)
})

test.each([
  [401, 'unauthorized'],
  [410, 'gone'],
])('%i switches the webhook off until it is set again', async (status, reason) => {
  const { ida, browser, answers, attempts, shown, quiet, app, publish } = await openHookScene()
  answers.answer = () => status
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ off_reason: reason, waiting: 0, dropped: 1, next_attempt: '' })
  expect(app.logs.join()).toContain(`"reason":"${reason}"`)
  expect(app.logs.join()).not.toContain(URL)
  await publish({ [FOG]: 1 })
  await ida.post('/api/2/devices/ida/watch.json', {})
  await quiet()
  expect(attempts).toHaveLength(1)
  answers.answer = () => 200
  expect(await browser.put(HOOK, { url: URL })).toMatchObject({ json: { off_reason: '' } })
  await ida.post('/api/2/devices/ida/tablet.json', {})
  await quiet()
  expect(attempts).toHaveLength(2)
})

test.each([400, 413, 415, 422])(
  'a message that is answered with %i is given up, and the next goes out',
  async (status) => {
    const { ida, answers, attempts, told, shown, quiet } = await openHookScene()
    answers.answer = () => 500
    await ida.post('/api/2/devices/ida/desk.json', {})
    await quiet()
    answers.answer = () => (attempts.length === 2 ? status : 200)
    await ida.post('/api/2/devices/ida/watch.json', {})
    await quiet()
    expect(told()).toMatchObject([
      { devices: [{ uid: 'desk' }] },
      { devices: [{ uid: 'desk' }] },
      { devices: [{ uid: 'watch' }] },
    ])
    expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: `hooks.example answered ${status}` })
  },
)

test('more than 500 messages do not wait, and a run sends 20 of them', async () => {
  const { ida, answers, attempts, app, shown, quiet, tell } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  const { content } = app.db.query<{ content: string }, []>('SELECT content FROM webhook_messages').get() ?? {
    content: '',
  }
  for (let n = 0; n < 500; n++)
    app.db.run('INSERT INTO webhook_messages (user_id, created_at, content) SELECT user_id, ?, ? FROM webhooks', [
      app.clock.seconds(),
      content,
    ])
  await ida.post('/api/2/devices/ida/watch.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 500, dropped: 2 })
  answers.answer = () => 200
  const before = attempts.length
  app.clock.advance(HOUR)
  await tell()
  expect(attempts.length - before).toBe(20)
})

test('a message that was on its way when the server stopped goes out after the next start', async () => {
  const { ida, answers, attempts, app, begin } = await openHookScene()
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  answers.answer = (_webhook, _message, signal) => {
    resolve()
    return new Promise((done) => signal.addEventListener('abort', () => done('the server is stopping')))
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  app.clock.advance(MINUTE)
  begin('webhooks')
  await sent
  app.beginStop()
  await app.idle()
  begin('webhooks')
  await app.idle()
  expect(attempts).toHaveLength(1)
  expect(app.db.query('SELECT * FROM webhook_messages').all()).toHaveLength(1)
  expect(app.db.query('SELECT failures, error FROM webhooks').get()).toEqual({ failures: 0, error: null })
})

test('another address that is set while an attempt fails is not blamed, and gets the message', async () => {
  const { ida, browser, answers, attempts, quiet, tell, shown } = await openHookScene()
  answers.answer = async () => {
    await browser.put(HOOK, { url: 'https://other.example/' })
    return 500
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 1, last_error: '' })
  answers.answer = () => 200
  await tell()
  expect(attempts.map(({ url }) => url)).toEqual([URL, 'https://other.example/'])
})

test('a receiver that says 410 after another one was set switches nothing off', async () => {
  const { ida, browser, answers, quiet, shown } = await openHookScene()
  answers.answer = async () => {
    await browser.put(HOOK, { url: 'https://other.example/' })
    return 410
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 1, off_reason: '' })
})

test('news of a webhook that is removed while they are read become no message', async () => {
  const { app, browser } = await openHookScene()
  const store = createSqliteStore(app.db)
  const userId = 1 as UserId
  await browser.delete(HOOK)
  const message = { id: 'x', createdAt: 1, username: 'ida', news: { event: 'test' } } as const
  await store.webhooks.enqueue({ userId, event: 'new_device', upTo: 1 }, message, 10)
  expect(await store.webhooks.messages(userId, 10)).toEqual([])
})

test('nothing is sent for an account that is not active, and nothing is left of one that is deleted', async () => {
  const { app, ida, attempts, quiet } = await openHookScene()
  await signUp(app, 'kai', 'pebbles')
  const kai = await signIn(app, 'kai', 'pebbles')
  await kai.put(HOOK, { url: 'https://kai.example/' })
  await kai.post('/api/2/devices/kai/desk.json', {})
  expect(await ida.post('/api/admin/users/kai/deactivate')).toMatchObject({ status: 200 })
  await quiet()
  expect(attempts).toEqual([])
  expect(app.db.query('SELECT count(*) AS n FROM webhook_messages').get()).toEqual({ n: 1 })
  expect(await ida.delete('/api/admin/users/kai')).toMatchObject({ status: 200 })
  expect(app.db.query('SELECT count(*) AS n FROM webhook_messages').get()).toEqual({ n: 0 })
})

test('a broken sender is a bug, and not the fault of the receiver', async () => {
  const { ida, answers, quiet, app } = await openHookScene()
  answers.answer = () => {
    throw new TypeError('oops')
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(app.logs.join()).toContain('work in the background failed')
  expect(app.db.query('SELECT failures FROM webhooks').get()).toEqual({ failures: 0 })
})

test.each([
  ['https://hooks.example', 'json', 'https://hooks.example/'],
  [' HTTP://Hooks.example/a?b=c#d ', 'json', 'http://hooks.example/a?b=c'],
  ['https://ida:pw@ntfy.example/ida_pods-1?auth=x', 'ntfy', 'https://ida:pw@ntfy.example/ida_pods-1?auth=x'],
  ['https://gotify.example/push/message?token=A1', 'gotify', 'https://gotify.example/push/message?token=A1'],
] as const)('%s is an address for %s', (text, format, expected) => {
  expect(parseWebhookUrl(text, format)).toBe(expected)
})

test.each([
  ['', 'json'],
  ['hooks.example', 'json'],
  ['ftp://hooks.example/', 'json'],
  ['javascript:alert(1)', 'json'],
  ['http://', 'json'],
  [`https://hooks.example/${'x'.repeat(2048)}`, 'json'],
  [`https://hooks.example/${'ä'.repeat(500)}`, 'json'],
  ['https://ntfy.example/', 'ntfy'],
  ['https://ntfy.example/a b', 'ntfy'],
  [`https://ntfy.example/${'x'.repeat(65)}`, 'ntfy'],
  ['https://gotify.example/message', 'gotify'],
  ['https://gotify.example/?token=A1', 'gotify'],
] as const)('%p is no address for %s', (text, format) => {
  expect(() => parseWebhookUrl(text, format)).toThrow(
    expect.objectContaining({ code: 'validation_failed', field: 'url' }),
  )
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

test('what waits is sent by the next server on the same database', async () => {
  const { ida, answers, quiet, app } = await openHookScene()
  answers.answer = () => 'hooks.example cannot be reached'
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  await ida.post('/api/2/devices/ida/watch.json', {})
  app.beginStop()
  await app.idle()
  const { sender, attempts, told } = receiver()
  const next = startTestApp({ db: app.db, clock: app.clock, webhookSender: sender })
  await next.recover()
  app.clock.advance(MINUTE)
  next.jobs.find(({ name }) => name === 'webhooks')?.run()
  await next.idle()
  expect(told()).toMatchObject([{ devices: [{ uid: 'desk' }] }, { devices: [{ uid: 'watch' }] }])
  expect(attempts[0]?.url).toBe(URL)
})
