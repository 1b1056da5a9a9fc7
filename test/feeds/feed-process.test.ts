import { describe, expect, test } from 'bun:test'
import { type FeedDocument, NotAFeed } from '../../src/domain/feed-document.ts'
import { type AskedFeed, type FeedAnswer, type FeedSource, neverAsked } from '../../src/domain/feed-ports.ts'
import { createFeedClerk } from '../../src/feeds/feed-clerk.ts'
import type { FeedOrder, FeedReply, FeedSettings, FeedSources } from '../../src/feeds/feed-messages.ts'
import { createFeedProcess, type ProcessEvents } from '../../src/feeds/feed-process.ts'
import { parseFeed } from '../../src/feeds/parse-feed.ts'
import { given, type ScriptedAnswer, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'
import { reasonOf } from '../support/reason.ts'
import { FakeTimer } from '../support/timer.ts'

const SETTINGS: FeedSettings = {
  version: '1',
  feedAllowPrivate: ['harbour.lan'],
  feedTimeoutSeconds: 30,
  feedMaxBytes: 1000,
  feedMaxEpisodes: 100,
}
const URL_A = 'https://a.example/f'
const STOPPING = { word: 'unavailable', message: 'the server is stopping' }
const noRead = async () => undefined

function document(episodes: number): FeedDocument {
  const items = Array.from(
    { length: episodes },
    (_, n) => `<item><title>Fog ${n}</title><enclosure url="${n}.mp3"/></item>`,
  )
  const text = `<rss><channel><title>Harbour Talk</title>${items.join('')}</channel></rss>`
  return parseFeed(new TextEncoder().encode(text), 'text/xml', { url: URL_A, maxEpisodes: 100 })
}

const { episodes: _, ...DETAILS } = document(0)
const OUTLINE = { ...DETAILS, episodeCount: 0 }

const feedOf = (episodes: number): ScriptedAnswer => ({
  ...UNCHANGED,
  kind: 'feed',
  etag: '"1"',
  isInside: true,
  document: document(episodes),
})

type Ask = FeedSource['ask']
type Process = ProcessEvents & { isThere: boolean }

const answering =
  (answer: ScriptedAnswer): Ask =>
  (_feed, _at, read) =>
    given(answer, read)

/** One process after the other, which hold what messages can hold and have `ask` for all kinds of people, or what is told of each kind. */
function open(ask: Ask | Partial<Record<keyof FeedSources, Ask>> = answering(UNCHANGED)) {
  const timer = new FakeTimer()
  const settings: FeedSettings[] = []
  const processes: Process[] = []
  const sourceOf = (of: keyof FeedSources): FeedSource => ({
    ask: (typeof ask === 'function' ? ask : ask[of]) ?? answering(UNREACHABLE),
    close: () => undefined,
  })
  const sources = createFeedProcess(
    (events) => {
      const process: Process = { ...events, isThere: true }
      processes.push(process)
      const clerk = createFeedClerk(
        (given) => {
          settings.push(given)
          return { loop: sourceOf('loop'), users: sourceOf('users'), anyone: sourceOf('anyone') }
        },
        (reply: FeedReply) => {
          const copy = structuredClone(reply)
          queueMicrotask(() => process.isThere && events.onReply(copy))
        },
      )
      return {
        send(order: FeedOrder) {
          const copy = structuredClone(order)
          queueMicrotask(() => process.isThere && clerk(copy))
        },
        end() {
          process.isThere = false
        },
      }
    },
    SETTINGS,
    timer.start,
  )
  return {
    ...sources,
    timer,
    settings,
    processes,
    living: () => processes.filter(({ isThere }) => isThere).length,
    /** The last one ends by itself. */
    die() {
      const process = processes.at(-1)
      if (!process) return
      process.isThere = false
      process.onEnd('SIGSEGV: low tide')
    },
    [Symbol.dispose]: () => sources.loop.close(),
  }
}

/** Never answers; `reached` settles when it is asked. */
function hanging() {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const ask: Ask = () => {
    resolve()
    return new Promise<never>(() => undefined)
  }
  return { ask, reached }
}

describe('a feed', () => {
  const ANSWERS: [string, ScriptedAnswer][] = [
    ['unchanged', { ...UNCHANGED, etag: '"1"', freshFor: 60 }],
    ['out of reach', UNREACHABLE],
  ]
  test.each(ANSWERS)('answers as it would here: %s', async (_case, answer) => {
    using scene = open(answering(answer))
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(answer as FeedAnswer)
  })

  test('is asked for with what is known of it, for whom it is, and at what time', async () => {
    const asked: [string, AskedFeed, number][] = []
    const asking =
      (whom: string): Ask =>
      async (feed, at) => {
        asked.push([whom, feed, at])
        return UNCHANGED
      }
    using scene = open({ loop: asking('loop'), users: asking('users'), anyone: asking('anyone') })
    const feed: AskedFeed = { ...neverAsked(URL_A), etag: '"1"', bodyHash: 'abc', failures: 3, ttlSeconds: 60 }
    await scene.loop.ask(feed, 5, noRead)
    await scene.users.ask(feed, 6, noRead)
    await scene.anyone.ask(feed, 7, noRead)
    expect(asked).toEqual([
      ['loop', feed, 5],
      ['users', feed, 6],
      ['anyone', feed, 7],
    ])
    expect(scene.settings).toEqual([SETTINGS])
  })

  test.each([0, 1, 9, 10, 11, 30, 35])('is read while it is open: %i episodes', async (count) => {
    using scene = open(answering(feedOf(count)))
    const titles: string[] = []
    const answer = await scene.loop.ask(neverAsked(URL_A), 5, async ({ document, isInside, episodesBut }) => {
      expect([document.title, document.episodeCount, isInside]).toEqual(['Harbour Talk', count, true])
      for await (const some of episodesBut('{}', 'oldest first')) titles.push(...some.map(({ title }) => title))
    })
    expect(titles).toEqual(Array.from({ length: count }, (_, n) => `Fog ${count - 1 - n}`))
    expect(answer).toMatchObject({ kind: 'feed', etag: '"1"', document: { title: 'Harbour Talk' } })
  })

  test('comes newest first unless told otherwise, without what is known, and may be gone through again', async () => {
    using scene = open(answering(feedOf(12)))
    const rounds: string[][] = []
    let known = '{}'
    await scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      for (let round = 0; round < 3; round++) {
        const titles: string[] = []
        const fingerprints: string[] = []
        for await (const some of episodesBut(known)) {
          titles.push(...some.map(({ title }) => title))
          fingerprints.push(...some.map(({ fingerprint }) => fingerprint))
        }
        rounds.push(titles)
        if (round === 1) known = JSON.stringify({ ...fingerprints.slice(0, 11) })
      }
    })
    const all = Array.from({ length: 12 }, (_, n) => `Fog ${n}`)
    expect(rounds).toEqual([all, all, ['Fog 11']])
  })

  test('is not held up by another that is read or asked for', async () => {
    const { ask, reached } = hanging()
    using scene = open({ loop: answering(feedOf(3)), users: ask })
    const slow = reasonOf(scene.users.ask(neverAsked(URL_A), 5, noRead))
    await reached
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const first = scene.loop.ask(neverAsked(URL_A), 5, () => stored)
    const second = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    expect(await second).toMatchObject({ kind: 'feed' })
    store()
    expect(await first).toMatchObject({ kind: 'feed' })
    scene.loop.close()
    expect(await slow).toMatchObject(STOPPING)
  })
})

