import { describe, expect, test } from 'bun:test'
import type { FeedContents } from '../../src/domain/feeds/document.ts'
import { type FeedAnswer, type FeedToFetch, unfetchedFeed } from '../../src/domain/feeds/ports.ts'
import type { FetchRequest } from '../../src/worker/protocol.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { contentsOf, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'
import { reasonOf } from '../support/values.ts'
import { ALL, answering, ask, feedOf, hanging, inTurn, open, SETTINGS, STOPPING, store, URL_A } from './client-scene.ts'

const numbered = (n: number) => feedEpisode({ url: `https://a.example/${n}.mp3` })

const LOST = { message: 'the feed worker ended: SIGSEGV: low tide' }

describe('a feed', () => {
  test('is requested with its stored state, the audience and the time', async () => {
    const requests: FetchRequest[] = []
    using scene = open(async (request) => {
      requests.push(request)
      return UNCHANGED
    })
    const feed: FeedToFetch = { ...unfetchedFeed(URL_A), etag: '"1"', bodyHash: 'abc', failures: 3, ttlSeconds: 60 }
    const wanted = { fingerprints: '{"1":"a.b.c"}', order: 'newest first', limit: 10 } as const
    await scene.scheduled.ask(feed, 5, wanted, store)
    await scene.authenticated.ask(feed, 6, ALL, store)
    await scene.anonymous.ask(feed, 7, ALL, store)
    expect(requests).toMatchObject([
      { audience: 'scheduled', feed, at: 5, wanted },
      { audience: 'authenticated', feed, at: 6, wanted: ALL },
      { audience: 'anonymous', feed, at: 7, wanted: ALL },
    ])
    expect(scene.receivedSettings).toEqual([SETTINGS])
  })

  test.each([0, 3, 35])('is stored with all its episodes before the answer: %i', async (count) => {
    using scene = open(answering(feedOf(count)))
    const stored: FeedContents[] = []
    const answer = await scene.scheduled.ask(
      unfetchedFeed(URL_A),
      5,
      ALL,
      async (contents) => void stored.push(contents),
    )
    expect(stored).toMatchObject([{ document: { title: 'Harbour Talk', episodeCount: count }, isInside: true }])
    expect(stored[0]?.episodes.map(({ title }) => title)).toEqual(
      Array.from({ length: count }, (_, n) => `Fog ${count - 1 - n}`),
    )
    expect(answer).toMatchObject({ kind: 'feed', etag: '"1"', document: { title: 'Harbour Talk' } })
  })

  test('is stored with the episodes of its last page first, since they are the oldest', async () => {
    const { episodes } = contentsOf(feedDocument({ episodes: [1, 2, 3, 4, 5, 6].map(numbered) }), ALL)
    using scene = open(async (_request, sink) => {
      for (const from of [4, 2, 0]) {
        sink.begin()
        for (const each of episodes.slice(from, from + 2)) sink.add([each])
      }
      return { ...UNCHANGED, kind: 'feed', document: { ...feedDocument(), episodeCount: 6 } }
    })
    let stored: FeedContents['episodes'] = []
    await scene.scheduled.ask(unfetchedFeed(URL_A), 5, ALL, async (contents) => {
      stored = contents.episodes
    })
    expect(stored).toEqual(episodes)
  })

  test('does not wait for others', async () => {
    const { fetchFeed: hang, reached } = hanging()
    using scene = open((request, sink) => (request.at === 6 ? hang : answering(feedOf(3)))(request, sink))
    const slow = reasonOf(scene.authenticated.ask(unfetchedFeed(URL_A), 6, ALL, store))
    await reached
    const { promise: stored, resolve: finish } = Promise.withResolvers<void>()
    const first = scene.scheduled.ask(unfetchedFeed(URL_A), 5, ALL, () => stored)
    expect(await ask(scene.scheduled)).toMatchObject({ kind: 'feed' })
    finish()
    expect(await first).toMatchObject({ kind: 'feed' })
    scene.scheduled.close()
    expect(await slow).toMatchObject(STOPPING)
  })
})

