import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotAFeed } from '../../../src/domain/feeds/document.ts'
import { decodeText } from '../../../src/platform/decode-text.ts'
import { readFeed } from '../../../src/worker/parse/parse-feed.ts'
import { parseXml } from '../../../src/worker/parse/xml-document.ts'
import { childrenOf } from '../../../src/worker/parse/xml-tree.ts'

const FOLDER = join(import.meta.dir, 'corpus')
const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 100 }
/** From here on a document is large. */
const LARGE = 2 * 1024 * 1024
const PADDING = `<tide>${'low tide '.repeat(5000)}</tide>`.repeat(LARGE / 45_000 + 1)

const ROOT = /<(?:[\w.-]+:)?(?:rss|rdf|feed)(?:\s[^>]*)?>/i

const texts = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.expected.json'))
  .map((name): [string, string] => [name, decodeText(readFileSync(join(FOLDER, name)), '')])
  .filter(([, text]) => ROOT.test(text))

function outcome(text: string): unknown {
  try {
    const { outline, episodes } = readFeed(text, OPTIONS)
    return { outline, episodes: [...episodes('newest first')] }
  } catch (error) {
    if (error instanceof NotAFeed) return { notAFeed: error.message.replace(/\d+/g, 'N') }
    throw error
  }
}

function feed(items: string, more = ''): string {
  return `<rss version="2.0"><channel><title>Harbour Talk</title>${PADDING}${items}${more}</channel></rss>`
}

const item = (n: number, inner = '') =>
  `<item><title>Fog ${n}</title><enclosure url="https://cdn.example/${n}.mp3" type="audio/mpeg"/>${inner}</item>`

const urlsOf = (text: string) => [...readFeed(text, OPTIONS).episodes('newest first')].map(({ url }) => url)

describe('a large feed is read as a small one that says the same:', () => {
  test.each(texts)('%s', (_name, text) => {
    expect(outcome(text.replace(ROOT, (root) => root + PADDING))).toEqual(outcome(text))
  })
})

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