describe('whoever reads a feed', () => {
  test('and fails is told so, and the document is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    using scene = open(async (_feed, _at, read) => {
      const answer = await given(feedOf(3), read)
      resolve()
      return answer
    })
    const full = new Error('the disk is full')
    const read = async () => Promise.reject(full)
    expect(await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, read))).toBe(full)
    await closed
  })

  test.each([
    ['is none after all', new NotAFeed('parsing takes too long'), { kind: 'failed', reason: 'not_a_feed' }],
    ['cannot be read by a fault of ours', new Error('low tide'), expect.objectContaining({ name: 'Error' })],
  ])('hears when it %s', async (_case, error, outcome) => {
    using scene = open((_feed, _at, read) =>
      given(feedOf(3), (feed) =>
        read({
          ...feed,
          episodesBut: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
        }),
      ),
    )
    const asked = scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      for await (const _ of episodesBut('{}')) throw new Error('there are none')
    })
    const settled = await asked.catch((reason: unknown) => reason)
    expect(settled).toMatchObject(outcome)
    expect(settled).toHaveProperty('message', expect.stringContaining(error.message))
  })
})

describe('a fault of ours', () => {
  test('tells where it was, and the next feed is answered', async () => {
    const faults = [new Error('low tide'), 'low tide']
    using scene = open(async () => {
      const fault = faults.shift()
      if (fault) throw fault
      return UNCHANGED
    })
    for (let n = 0; n < 2; n++)
      expect(await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))).toMatchObject({
        message: expect.stringContaining('low tide'),
      })
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect(scene.processes).toHaveLength(1)
  })

  test('it is to ask before the settings are told', async () => {
    const { promise, resolve } = Promise.withResolvers<FeedReply>()
    const clerk = createFeedClerk(() => {
      throw new Error('nobody tells them')
    }, resolve)
    clerk({ number: 1, of: 'loop', feed: neverAsked(URL_A), at: 5 })
    expect(await promise).toMatchObject({ number: 1, broken: expect.stringContaining('settings are missing') })
  })

  test('it is not to go on with a feed that nobody reads any more', () => {
    const replies: FeedReply[] = []
    const clerk = createFeedClerk(
      () => open(),
      (reply) => replies.push(reply),
    )
    clerk({ number: 7, known: '{}', order: 'newest first' })
    clerk({ number: 7, isRead: true })
    expect(replies).toEqual([])
  })
})