test('an internal error is reported without secrets, and the next feed is answered', async () => {
  const faults = [new Error('low tide at https://ida:seaglass@a.example/f?key=seaglass'), 'low tide']
  using scene = open(async () => {
    const fault = faults.shift()
    if (fault) throw fault
    return UNCHANGED
  })
  const reason = await reasonOf(ask(scene.scheduled))
  expect(reason).toMatchObject({ message: expect.stringContaining('low tide at https://a.example/…') })
  expect(String(reason)).not.toContain('seaglass')
  expect(await reasonOf(ask(scene.scheduled))).toMatchObject({ message: 'low tide' })
  expect(await ask(scene.scheduled)).toEqual(UNCHANGED)
  expect(scene.processes).toHaveLength(1)
})

describe('the process', () => {
  test('is started when needed, ended after twenty idle seconds, and counted', async () => {
    using scene = open()
    expect([scene.living(), scene.counts()]).toEqual([0, { starts: 0, failures: 0 }])
    await ask(scene.scheduled)
    scene.timer.pass(19_999)
    await Promise.all([scene.scheduled, scene.authenticated].map((source) => ask(source)))
    scene.timer.pass(19_999)
    expect([scene.processes.length, scene.living()]).toEqual([1, 1])
    scene.timer.pass(1)
    expect(scene.living()).toBe(0)
    expect(await ask(scene.scheduled)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
    expect(scene.receivedSettings).toEqual([SETTINGS, SETTINGS])
    expect(scene.counts()).toEqual({ starts: 2, failures: 0 })
  })

  test('is not ended while a feed is in flight', async () => {
    const { fetchFeed, reached } = hanging()
    using scene = open(fetchFeed)
    const slow = reasonOf(ask(scene.scheduled))
    await reached
    for (let n = 0; n < 60; n++) {
      scene.timer.pass(10_000)
      scene.processes[0]?.onResponse({ isAlive: true })
    }
    expect(scene.living()).toBe(1)
    scene.scheduled.close()
    await slow
  })

  test('that crashes is replaced, and requests in flight are repeated', async () => {
    const { fetchFeed: hang, reached } = hanging()
    using scene = open(inTurn(hang, answering(feedOf(7))))
    let episodes = 0
    const asked = scene.scheduled.ask(unfetchedFeed(URL_A), 5, ALL, async (contents) => {
      episodes = contents.episodes.length
    })
    await reached
    scene.die()
    expect(await asked).toMatchObject({ kind: 'feed', document: { title: 'Harbour Talk' } })
    expect(episodes).toBe(7)
    expect([scene.processes.length, scene.living(), scene.receivedSettings.length]).toEqual([2, 1, 2])
    expect(scene.counts()).toEqual({ starts: 2, failures: 1 })
  })

  test('that crashes while it parses a feed fails that feed, and other requests are repeated', async () => {
    const { fetchFeed: parse, reached } = hanging({ isParsing: true })
    const { fetchFeed: hang, reached: alsoReached } = hanging()
    using scene = open(inTurn(hang, parse, answering(feedOf(3))))
    const other = ask(scene.authenticated)
    const culprit = reasonOf(ask(scene.scheduled))
    await Promise.all([reached, alsoReached])
    await Promise.resolve()
    scene.die()
    expect(await culprit).toMatchObject(LOST)
    expect(await other).toMatchObject({ kind: 'feed' })
  })

  test('that crashes twice during a feed fails it, and is replaced for the next feed', async () => {
    const hangs = [hanging(), hanging()]
    using scene = open(inTurn(...hangs.map(({ fetchFeed }) => fetchFeed), answering(UNCHANGED)))
    const asked = reasonOf(ask(scene.scheduled))
    for (const { reached } of hangs) {
      await reached
      scene.die()
    }
    expect(await asked).toMatchObject(LOST)
    expect(await ask(scene.scheduled)).toEqual(UNCHANGED)
    expect(scene.processes).toHaveLength(3)
  })

  test('may crash when idle, and late messages of ended processes are ignored', async () => {
    using scene = open()
    await ask(scene.scheduled)
    scene.die()
    await ask(scene.scheduled)
    scene.processes[0]?.onEnd('once more')
    scene.processes[0]?.onResponse({ number: 1, answer: UNREACHABLE })
    expect(await ask(scene.scheduled)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
  })

  const outOfFiles = Object.assign(new Error('EMFILE: too many open files, socketpair'), { code: 'EMFILE' })
  test.each([
    [new Error('too many processes'), { message: 'too many processes' }],
    // Temporary, and not the fault of the feed.
    [outOfFiles, { name: 'DomainError', code: 'unavailable', retryAfter: 30 }],
  ])('that cannot be started fails only the requests that need it: %s', async (fault, reason) => {
    using scene = open()
    const { processes } = scene
    const push = processes.push.bind(processes)
    processes.push = () => {
      processes.push = push
      throw fault
    }
    expect(await reasonOf(ask(scene.scheduled))).toMatchObject(reason)
    expect(await ask(scene.scheduled)).toEqual(UNCHANGED)
  })
})

describe('a process that sends nothing for half a minute', () => {
  async function silent(isParsing: boolean, processorMs: number | undefined, seconds: number) {
    const { fetchFeed: hang, reached } = hanging({ isParsing })
    const scene = open(inTurn(hang, answering(UNCHANGED)))
    const asked = ask(scene.scheduled).catch((reason: unknown) => reason)
    await reached
    await Promise.resolve()
    scene.timer.pass(5000)
    if (scene.processes[0]) scene.processes[0].processorMs = processorMs
    scene.timer.pass((seconds - 5) * 1000)
    return Object.assign(scene, { asked })
  }

  test.each([15_000, undefined])('but computes fails the feed that it parses (%p ms)', async (processorMs) => {
    using scene = await silent(true, processorMs, 30)
    expect(await scene.asked).toMatchObject({ reason: 'not_a_feed', message: 'parsing the document takes too long' })
    expect(scene.living()).toBe(0)
  })

  test('and parses nothing is replaced, and the feed is requested again', async () => {
    using scene = await silent(false, undefined, 30)
    expect(await scene.asked).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
  })

  test('but gets no processor time is ended after five minutes', async () => {
    using scene = await silent(true, 14_999, 299)
    expect(scene.living()).toBe(1)
    scene.timer.pass(1000)
    expect(await scene.asked).toMatchObject({ reason: 'not_a_feed' })
  })

  test('is not ended after a heartbeat', async () => {
    using scene = await silent(true, undefined, 29)
    scene.processes[0]?.onResponse({ isAlive: true })
    scene.timer.pass(24_000)
    expect(scene.living()).toBe(1)
    scene.scheduled.close()
    expect(await scene.asked).toMatchObject(STOPPING)
  })
})

describe('a large document', () => {
  const MIB = 1024 * 1024
  const tooLarge: FeedAnswer = { kind: 'failed', reason: 'too_large', message: 'too large', retryAfter: undefined }

  /** Sizes of documents in MiB, by URL. */
  function openSizes(sizes: Readonly<Record<string, number>>, feedMaxBytes = 16 * MIB) {
    const fetched: string[] = []
    const scene = open(
      async (request, sink) => {
        const { feed, maxBytes = feedMaxBytes } = request
        fetched.push(`${feed.url} ${maxBytes / MIB}`)
        const isTooLarge = (sizes[feed.url] ?? 0) * MIB > maxBytes
        return isTooLarge ? tooLarge : answering(feedOf(1))(request, sink)
      },
      { ...SETTINGS, feedMaxBytes },
    )
    return Object.assign(scene, { fetched })
  }

  test('is first fetched with a small limit, and remembered', async () => {
    using scene = openSizes({ small: 2, large: 3 })
    for (const url of ['small', 'small', 'large', 'large'])
      expect(await ask(scene.scheduled, url)).toMatchObject({ kind: 'feed' })
    expect(scene.fetched).toEqual(['small 2', 'small 2', 'large 2', 'large 16', 'large 16'])
  })

  test('has its process ended a second after the last feed, to free the memory', async () => {
    using scene = openSizes({ large: 3 })
    await ask(scene.scheduled, 'large')
    scene.timer.pass(1000)
    expect(scene.living()).toBe(0)
    await ask(scene.scheduled, 'small')
    scene.timer.pass(1000)
    expect(scene.living()).toBe(1)
  })

  test('above the limit of the settings is refused; without a small limit first if a user is waiting', async () => {
    using scene = openSizes({ large: 17, waited: 3 })
    expect(await ask(scene.scheduled, 'large')).toEqual(tooLarge)
    expect(await ask(scene.authenticated, 'waited')).toMatchObject({ kind: 'feed' })
    expect(scene.fetched).toEqual(['large 2', 'large 16', 'waited 16'])
    using strict = openSizes({ large: 3 }, MIB)
    expect(await ask(strict.scheduled, 'large')).toEqual(tooLarge)
    expect(strict.fetched).toEqual(['large 1'])
  })

  test('waits while two others are being stored, but small ones do not', async () => {
    using scene = openSizes({ a: 3, b: 3, c: 3 })
    const begun: string[] = []
    const holds = new Map<string, () => void>()
    const all = ['a', 'b', 'c'].map((url) =>
      scene.scheduled.ask(unfetchedFeed(url), 5, ALL, async () => {
        begun.push(url)
        await new Promise<void>((resolve) => holds.set(url, resolve))
      }),
    )
    await ask(scene.scheduled, 'small')
    while (begun.length < 2) await new Promise((resolve) => setImmediate(resolve))
    for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual(['a', 'b'])
    holds.get('b')?.()
    while (begun.length < 3) await new Promise((resolve) => setImmediate(resolve))
    for (const finish of holds.values()) finish()
    expect(await Promise.all(all)).toHaveLength(3)
  })
})

test('closing ends the process and all requests, and may be repeated', async () => {
  const { fetchFeed, reached } = hanging()
  using scene = open(fetchFeed)
  const waiting = [scene.scheduled, scene.authenticated].map((source) => reasonOf(ask(source)))
  await reached
  scene.authenticated.close()
  scene.scheduled.close()
  for (const each of waiting) expect(await each).toMatchObject(STOPPING)
  expect(await reasonOf(ask(scene.anonymous))).toMatchObject(STOPPING)
  expect([scene.processes.length, scene.living()]).toEqual([1, 0])
  expect(scene.timer.waiting).toBe(0)
})

describe('a transcript', () => {
  const asked = { url: 'https://cdn.tidewater.example/fog.vtt', type: 'text/vtt' }
  const found = { kind: 'file', file: '[]', size: 4 } as const

  /** Parses the transcript forever; `reached` resolves when that begins. */
  function openParsing(fetchFeed = answering(UNCHANGED)) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const scene = open(fetchFeed, SETTINGS, (_asked, begin) => {
      begin()
      resolve()
      return new Promise(() => undefined)
    })
    return Object.assign(scene, { reached: promise.then(() => new Promise((done) => setImmediate(done))) })
  }

  test('is fetched by the same process as feeds', async () => {
    using scene = open(answering(UNCHANGED), SETTINGS, async ({ url }, begin) => {
      begin()
      return url === asked.url ? found : { kind: 'failed', reason: 'unavailable' }
    })
    expect(await Promise.all([scene.transcripts(asked), ask(scene.scheduled)])).toEqual([found, UNCHANGED])
    expect(scene.counts()).toEqual({ starts: 1, failures: 0 })
  })

  test('that crashes the process is not tried again, but feeds in flight are', async () => {
    using scene = openParsing(inTurn(() => new Promise(() => undefined), answering(UNCHANGED)))
    const feed = ask(scene.scheduled)
    const transcript = reasonOf(scene.transcripts(asked))
    await scene.reached
    scene.die()
    expect(await transcript).toMatchObject(LOST)
    expect(await feed).toEqual(UNCHANGED)
  })

  test('that takes too long to parse is unreadable', async () => {
    using scene = openParsing()
    const transcript = scene.transcripts(asked)
    await scene.reached
    scene.timer.pass(5000)
    if (scene.processes[0]) scene.processes[0].processorMs = 15_000
    scene.timer.pass(25_000)
    expect(await transcript).toEqual({ kind: 'failed', reason: 'unreadable' })
  })
})
