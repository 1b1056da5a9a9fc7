import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type FeedEpisode, NotAFeed } from '../../../src/domain/feeds/document.ts'
import { sanitizeUrl } from '../../../src/domain/shared/feed-url.ts'
import { sanitise } from '../../../src/worker/parse/sanitize.ts'
import { type FeedDocument, parseFeed } from '../../support/feed-document.ts'
import { processorSeconds } from '../../support/values.ts'
import { htmlToText } from './strict-html.ts'

const FOLDER = join(import.meta.dir, 'corpus')

/** The year 1000 in any time zone, and the end of the last year with four digits. */
const FIRST_DATE = Date.UTC(1000, 0, 0) / 1000
const LAST_DATE = Date.UTC(10_000, 0, 1) / 1000
const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 5 }

const corpus = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.expected.json'))
  .toSorted()
  .map((name) => new Uint8Array(readFileSync(join(FOLDER, name))))

/** Parses a document and checks the result: a valid feed, or a refusal with an explanation. */
function check(bytes: Uint8Array, contentType: string): 'feed' | 'refusal' {
  const before = bytes.slice()
  try {
    checkDocument(parseFeed(bytes, contentType, OPTIONS))
    return 'feed'
  } catch (error) {
    if (!(error instanceof NotAFeed)) throw error
    expect(error.message.length).toBeWithin(1, 250)
    return 'refusal'
  } finally {
    expect(bytes).toEqual(before)
  }
}

function checkDocument(feed: FeedDocument): void {
  checkText(feed.title, 500)
  checkText(feed.author, 500)
  checkText(feed.guid, 1000)
  checkHtml(feed.description)
  for (const url of [feed.website, feed.logoUrl, feed.newFeedUrl, feed.selfUrl, feed.fundingUrl]) checkUrl(url)
  expect(feed.language).toMatch(/^(?:[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4})?$/)
  expect(feed.tags.length).toBeLessThanOrEqual(20)
  for (const tag of feed.tags) checkText(tag, 60)
  expect(new Set(feed.tags.map((tag) => tag.toLowerCase())).size).toBe(feed.tags.length)
  checkNumber(feed.ttlSeconds, 7 * 86_400)
  expect(feed.episodes.length).toBeLessThanOrEqual(OPTIONS.maxEpisodes)
  expect(new Set(feed.episodes.map(({ url }) => url)).size).toBe(feed.episodes.length)
  const dates = feed.episodes.map(({ released }) => released ?? Number.NEGATIVE_INFINITY)
  expect(dates).toEqual(dates.toSorted((a, b) => (a === b ? 0 : b - a)))
  for (const episode of feed.episodes) checkEpisode(episode)
}

function checkEpisode(episode: FeedEpisode): void {
  expect(episode.url).not.toBe('')
  checkText(episode.title, 500)
  checkText(episode.guid, 1000)
  checkHtml(episode.description)
  for (const url of [episode.url, episode.website, episode.imageUrl]) checkUrl(url)
  for (const url of [episode.chaptersUrl, episode.transcriptUrl]) checkUrl(url)
  if (episode.released !== undefined) expect(episode.released).toBeWithin(FIRST_DATE, LAST_DATE + 1)
  checkNumber(episode.duration, 2 ** 31)
  checkNumber(episode.size, Number.MAX_SAFE_INTEGER)
  expect(episode.mimeType).toMatch(/^(?:[\w.+-]{1,60}\/[\w.+-]{1,60})?$/)
  expect(episode.mimeType).toBe(episode.mimeType.toLowerCase())
}

function checkText(text: string, max: number): void {
  expect(text.length).toBeLessThanOrEqual(max)
  expect(text.isWellFormed()).toBe(true)
  expect(text).toBe(text.trim())
  expect(text).not.toMatch(/\p{Cc}/u)
}

function checkHtml(html: string): void {
  expect(html.length).toBeLessThanOrEqual(64 * 1024)
  expect(html.isWellFormed()).toBe(true)
  htmlToText(html)
  expect(sanitise(html)).toBe(html)
}

function checkUrl(url: string): void {
  if (url === '') return
  expect(url).toMatch(/^https?:\/\/[^/]/)
  expect(url.length).toBeLessThanOrEqual(2048)
  expect(sanitizeUrl(url)).toBe(url)
}

function checkNumber(value: number | undefined, max: number): void {
  if (value !== undefined) expect(Number.isInteger(value) && value > 0 && value <= max).toBe(true)
}

/** A part of a file that is replaced. */
interface Change {
  /** Position, from 0 to 1. */
  readonly from: number
  readonly length: number
  readonly replacement: Uint8Array
}