describe('the process', () => {
  test('begins when it is needed, and ends when nobody has needed it for twenty seconds', async () => {
    using scene = open()
    expect(scene.living()).toBe(0)
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.timer.pass(19_999)
    await Promise.all([scene.loop, scene.users].map((source) => source.ask(neverAsked(URL_A), 5, noRead)))
    scene.timer.pass(19_999)
    expect([scene.processes.length, scene.living()]).toEqual([1, 1])
    scene.timer.pass(1)
    expect(scene.living()).toBe(0)
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
    expect(scene.settings).toEqual([SETTINGS, SETTINGS])
  })

  test('is not ended while a feed is under way, however long', async () => {
    const { ask, reached } = hanging()
    using scene = open({ loop: ask, users: answering(UNCHANGED) })
    const slow = reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    await reached
    await scene.users.ask(neverAsked(URL_A), 5, noRead)
    for (let n = 0; n < 60; n++) {
      scene.timer.pass(10_000)
      scene.processes[0]?.onReply({ isAlive: true })
    }
    expect(scene.living()).toBe(1)
    scene.loop.close()
    await slow
  })

  test('that ends is followed by another, which is asked for what nothing has come back of', async () => {
    const { ask: hang, reached } = hanging()
    const asks = [hang, answering(feedOf(3))]
    using scene = open((...order) => (asks.shift() ?? answering(UNREACHABLE))(...order))
    const asked = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    await reached
    scene.die()
    expect(await asked).toMatchObject({ kind: 'feed', document: { title: 'Harbour Talk' } })
    expect([scene.processes.length, scene.living(), scene.settings.length]).toEqual([2, 1, 2])
  })

  test('that ends twice over a feed fails it, and the next feed gets another', async () => {
    const hangs = [hanging(), hanging()]
    const asks = hangs.map(({ ask }) => ask)
    using scene = open((...order) => (asks.shift() ?? answering(UNCHANGED))(...order))
    const asked = reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    for (const { reached } of hangs) {
      await reached
      scene.die()
    }
    expect(await asked).toMatchObject({ message: 'the program that reads feeds ended: SIGSEGV: low tide' })
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect(scene.processes).toHaveLength(3)
  })

  test('that ends fails what is being read, and begins no other for a reader that goes on', async () => {
    using scene = open(answering(feedOf(30)))
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: readerHeard, resolve: hear } = Promise.withResolvers<unknown>()
    const read = reasonOf(
      scene.users.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
        begin()
        await late
        hear(await reasonOf(episodesBut('{}')[Symbol.asyncIterator]().next()))
      }),
    )
    await reading
    scene.die()
    const lost = { message: 'the program that reads feeds ended: SIGSEGV: low tide' }
    expect(await read).toMatchObject(lost)
    goOn()
    expect(await readerHeard).toMatchObject(lost)
    expect(scene.processes).toHaveLength(1)
  })

  test('that answers while it is still read leaves the reader with nothing to wait for', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>()
    const { loop } = createFeedProcess(({ onReply }) => {
      const replies = (order: FeedOrder) => {
        if ('feed' in order) onReply({ number: order.number, open: { document: OUTLINE, isInside: false } })
        if (!('known' in order)) return
        want()
        onReply({ number: order.number, answer: UNCHANGED })
      }
      return { send: (order) => queueMicrotask(() => replies(order)), end: () => undefined }
    }, SETTINGS)
    const { promise: heard, resolve: hear } = Promise.withResolvers<unknown>()
    const asked = loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      hear(await reasonOf(episodesBut('{}')[Symbol.asyncIterator]().next()))
    })
    await wanted
    expect(await asked).toEqual(UNCHANGED)
    expect(await heard).toMatchObject({ message: 'the feed has been answered' })
    loop.close()
  })

  test('that is silent for a minute while a feed is under way is ended', async () => {
    const { ask: hang, reached } = hanging()
    const asks = [hang, answering(UNCHANGED)]
    using scene = open((...order) => (asks.shift() ?? answering(UNREACHABLE))(...order))
    const asked = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    await reached
    scene.processes[0]?.onReply({ isAlive: true })
    scene.timer.pass(60_000)
    expect([scene.processes.length, scene.living()]).toEqual([1, 1])
    scene.timer.pass(60_000)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
    // Too late for anybody.
    scene.processes[0]?.onReply({ number: 0, answer: UNREACHABLE })
    expect(await asked).toEqual(UNCHANGED)
  })

  test('that crashes over an address does not bring it into the log', async () => {
    using scene = open(async () => {
      throw new Error('low tide at https://ida:seaglass@a.example/f?key=seaglass, and http://b.example/seaglass')
    })
    const lost = await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    expect(lost).toMatchObject({
      message: expect.stringContaining('low tide at https://a.example/… and http://b.example/…'),
    })
    expect(String(lost)).not.toContain('seaglass')
  })

  test('that ends while a reader waits for episodes does not leave it waiting', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>()
    using scene = open((_feed, _at, read) =>
      given(feedOf(3), (feed) =>
        read({
          ...feed,
          episodesBut: () => ({
            [Symbol.asyncIterator]: () => ({
              next() {
                want()
                return new Promise<never>(() => undefined)
              },
            }),
          }),
        }),
      ),
    )
    const lost = reasonOf(
      scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
        for await (const _ of episodesBut('{}')) throw new Error('there are none')
      }),
    )
    await wanted
    scene.die()
    expect(await lost).toMatchObject({ message: expect.stringContaining('low tide') })
  })

  test('that ends when it is not needed is no matter, nor is one that we have ended', async () => {
    using scene = open()
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.die()
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.processes[0]?.onEnd('once more')
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
  })

  test('that cannot be started fails whoever needs it, and nobody else', async () => {
    const refusals = [new Error('too many processes')]
    const { loop } = createFeedProcess(({ onReply }) => {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return {
        send: (order) => 'feed' in order && queueMicrotask(() => onReply({ number: order.number, answer: UNCHANGED })),
        end: () => undefined,
      }
    }, SETTINGS)
    expect(await reasonOf(loop.ask(neverAsked(URL_A), 5, noRead))).toMatchObject({ message: 'too many processes' })
    expect(await loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    loop.close()
  })
})

describe('closing', () => {
  test('ends the process and whoever waits, for good, and twice is no mistake', async () => {
    const { ask, reached } = hanging()
    using scene = open(ask)
    const waiting = [scene.loop, scene.users].map((source) => reasonOf(source.ask(neverAsked(URL_A), 5, noRead)))
    await reached
    scene.users.close()
    scene.loop.close()
    for (const each of waiting) expect(await each).toMatchObject(STOPPING)
    expect(await reasonOf(scene.anyone.ask(neverAsked(URL_A), 5, noRead))).toMatchObject(STOPPING)
    expect([scene.processes.length, scene.living()]).toEqual([1, 0])
    expect(scene.timer.waiting).toBe(0)
  })
})
