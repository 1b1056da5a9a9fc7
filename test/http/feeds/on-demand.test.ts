import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { failed, feedOf } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, clientOf, signUp } from '../../support/client.ts'
import { contentsOf, UNCHANGED } from '../../support/feed-source.ts'
import { episodePath, episodesPath, podcastPath } from '../directory/scene.ts'
import { expectError } from '../error.ts'
import { FOG, lookupsOf, NEW, OWN, openOnDemand, REASONS, SECRET } from './on-demand-scene.ts'

/** Feeds that are fetched because somebody looks at them. */

type Scene = Awaited<ReturnType<typeof openOnDemand>>

const fails =
  (reason: FeedFailureReason) =>
  ({ script }: Scene) => {
    script.answer = async () => failed({ reason, message: `low tide at 192.168.1.20, by reason of ${reason}` })
  }

describe('a podcast that somebody has and that was never fetched', () => {
  test.each(REASONS)('is shown with what is known if that fails: %s', async (reason) => {
    for (const who of ['anyone', 'ida'] as const) {
      const scene = await openOnDemand()
      const { row, [who]: client } = scene
      fails(reason)(scene)
      const known = { url: OWN, title: OWN, author: '', subscribers: 1 }
      expect(await client.get(podcastPath(OWN))).toMatchObject({ status: 200, json: known })
      expect(await client.get(episodesPath(OWN))).toMatchObject({ status: 200, json: { total: 0, episodes: [] } })
      expectError(await client.get(episodePath(OWN, FOG)), 404, 'unknown_episode')
      // What anonymous clients may not reach is no fault of the feed.
      const failures = who === 'anyone' && reason === 'forbidden' ? 0 : 1
      expect(await row(OWN)).toMatchObject({ failures, error_reason: failures === 0 ? null : reason })
    }
  })

  test('is fetched for its subscriber alone if its address is a secret (D56)', async () => {
    const { app, ida, anyone, impostor, urlsAsked } = await openOnDemand({}, [SECRET])
    const bob = await signUp(app, 'bob')
    for (const client of [anyone, impostor, bob])
      for (const path of lookupsOf(SECRET)) expectError(await client.get(path), 404, 'unknown_podcast')
    for (const client of [ida, bob])
      expectError(await client.get(podcastPath('https://feeds.example/g?token=2')), 404, 'unknown_podcast')
    expect(urlsAsked()).toEqual([])
    expect(await ida.get(podcastPath(SECRET))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
    expect(urlsAsked()).toEqual([SECRET])
    expectError(await anyone.get(podcastPath(SECRET)), 404, 'unknown_podcast')
  })
})

test.each(['anyone', 'ida', 'impostor'] as const)('what nobody has is fetched once for %s, and kept', async (who) => {
  for (const index of [0, 1, 2]) {
    const { [who]: client, anyone, urlsAsked, row } = await openOnDemand()
    const { status, text } = await client.get(lookupsOf(NEW)[index] ?? '')
    expect([status, text]).toEqual([200, expect.stringContaining('Harbour Talk')])
    for (const other of [...lookupsOf(NEW), ...lookupsOf(OWN)])
      expect(await anyone.get(other)).toMatchObject({ status: 200 })
    expect(urlsAsked()).toEqual([NEW, OWN])
    expect(await row(NEW)).toMatchObject({ is_local: 0, is_private: 0, subscribers: 0 })
  }
})

test('what nobody has is in no list until somebody subscribes, and then is in all (D51, D52)', async () => {
  const { app, ida, anyone, urlsAsked } = await openOnDemand()
  const bob = await signUp(app, 'bob')
  for (const url of [OWN, NEW]) await anyone.get(podcastPath(url))
  const paths = ['/toplist.txt', '/search.txt?q=harbour', '/api/2/search/all?q=harbour', '/api/2/tag/sea/9.json']
  async function lists() {
    const texts = await Promise.all([...paths, '/suggestions/9.txt'].map(async (path) => (await ida.get(path)).text))
    return [...texts.map((text) => text.includes(NEW)), (await anyone.get('/api/2/tags/9.json')).json]
  }
  const sea = (usage: number) => [{ title: 'Sea', tag: 'sea', usage }]
  expect(await lists()).toEqual([false, false, false, false, false, sea(1)])
  await bob.post('/api/2/subscriptions/bob/phone.json', { add: [NEW] })
  expect(await lists()).toEqual([true, true, true, true, true, sea(2)])
  expect(urlsAsked()).toEqual([OWN, NEW])
})

test('nobody is told that somebody’s episode action has named a podcast', async () => {
  const action = { podcast: NEW, episode: FOG, action: 'play', position: 1 }
  const { ida, anyone, script, urlsAsked } = await openOnDemand()
  await ida.post('/api/2/episodes/ida.json', [action, { ...action, podcast: SECRET }])
  script.answer = async () => failed()
  const unknown = await anyone.get(podcastPath('https://feeds.example/other'))
  for (const url of [NEW, SECRET]) expect((await anyone.get(podcastPath(url))).text).toBe(unknown.text)
  expectError(await ida.get(podcastPath(NEW)), 502, 'feed_unreachable')
  expectError(await ida.get(podcastPath(SECRET)), 404, 'unknown_podcast')
  expect(urlsAsked()).not.toContain(SECRET)
})

type Situation = [why: string, url: string, settings: Record<string, string>, begin: (scene: Scene) => unknown]

/** Why an anonymous client is told that there is no such podcast. */
const SITUATIONS: Situation[] = [
  ...REASONS.map(([reason]): Situation => [`it cannot be had: ${reason}`, NEW, {}, fails(reason)]),
  ['nothing is to be fetched', NEW, { feed_on_demand: 'off' }, () => undefined],
  ['its address is a secret', SECRET, {}, () => undefined],
  [
    'its address is a secret of somebody here',
    SECRET,
    {},
    ({ ida }) => ida.post('/api/2/subscriptions/ida/phone.json', { add: [SECRET] }),
  ],
  [
    'its publisher does not want it listed',
    NEW,
    {},
    ({ script }) =>
      Object.assign(script, { answer: async () => feedOf('', { document: feedDocument({ isBlocked: true }) }) }),
  ],
  [
    'it is private to its subscriber',
    OWN,
    {},
    ({ ida }) => ida.post(`/api/2/settings/ida/podcast.json?podcast=${OWN}`, { set: { public_subscription: false } }),
  ],
]

const seen = ({ status, headers, text }: Answer) => ({ status, text, headers: [...headers] })

test.each(SITUATIONS)('anonymous clients are told the same to the byte if %s', async (_why, url, settings, begin) => {
  const other = await openOnDemand()
  fails('unreachable')(other)
  const unknown = seen(await other.anyone.get(podcastPath('https://feeds.example/other')))
  const scene = await openOnDemand(settings)
  await begin(scene)
  for (const client of [scene.anyone, scene.impostor])
    for (const path of lookupsOf(url)) {
      const answer = await client.get(path)
      expectError(answer, 404, 'unknown_podcast')
      expect(seen(answer)).toEqual(unknown)
    }
})

test.each(REASONS)('a user is told why: %s is %i %s', async (reason, status, word) => {
  const scene = await openOnDemand()
  fails(reason)(scene)
  for (const path of lookupsOf(NEW)) expectError(await scene.ida.get(path), status, word)
})

test.each([
  ['anyone', { anyone: 200, impostor: 200, ida: 200 }],
  ['users', { anyone: 404, impostor: 404, ida: 200 }],
  ['off', { anyone: 404, impostor: 404, ida: 404 }],
])('feed_on_demand = %s says for whom an unknown feed is fetched: %j', async (feed_on_demand, expected) => {
  for (const who of ['anyone', 'impostor', 'ida'] as const) {
    const { [who]: client, anyone, urlsAsked } = await openOnDemand({ feed_on_demand })
    for (const path of lookupsOf(NEW)) expect((await client.get(path)).status).toBe(expected[who])
    expect(urlsAsked()).toEqual(expected[who] === 200 ? [NEW] : [])
    // What is known is for everybody.
    expect((await anyone.get(podcastPath(NEW))).status).toBe(expected[who])
  }
})

describe('a feed of the private network that somebody with an account has looked at, and nobody has', () => {
  /** `feed_allow_private` lets people with an account have it. */
  async function open(settings: Record<string, string> = {}) {
    const scene = await openOnDemand(settings)
    scene.script.answer = async () => feedOf('', { document: feedDocument(), isInside: true })
    expect(await scene.ida.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
    return scene
  }

  test('is not there for anonymous clients', async () => {
    const { anyone, ida } = await open()
    for (const path of lookupsOf(NEW)) {
      expectError(await anyone.get(path), 404, 'unknown_podcast')
      expect((await ida.get(path)).status).toBe(200)
    }
  })

  test('is to them as one that cannot be had, with the same limit', async () => {
    const told = async (isKnown: boolean) => {
      const { anyone, script } = await open({ rate_limit: 'true' })
      script.answer = async () => failed({ reason: 'forbidden' })
      const urls = Array.from({ length: 8 }, (_, n) => `https://host${n}.example/f`)
      if (isKnown) urls[2] = NEW
      const answers = []
      for (const url of [...urls, ...urls]) answers.push(await anyone.get(podcastPath(url)))
      return answers.map(({ status, text, headers }) => [status, text, headers.get('retry-after')])
    }
    expect(await told(true)).toEqual(await told(false))
  })

  test('is not there for them while it is being stored either', async () => {
    const document = feedDocument()
    const told: number[] = []
    const app = startTestApp({
      settings: { rate_limit: 'false' },
      feedSource: {
        async ask(_feed, _at, wanted, store) {
          const contents = contentsOf(document, wanted)
          await store({ ...contents, isInside: true, leads: [] })
          told.push((await clientOf(app).get(podcastPath(NEW))).status)
          return { ...UNCHANGED, kind: 'feed', document: contents.document, isInside: true }
        },
        close: () => undefined,
      },
    })
    const ida = await signUp(app)
    expect((await ida.get(podcastPath(NEW))).status).toBe(200)
    expect(told).toEqual([404])
  })
})
