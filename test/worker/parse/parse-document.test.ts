import { describe, expect, test } from 'bun:test'
import { type EpisodeSelection, type FingerprintedEpisode, NotAFeed } from '../../../src/domain/feeds/document.ts'
import { createDocumentParser } from '../../../src/worker/parse/parse-feed.ts'
import { parseFeed } from '../../support/feed-document.ts'
import { reasonOf } from '../../support/values.ts'

const OPTIONS = { url: 'https://a.example/f', maxEpisodes: 100 }

const bytesOf = (text: string) => new TextEncoder().encode(text)

function feed(count: number, titles: Readonly<Record<number, string>> = {}): Uint8Array {
  const item = (n: number) =>
    `<item><title>${titles[n] ?? `Fog ${n}`}</title><enclosure url="${n}.mp3" type="audio/mpeg"/></item>`
  const items = Array.from({ length: count }, (_, n) => item(n)).join('')
  return bytesOf(`<rss version="2.0"><channel><title>Harbour Talk</title>${items}</channel></rss>`)
}

function open(processorMs = () => 0) {
  let now = 0
  // Every step takes so long that the parser yields.
  const parse = createDocumentParser({ processorMs, monotonic: () => (now += 20) })
  return async (bytes: Uint8Array, wanted: Partial<EpisodeSelection> = {}, contentType = 'text/xml') => {
    const sizes: number[] = []
    const episodes: FingerprintedEpisode[] = []
    let begun = 0
    const all = { fingerprints: '{}', order: 'newest first' } as const
    const { outline: document } = await parse(
      { bytes, contentType, options: OPTIONS, wanted: { ...all, ...wanted } },
      {
        begin: () => void begun++,
        add(some) {
          sizes.push(some.length)
          episodes.push(...some)
        },
      },
    )
    return { document, sizes, episodes, titles: episodes.map(({ title }) => title), begun }
  }
}

describe('the episodes of a document', () => {
  test('have unique fingerprints', async () => {
    const { document, episodes, begun } = await open()(feed(30))
    const bare = episodes.map(({ fingerprint: _, inPlaceOf: __, ...episode }) => episode)
    expect(bare).toEqual([...parseFeed(feed(30), 'text/xml', OPTIONS).episodes])
    expect(new Set(episodes.map(({ fingerprint }) => fingerprint)).size).toBe(30)
    expect(document).toMatchObject({ title: 'Harbour Talk', episodeCount: 30 })
    expect(begun).toBe(1)
  })

  test.each([
    [0, []],
    [10, [10]],
    [25, [10, 10, 5]],
    // Up to `maxEpisodes`.
    [120, Array.from({ length: 10 }, () => 10)],
  ])('are sent ten at a time: %i', async (count, sizes) => {
    expect((await open()(feed(count))).sizes).toEqual(sizes)
  })

  test('are sent in the requested order, up to the requested number', async () => {
    expect((await open()(feed(25), { order: 'oldest first', limit: 12 })).titles).toEqual(
      Array.from({ length: 12 }, (_, n) => `Fog ${24 - n}`),
    )
  })

  test('are sent only if they are new or have changed', async () => {
    const parse = open()
    const { episodes } = await parse(feed(60))
    const known = JSON.stringify({ ...episodes.map(({ fingerprint }) => fingerprint) })
    expect(await parse(feed(60), { fingerprints: known })).toMatchObject({
      document: { episodeCount: 60 },
      episodes: [],
    })
    const { titles, sizes } = await parse(feed(62, { 3: 'Ebb', 40: 'Flow' }), { fingerprints: known })
    expect(titles).toEqual(['Ebb', 'Flow', 'Fog 60', 'Fog 61'])
    expect(sizes).toEqual([4])
  })
})

describe('a document', () => {
  test('is decoded with the charset of its Content-Type', async () => {
    const bytes = new Uint8Array(Buffer.from('<rss><channel><title>\xd7</title></channel></rss>', 'latin1'))
    const { document } = await open()(bytes, {}, 'text/xml; charset=iso-8859-7')
    expect(document.title).toBe('Χ')
  })

  test('has its buffer freed, unless that is shared', async () => {
    const alone = feed(1)
    await open()(alone)
    expect(alone.byteLength).toBe(0)
    const shared = new Uint8Array([...feed(1), 0]).subarray(0, -1)
    const { length } = shared
    await open()(shared)
    expect(shared).toHaveLength(length)
  })

  test('does not block the event loop, and is parsed after the one before', async () => {
    const parse = open()
    let isParsed = false
    const first = parse(feed(100)).then(() => {
      isParsed = true
    })
    const second = parse(feed(1)).then(() => isParsed)
    let turns = 0
    for (; !isParsed; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(turns).toBeGreaterThan(100)
    expect(await second).toBe(true)
    await first
  })

  test('that takes twenty seconds of processor time is refused, and the next one is parsed', async () => {
    let worked = 300_000
    let step = 10_000
    const parse = open(() => {
      worked += step
      return worked
    })
    const slow = await reasonOf(parse(feed(100)))
    expect(slow).toBeInstanceOf(NotAFeed)
    expect(slow).toMatchObject({ message: 'parsing the document takes too long' })
    step = 0
    expect((await parse(feed(1))).titles).toEqual(['Fog 0'])
  })
})

test('chapters with long URLs are cut, so that they do not become much larger than in the feed', async () => {
  const base = `https://a.example/${'x'.repeat(1970)}/`
  const chapters = Array.from({ length: 300 }, (_, n) => `<psc:chapter start="${300 - n}" title="${n}" href="${n}"/>`)
  const item = `<item xml:base="${base}"><enclosure url="1.mp3" type="audio/mpeg"/><psc:chapters>${chapters.join('')}</psc:chapters></item>`
  const { episodes } = await open()(bytesOf(`<rss version="2.0"><channel><title>Fog</title>${item}</channel></rss>`))
  const kept: unknown[] = JSON.parse(episodes[0]?.chapters ?? '')
  expect(kept).toHaveLength(32)
  expect(kept[0]).toEqual([1, '299', `${base}299`])
})
