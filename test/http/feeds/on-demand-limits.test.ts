import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { failed, feedOf } from '../../domain/feed-scene.ts'
import { type Answering, clientOf, signUp } from '../../support/client.ts'
import { episodesPath, podcastPath } from '../directory/scene.ts'
import { expectError } from '../error.ts'
import { lookupsOf, NEW, OWN, openOnDemand as openOnEngine, SECRET } from './on-demand-scene.ts'

/** On SQLite, where each request has asked for its feed after some turns of the event loop. */
const openOnDemand = (settings?: Record<string, string>, feeds?: readonly string[]) =>
  openOnEngine(settings, feeds, { db: openMemoryDatabase() })

const LIMITED = { rate_limit: 'true' }
/** Of different hosts, and of nobody. */
const unknown = (...numbers: number[]) => numbers.map((n) => `https://host${n}.example/f`)
const feeds = (count: number) => unknown(...Array(count).keys())
const LATE = podcastPath('https://late.example/f')

/** Lets all happen that does not have to wait for an answer. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((next) => setImmediate(next))
}

test.each([
  ['that can be had', feedOf('Harbour Talk'), 200],
  ['that cannot', failed(), 404],
])('one feed %s is asked once for 200 lookups at the same time (D51)', async (_case, answer, status) => {
  const { anyone, asked, hold, askedFor } = await openOnDemand()
  const held = hold()
  const answers = Array.from({ length: 200 }, (_, n) => anyone.get(lookupsOf(NEW)[n % 2] ?? ''))
  await askedFor(1)
  held.release(NEW, answer)
  expect(new Set((await Promise.all(answers)).map((each) => each.status))).toEqual(new Set([status]))
  expect(asked).toHaveLength(1)
})

test('one feed that could not be had is left alone for five minutes', async () => {
  const { app, anyone, ida, script, urlsAsked } = await openOnDemand()
  script.answer = async () => failed()
  for (const path of [...lookupsOf(NEW), ...lookupsOf(NEW)]) expectError(await anyone.get(path), 404, 'unknown_podcast')
  for (const path of lookupsOf(NEW)) expectError(await ida.get(path), 502, 'feed_unreachable')
  expect(urlsAsked()).toEqual([NEW, NEW])
  script.answer = async () => feedOf('Harbour Talk')
  app.clock.advance(299)
  expectError(await anyone.get(podcastPath(NEW)), 404, 'unknown_podcast')
  app.clock.advance(2)
  expect(await anyone.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
  expect(urlsAsked()).toEqual([NEW, NEW, NEW])
  // What is known does not wait for the memory of what was not.
  expect(await ida.get(podcastPath(NEW))).toMatchObject({ status: 200 })
})

/** Anonymous clients of different addresses. */
const BEHIND_PROXY = { trusted_proxies: '192.0.2.1' }
const from = (app: Answering, n: number) => clientOf(app, { 'x-forwarded-for': `198.51.100.${n}` })

test.each([
  ['an anonymous client', 1],
  ['a user', 2],
])('%s has so many lookups in progress, and the others in their turn: %i', async (who, atOnce) => {
  const { anyone, ida, asked, hold, askedFor } = await openOnDemand()
  const held = hold()
  const client = who === 'a user' ? ida : anyone
  const answers = feeds(7).map((url) => client.get(podcastPath(url)))
  for (let count = atOnce; count <= 7; count++) {
    await askedFor(count)
    await turns(20)
    expect(asked).toHaveLength(count)
    expect(held.urls()).toHaveLength(atOnce)
    held.release(held.urls()[0] ?? '', feedOf('Harbour Talk'))
  }
  for (const url of held.urls()) held.release(url, feedOf('Harbour Talk'))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(7).fill(200))
})

test('anonymous clients have four lookups in progress together, and take turns', async () => {
  const { app, asked, hold, askedFor, script } = await openOnDemand(BEHIND_PROXY)
  const held = hold()
  const answers = feeds(12).map((url, n) => from(app, n < 7 ? 0 : n).get(podcastPath(url)))
  await askedFor(4)
  await turns(20)
  expect(asked.map(({ url }) => url).toSorted()).toEqual(unknown(0, 7, 8, 9))
  held.release(unknown(7)[0] ?? '', failed())
  await askedFor(5)
  expect(asked.at(-1)?.url).toBe(unknown(10)[0] ?? '')
  script.answer = async () => failed()
  for (const url of held.urls()) held.release(url, failed())
  await Promise.all(answers)
})

