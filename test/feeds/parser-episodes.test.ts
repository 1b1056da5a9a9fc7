import { describe, expect, test } from 'bun:test'
import { NotAFeed } from '../../src/domain/feeds/document.ts'
import type { OpenDocument } from '../../src/domain/feeds/ports.ts'
import { parseFeed } from '../../src/worker/parse/parse-feed.ts'
import { reasonOf } from '../support/reason.ts'
import { bytesOf, OPTIONS, openReal, openScripted, outcome, parsed, type ThreadScene } from './threads.ts'

/** A feed with so many episodes, of which some have other titles than usual. */
function feed(count: number, titles: Readonly<Record<number, string>> = {}): Uint8Array {
  const item = (n: number) =>
    `<item><title>${titles[n] ?? `Fog ${n}`}</title><description>&lt;p&gt;Boats &amp;amp; birds&lt;/p&gt;</description>
      <enclosure url="${n}.mp3" type="audio/mpeg" length="4096"/></item>`
  const items = Array.from({ length: count }, (_, n) => item(n)).join('')
  return bytesOf(`<rss version="2.0"><channel><title>Harbour Talk</title>${items}</channel></rss>`)
}

async function fingerprintsOf(scene: ThreadScene, bytes: Uint8Array): Promise<string> {
  const { episodes } = await parsed(scene, bytes)
  return JSON.stringify({ ...episodes.map(({ fingerprint }) => fingerprint) })
}

describe('the episodes of a document', () => {
  test('are those of the document, each with a fingerprint of its own', async () => {
    using scene = openReal()
    const { episodes } = await parsed(scene, feed(30))
    const bare = episodes.map(({ fingerprint: _, inPlaceOf: __, ...episode }) => episode)
    expect(bare).toEqual([...parseFeed(feed(30), 'text/xml', OPTIONS).episodes])
    expect(new Set(episodes.map(({ fingerprint }) => fingerprint)).size).toBe(30)
  })

  test.each([
    [0, []],
    [1, [1]],
    [9, [9]],
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
    // As many as the options allow.
    [120, Array.from({ length: 10 }, () => 10)],
  ])('come at most ten at once: %i', async (count, sizes) => {
    using scene = openReal()
    expect((await parsed(scene, feed(count))).sizes).toEqual(sizes)
  })

  test('come the other way round if that is wanted, so that the newest can be stored last', async () => {
    using scene = openReal()
    const titles: string[] = []
    await scene.parser.parse(feed(25), 'text/xml', OPTIONS, async ({ episodesBut }) => {
      for await (const some of episodesBut('[]', 'oldest first')) titles.push(...some.map(({ title }) => title))
    })
    expect(titles).toEqual(Array.from({ length: 25 }, (_, n) => `Fog ${24 - n}`))
  })

  test('do not come if they are known', async () => {
    using scene = openReal()
    const known = await fingerprintsOf(scene, feed(60))
    expect(await parsed(scene, feed(60), known)).toMatchObject({ document: { episodeCount: 60 }, episodes: [] })
  })

  test('come alone if they are new or have changed, wherever they are', async () => {
    using scene = openReal()
    const known = await fingerprintsOf(scene, feed(60))
    const { episodes, sizes } = await parsed(scene, feed(62, { 3: 'Ebb', 40: 'Flow' }), known)
    expect(episodes.map(({ title }) => title)).toEqual(['Ebb', 'Flow', 'Fog 60', 'Fog 61'])
    expect(sizes).toEqual([4])
  })

  test.each(['{}', '"abc"', 'null', '[1,null]'])('all come if what is known makes no sense: %s', async (known) => {
    using scene = openReal()
    expect((await parsed(scene, feed(3), known)).episodes).toHaveLength(3)
  })

  test('are made when they are wanted, and no sooner', async () => {
    using scene = openScripted()
    let asked: unknown[] = []
    await scene.parser.parse(bytesOf('25'), 'text/xml', OPTIONS, async ({ episodesBut }) => {
      for await (const [first] of episodesBut('[]')) asked = [...asked, first?.title]
    })
    expect(asked).toEqual(['1', '2', '3'])
  })
})

