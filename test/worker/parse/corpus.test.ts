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

/** Content-Types of files; the others have none. */
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

/** The result of `read`, or why the document is not a feed. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotAFeed) return { notAFeed: error.message }
    throw error
  }
}

/** Removes empty values, which expectations omit: `''`, `false`, `undefined` and empty lists. */
function stated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stated)
  if (typeof value !== 'object' || value === null) return value
  const isEmpty = (each: unknown) => [undefined, '', false].includes(each as string) || Bun.deepEquals(each, [])
  const entries = Object.entries(value).filter(([, each]) => !isEmpty(each))
  return Object.fromEntries(entries.map(([key, each]) => [key, stated(each)]))
}

test.each(feeds)('a feed of the corpus is parsed as expected: %s', (name) => {
  const expected: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.expected.json`), 'utf8'))
  expect(outcomeOf(() => stated(parseFeed(bytesOf(name), SERVED_AS[name] ?? '', OPTIONS)))).toEqual(expected)
})

test('every expectation and Content-Type belongs to a feed of the corpus', () => {
  const named = [...files.map((name) => name.replace(/\.expected\.json$/, '')), ...Object.keys(SERVED_AS)]
  expect(named.filter((name) => !feeds.includes(name))).toEqual([])
})

/** The size from which documents are parsed in pieces. */
const LARGE = 2 * 1024 * 1024
/** CDATA sections, which are parsed ten times as fast as plain text. */
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
  'a large feed is parsed like a small one: %s',
  (name) => {
    const text = decodeText(bytesOf(name), '')
    expect(readLarge(text.replace(ROOT, (root) => root + PADDING))).toEqual(readLarge(text))
  },
)

describe('in a large feed', () => {
  const BOTH = [1, 2].map((n) => `https://cdn.example/${n}.mp3`)

  test('an item may contain texts that look like tags of items', () => {
    const tricky = item(1, '<description><![CDATA[</item><item>]]></description><!-- </item> -->')
    expect(urlsOf(feed(tricky + item(2)))).toEqual(BOTH)
  })

  test('an item keeps its attributes', () => {
    const based = '<item xml:base="https://base.example/"><enclosure url="1.mp3" type="audio/mpeg"/></item>'
    expect(urlsOf(feed(based))).toEqual(['https://base.example/1.mp3'])
  })

  test('empty and broken items do not affect others', () => {
    const broken = '<item><title>Ebb</title><guid></item>'
    expect(urlsOf(feed(`${item(1)}<item/><item></item>${broken}${item(2)}`))).toEqual(BOTH)
  })

  test('elements after the items belong to the feed', () => {
    const { outline } = readFeed(feed(item(1), '<language>pt-BR</language>'), OPTIONS)
    expect(outline).toMatchObject({ language: 'pt-br', episodeCount: 1 })
  })

  test.each([
    ['an item is empty', `<item ></item>${item(1)}${item(2)}`, ['#text']],
    ['a text looks like an item', `${item(1)}${item(2)}<low><![CDATA[<item >]]></low>`, ['#text']],
    ['an item is not closed', `${item(1)}<item>${item(2)}`, ['#piece']],
  ])('the items are parsed one by one even if %s', (_case, inner, keys) => {
    const { root, open } = parseXml(feed(inner))
    const items = [root, ...childrenOf(root, 'channel')].flatMap((node) => childrenOf(node, 'item'))
    expect([...new Set(items.flatMap((each) => Object.keys(each)))]).toEqual(keys)
    expect(items.flatMap((each) => childrenOf(open(each) ?? {}, 'enclosure')).length).toBe(2)
  })

  test('that is truncated, complete items are parsed', () => {
    const whole = feed(item(1) + item(2) + item(3))
    expect(urlsOf(whole.slice(0, whole.indexOf('Fog 3')))).toEqual(BOTH)
  })
})