test('32 anonymous lookups are in progress or wait, and users are looked up for as if there were none', async () => {
  const { app, anyone, ida, asked, hold, askedFor, script } = await openOnDemand(BEHIND_PROXY)
  script.answer = async () => feedOf('Harbour Talk')
  await anyone.get(podcastPath(NEW))
  const held = hold()
  const waiting = feeds(32).map((url, n) => from(app, n % 8).get(podcastPath(url)))
  await askedFor(5)
  await turns(20)
  const answer = await from(app, 9).get(LATE)
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('retry-after')).toBe('10')
  expect(await anyone.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
  expect(await anyone.get(podcastPath(OWN))).toMatchObject({ status: 200, json: { title: OWN } })
  script.answer = async () => failed()
  expectError(await ida.get(LATE), 502, 'feed_unreachable')
  for (const url of held.urls()) held.release(url, failed())
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([404]))
  expect(asked).toHaveLength(34)
})

describe('slow hosts that one user looks up', () => {
  /** Ida's lookups at four hosts, as many as one user may have. */
  async function openSlow() {
    const scene = await openOnDemand()
    const bob = await signUp(scene.app, 'bob')
    const held = scene.hold()
    const slow = Array.from({ length: 32 }, (_, n) => `https://slow${n % 4}.example/${n}`)
    const waiting = slow.map((url) => scene.ida.get(podcastPath(url)))
    await scene.askedFor(2)
    await turns(20)
    return {
      ...scene,
      ...{ bob, slow },
      /** Status of a lookup by another user, which succeeds while the others are held. */
      async lookUp(url: string) {
        const answer = bob.get(podcastPath(url))
        // Bounded, so that a broken rule fails the test instead of stopping it.
        for (let n = 0; n < 10_000 && !held.urls().includes(url); n++) await turns(1)
        held.release(url, feedOf('Harbour Talk'))
        return (await answer).status
      },
      async finish() {
        scene.script.answer = async () => failed()
        for (const url of held.urls()) held.release(url, failed())
        return new Set((await Promise.all(waiting)).map(({ status }) => status))
      },
    }
  }

  test.each([
    ['another host', 'https://host.example/f'],
    ['one of these hosts', 'https://slow0.example/f'],
    ['the feed that is being fetched last', 'https://slow3.example/31'],
  ])('keep no other user waiting: %s', async (_case, url) => {
    const { lookUp, finish } = await openSlow()
    expect(await lookUp(url)).toBe(200)
    expect(await finish()).toContain(502)
  })

  test('are 32 at most, and refuse no other user anything', async () => {
    const { ida, slow, lookUp, asked, finish } = await openSlow()
    expectError(await ida.get(LATE), 503, 'unavailable')
    const again = ida.get(podcastPath(slow[0] ?? ''))
    expect(await lookUp('https://host.example/f')).toBe(200)
    expect(await finish()).toEqual(new Set([502]))
    expect((await again).status).toBe(502)
    expect(asked).toHaveLength(33)
  })
})

