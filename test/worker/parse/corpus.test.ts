import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotAFeed } from '../../../src/domain/feeds/document.ts'
import { decodeText } from '../../../src/platform/decode-text.ts'
import { parseXml } from '../../../src/worker/parse/xml-document.ts'
import { childrenOf } from '../../../src/worker/parse/xml-tree.ts'
import { parseFeed, readFeed } from '../../support/feed-document.ts'

const FOLDER = join(import.meta.dir, 'corpus')

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 100 }

/** The Content-Type a file came with, where that matters; the others came with none. */
const SERVED_AS: Readonly<Record<string, string>> = {
  'charset-http-only-windows-1251.bin': 'text/xml; charset=windows-1251',
  'charset-http-against-declaration.bin': 'application/rss+xml; charset="KOI8-R"',
  'charset-http-wrong-utf-8.bin': 'text/xml; charset=utf-8',
  'charset-http-wrong-latin1.xml': 'text/xml;charset=ISO-8859-1',
  'charset-http-unknown.xml': 'text/xml; charset=klingon',
}

const files = readdirSync(FOLDER).toSorted()
const feeds = files.filter((name) => !name.endsWith('.expected.json'))

const bytesOf = (name: string) => readFileSync(join(FOLDER, name))

/** What reading gives, or why the document is no feed. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotAFeed) return { notAFeed: error.message }
    throw error
  }
}

/** Without what is empty, which an expectation leaves out: `''`, `false`, unknown and no tags. */
function stated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stated)
  if (typeof value !== 'object' || value === null) return value
  const isEmpty = (each: unknown) => [undefined, '', false].includes(each as string) || Bun.deepEquals(each, [])
  const entries = Object.entries(value).filter(([, each]) => !isEmpty(each))
  return Object.fromEntries(entries.map(([key, each]) => [key, stated(each)]))
}

test.each(feeds)('a feed of the corpus is read as expected: %s', (name) => {
  const expected: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.expected.json`), 'utf8'))
  expect(outcomeOf(() => stated(parseFeed(bytesOf(name), SERVED_AS[name] ?? '', OPTIONS)))).toEqual(expected)
})

test('the corpus has at least sixty feeds, and no expectation and no type without its feed', () => {
  expect(feeds.length).toBeGreaterThanOrEqual(60)
  const named = [...files.map((name) => name.replace(/\.expected\.json$/, '')), ...Object.keys(SERVED_AS)]
  expect(named.filter((name) => !feeds.includes(name))).toEqual([])
})

/** From here on a document is large. */
const LARGE = 2 * 1024 * 1024
/** Of CDATA sections, since the parser reads a plain text ten times as slowly. */
const PADDING = `<tide><![CDATA[${'low-tide.'.repeat(5000)}]]></tide>`.repeat(LARGE / 45_000 + 1)

const ROOT = /<(?:[\w.-]+:)?(?:rss|rdf|feed)(?:\s[^>]*)?>/i

function readLarge(text: string): unknown {
  return outcomeOf(() => {
    const { outline, episodes } = readFeed(text, OPTIONS)
    return { outline, episodes: [...episodes('newest first')] }
  })
}

function feed(items: string, more = ''): string {
  return `<rss version="2.0"><channel><title>Harbour Talk</title>${PADDING}${items}${more}</channel></rss>`
}

const item = (n: number, inner = '') =>
  `<item><title>Fog ${n}</title><enclosure url="https://cdn.example/${n}.mp3" type="audio/mpeg"/>${inner}</item>`

const urlsOf = (text: string) => [...readFeed(text, OPTIONS).episodes('newest first')].map(({ url }) => url)

test.each(feeds.filter((name) => ROOT.test(decodeText(bytesOf(name), ''))))(
  'a large feed is read as a small one: %s',
  (name) => {
    const text = decodeText(bytesOf(name), '')
    expect(readLarge(text.replace(ROOT, (root) => root + PADDING))).toEqual(readLarge(text))
  },
)

describe('in a large feed', () => {
  const BOTH = [1, 2].map((n) => `https://cdn.example/${n}.mp3`)

  test('an item may hold what looks like another, or like its end', () => {
    const tricky = item(1, '<description><![CDATA[</item><item>]]></description><!-- </item> -->')
    expect(urlsOf(feed(tricky + item(2)))).toEqual(BOTH)
  })

  test('an item has its attributes', () => {
    const based = '<item xml:base="https://base.example/"><enclosure url="1.mp3" type="audio/mpeg"/></item>'
    expect(urlsOf(feed(based))).toEqual(['https://base.example/1.mp3'])
  })

  test('items that are empty, or broken in themselves, do not take the others along', () => {
    const broken = '<item><title>Ebb</title><guid></item>'
    expect(urlsOf(feed(`${item(1)}<item/><item></item>${broken}${item(2)}`))).toEqual(BOTH)
  })

  test('what stands after the items belongs to the feed', () => {
    const { outline } = readFeed(feed(item(1), '<language>pt-BR</language>'), OPTIONS)
    expect(outline).toMatchObject({ language: 'pt-br', episodeCount: 1 })
  })

  test.each([
    ['an item is empty', `<item ></item>${item(1)}${item(2)}`, ['#text']],
    ['a text looks like one', `${item(1)}${item(2)}<low><![CDATA[<item >]]></low>`, ['#text']],
    ['one is not closed', `${item(1)}<item>${item(2)}`, ['#piece']],
  ])('the items are parsed one by one even if %s', (_case, inner, keys) => {
    const { root, open } = parseXml(feed(inner))
    const items = [root, ...childrenOf(root, 'channel')].flatMap((node) => childrenOf(node, 'item'))
    expect([...new Set(items.flatMap((each) => Object.keys(each)))]).toEqual(keys)
    expect(items.flatMap((each) => childrenOf(open(each) ?? {}, 'enclosure')).length).toBe(2)
  })

  test('that breaks off, the items before that are read', () => {
    const whole = feed(item(1) + item(2) + item(3))
    expect(urlsOf(whole.slice(0, whole.indexOf('Fog 3')))).toEqual(BOTH)
  })
})