describe('the thread is there for the next document when this one', () => {
  const READERS: [string, (feed: OpenDocument) => Promise<void>][] = [
    ['is not read at all', async () => undefined],
    [
      'is read in part',
      async ({ episodesBut }) => {
        for await (const _ of episodesBut('[]')) break
      },
    ],
    [
      'is asked for what nobody waits for',
      async ({ episodesBut }) => {
        void episodesBut('[]')[Symbol.asyncIterator]().next()
      },
    ],
  ]
  test.each(READERS)('%s', async (_case, read) => {
    using scene = openScripted()
    const first = scene.parser.parse(bytesOf('60'), 'text/xml', OPTIONS, read)
    expect(await parsed(scene, bytesOf('25'))).toMatchObject({ document: { title: '25' }, sizes: [10, 10, 5] })
    expect(await first).toMatchObject({ title: '60' })
    expect(scene.threads()).toBe(1)
  })

  test('cannot be stored, and whoever stores it hears of it', async () => {
    using scene = openScripted()
    const full = new Error('the disk is full')
    const first = scene.parser.parse(bytesOf('60'), 'text/xml', OPTIONS, async ({ episodesBut }) => {
      for await (const _ of episodesBut('[]')) throw full
    })
    const next = outcome(scene, bytesOf('next'))
    expect(await reasonOf(first)).toBe(full)
    expect(await next).toBe('next')
    expect(scene.threads()).toBe(1)
  })

  test('has been read, and not before', async () => {
    using scene = openScripted()
    const order: string[] = []
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
    const first = scene.parser.parse(bytesOf('first'), 'text/xml', OPTIONS, async () => {
      begin()
      await stored
      order.push('stored')
    })
    const next = scene.parser.parse(bytesOf('next'), 'text/xml', OPTIONS, async () => void order.push('next'))
    await reading
    order.push('reading')
    store()
    await Promise.all([first, next])
    expect(order).toEqual(['reading', 'stored', 'next'])
  })

  test('has been read for ten minutes, and then is read no further', async () => {
    using scene = openScripted()
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>()
    const slow = scene.parser.parse(bytesOf('60'), 'text/xml', OPTIONS, async ({ episodesBut }) => {
      begin()
      await late
      for await (const _ of episodesBut('[]')) throw new Error('this came too late')
    })
    const next = outcome(scene, bytesOf('next'))
    await reading
    scene.timer.pass(600_000)
    expect(await next).toBe('next')
    expect(scene.threads()).toBe(2)
    goOn()
    expect(await reasonOf(slow)).toBeInstanceOf(NotAFeed)
  })
})

describe('a thread that', () => {
  test.each([
    ['ends over an episode is replaced', 'die', 2, /^the parser's thread ended/],
    ['meets a fault of ours in an episode tells where', 'fault', 1, /at slice/],
  ])('%s', async (_case, known, threads, message) => {
    using scene = openScripted()
    const lost = reasonOf(parsed(scene, bytesOf('60'), known))
    const next = outcome(scene, bytesOf('next'))
    expect(await lost).toMatchObject({ message: expect.stringMatching(message) })
    expect(await lost).not.toBeInstanceOf(NotAFeed)
    expect(await next).toBe('next')
    expect(scene.threads()).toBe(threads)
  })

  test('is closed leaves those alone who wait for an episode', async () => {
    using scene = openScripted()
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
    const waiting = scene.parser.parse(bytesOf('60'), 'text/xml', OPTIONS, async ({ episodesBut }) => {
      const episodes = episodesBut('hang')[Symbol.asyncIterator]()
      const first = episodes.next()
      begin()
      await first
    })
    await reading
    scene.parser.close()
    expect(await reasonOf(waiting)).toMatchObject({ word: 'unavailable', message: 'the server is stopping' })
  })
})