test('anonymous clients of one address have six feeds fetched a minute, then are told when to come back', async () => {
  const { app, anyone, impostor, urlsAsked } = await openOnDemand(LIMITED)
  for (const url of feeds(6)) expect(await anyone.get(podcastPath(url))).toMatchObject({ status: 200 })
  app.clock.advance(20)
  for (const client of [anyone, impostor])
    for (const path of lookupsOf(NEW)) {
      const answer = await client.get(path)
      expectError(answer, 429, 'rate_limited')
      expect([answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual(['40', 'no-store'])
    }
  expect(urlsAsked()).toHaveLength(6)
  app.clock.advance(41)
  expect(await anyone.get(podcastPath(NEW))).toMatchObject({ status: 200 })
})

test('anonymous clients have what is known, waited for or tried of late as often as they like (D51)', async () => {
  const { anyone, script, hold, askedFor } = await openOnDemand(LIMITED)
  const [tried = '', ...others] = feeds(5).map(podcastPath)
  script.answer = async () => failed()
  for (const path of [tried, ...others]) await anyone.get(path)
  const held = hold()
  const waiting = Array.from({ length: 20 }, () => anyone.get(podcastPath(NEW)))
  await askedFor(6)
  held.release(NEW, feedOf('Harbour Talk'))
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  for (let n = 0; n < 20; n++) {
    expect((await anyone.get(podcastPath(NEW))).status).toBe(200)
    for (const path of [tried, podcastPath(SECRET)]) expectError(await anyone.get(path), 404, 'unknown_podcast')
  }
  expectError(await anyone.get(LATE), 429, 'rate_limited')
})

const MARKED = ['https://a.example/f', 'https://b.example/f', 'https://c.example/f']
const [A = '', B = '', C = ''] = MARKED

/** Ida has feeds that nobody else is to know of. */
async function open(settings: Record<string, string> = LIMITED) {
  const scene = await openOnDemand(settings, MARKED)
  for (const url of MARKED)
    await scene.ida.post(`/api/2/settings/ida/podcast.json?podcast=${url}`, { set: { public_subscription: false } })
  return scene
}

/** What is answered to one request after the other, and a minute later, when what was tried is not tried again. */
async function told(urls: readonly string[], pathOf: (url: string) => string) {
  const { app, anyone, script } = await open()
  script.answer = async () => failed()
  const answers = []
  for (const round of [1, 2]) {
    for (const url of urls) answers.push(await anyone.get(pathOf(url)))
    app.clock.advance(round * 61)
  }
  return answers.map(({ status, text, headers }) => ({ status, text, retryAfter: headers.get('retry-after') }))
}

test.each<[string, string[], number[]]>([
  ['six of them within a minute, and more', [A, ...unknown(0, 1, 2, 3), B, C, ...unknown(4)], [9, 0, 1, 2, 3, 8, 7, 4]],
  ['one behind six others', [...unknown(0, 1, 2, 3, 4, 5), A, A, B], [0, 1, 2, 3, 4, 5, 9, 9, 8]],
  ['one again and again', [A, A, A, A, A, A, A, A, ...unknown(0)], [9, 9, 9, 9, 9, 9, 9, 9, 0]],
])('a feed in private is as one that cannot be had: %s', async (_case, urls, same) => {
  for (const pathOf of [podcastPath, episodesPath, (url: string) => `/search.json?q=${encodeURIComponent(url)}`])
    expect(await told(urls, pathOf)).toEqual(await told(unknown(...same), pathOf))
})

test('a feed that a user has in private is as one that cannot be had while too many are waited for', async () => {
  const { app, hold, askedFor, script } = await open(BEHIND_PROXY)
  const held = hold()
  const waiting = feeds(32).map((url, n) => from(app, n % 8).get(podcastPath(url)))
  await askedFor(4)
  for (const url of [A, NEW]) expectError(await from(app, 9).get(podcastPath(url)), 503, 'unavailable')
  script.answer = async () => failed()
  for (const url of held.urls()) held.release(url, failed())
  await Promise.all(waiting)
})

test('while the server stops, nothing is fetched, and nothing that comes is stored', async () => {
  const { app, anyone, ida, asked, hold, askedFor, row } = await openOnDemand()
  const held = hold()
  const waiting = [anyone, ida].map((client) => client.get(podcastPath(NEW)))
  await askedFor(2)
  app.beginStop()
  for (const answer of await Promise.all(waiting)) expectError(answer, 503, 'unavailable')
  held.release(NEW, feedOf('Harbour Talk'))
  for (const client of [anyone, ida]) {
    expectError(await client.get(LATE), 503, 'unavailable')
    expect(await client.get(podcastPath(OWN))).toMatchObject({ status: 200, json: { title: OWN } })
  }
  await app.idle()
  expect(asked).toHaveLength(2)
  expect(await row(NEW)).toBeUndefined()
})