const anyFile = fc.constantFrom(...corpus)
const contentType = fc.constantFrom('', ...['utf-8', 'utf-16', 'shift_jis', 'big5'].map((name) => `x; charset=${name}`))
const part = fc.double({ min: 0, max: 1, noNaN: true })
const token = fc
  .constantFrom(
    ...['<', '>', '"', "'", '&', '/', '</', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '<!DOCTYPE x [', '\0'],
    ...['<item>', '</item>', '<channel>', '</channel>', '<title>', '</title>', '<description>', '<entry>', '<rss>'],
    ...['<__proto__>', '<constructor/>', '<#text>', '<:@>', '<>', '< >', '</>'],
    ...['{', '}', '[', ']', ',', '{"a":', '\\u'],
    ...['&#xD800;', '&#0;', '&lt;', '&amp;amp;', ' xmlns:x="http://www.w3.org/2005/Atom"', ' __proto__="x"', '\ufeff'],
    ...['<enclosure url="/x"/>', '<enclosure url="//"/>', '<pubDate>1e9</pubDate>', '<link href="javascript:x"/>'],
  )
  .map((text) => new TextEncoder().encode(text))
const change: fc.Arbitrary<Change> = fc.record({
  from: part,
  length: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(2000)),
  replacement: fc.oneof(fc.constant(new Uint8Array()), token, fc.uint8Array({ maxLength: 8 })),
})

function changed(bytes: Uint8Array, { from, length, replacement }: Change): Uint8Array {
  const at = Math.floor(from * bytes.length)
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), replacement, bytes.subarray(at + length)]))
}

describe('any document results in a valid feed, or a refusal with an explanation:', () => {
  test('the corpus', () => {
    const outcomes = corpus.map((bytes) => check(bytes, ''))
    expect(outcomes.filter((outcome) => outcome === 'feed').length).toBeGreaterThan(60)
  })

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), contentType, (bytes, type) => void check(bytes, type)))
  })

  test('random tags', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), contentType, (tokens, type) => {
        check(new Uint8Array(Buffer.concat([Buffer.from('<rss><channel><item>'), ...tokens])), type)
      }),
      { numRuns: 1000 },
    )
  })

  test('changed files of the corpus', () => {
    fc.assert(
      fc.property(anyFile, fc.array(change, { minLength: 1, maxLength: 6 }), contentType, (file, changes, type) => {
        check(changes.reduce(changed, file), type)
      }),
      { numRuns: 2000 },
    )
  })

  test('truncated files of the corpus', () => {
    fc.assert(fc.property(anyFile, part, (file, end) => void check(file.subarray(0, end * file.length), '')))
  })

  test('the start of one file and the end of another', () => {
    fc.assert(
      fc.property(anyFile, anyFile, part, part, (one, two, end, start) => {
        const pieces = [one.subarray(0, end * one.length), two.subarray(start * two.length)]
        check(new Uint8Array(Buffer.concat(pieces)), '')
      }),
      { numRuns: 500 },
    )
  })

  test('random JSON', () => {
    const key = fc.constantFrom(
      ...'title items attachments url id authors author language mime_type name version icon __proto__'.split(' '),
      ...'content_html content_text date_published duration_in_seconds size_in_bytes'.split(' '),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('https://x.example/1', '/x', '2025-03-03', '<b>x', '\ud83c', '\0', 1e30, -1, 5000),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
      ),
    }))
    const feed = fc.dictionary(key, value, { maxKeys: 8 })
    fc.assert(
      fc.property(feed, (document) => {
        const json = JSON.stringify({ ...document, version: 'https://jsonfeed.org/version/1.1' })
        check(new TextEncoder().encode(json), '')
      }),
      { numRuns: 1000 },
    )
  })
})

/** Input that would take a backtracking expression, or a loop that starts over, quadratic time. */
const inChannel = (text: string) => `<rss><channel><title>x</title>${text}`
const filled = (piece: string) => piece.repeat(Math.floor((256 * 1024) / piece.length))

const pieces = '<item> <item><title> <item><description>a< <item><![CDATA[ <item><!--'.split(' ')
const worst = [
  ...pieces.map((piece) => inChannel(filled(piece))),
  ...[filled('<rss'), filled('<a:'), filled('{"a":'), `<rss${filled(' xmlns:a="')}>`, inChannel(filled('<item a="'))],
  inChannel(`<description>&lt;![CDATA[${filled(']]&gt; ')}x</description>`),
  inChannel(`<item ${filled('a ')}/>`),
  inChannel(`<managingEditor>${filled('@')} (</managingEditor>`),
  inChannel(`<title>${filled(' ')}x</title>`),
  inChannel(`<item><enclosure url="/1"/><pubDate>${filled('1 ')}</pubDate></item>`),
]

test.each(worst.map((text) => [text.slice(0, 60), text]))('256 KiB are parsed in linear time: %s…', (_start, text) => {
  expect(processorSeconds(() => check(new TextEncoder().encode(text), ''))).toBeLessThan(4)
})

test('no document changes the prototype of objects', () => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})
