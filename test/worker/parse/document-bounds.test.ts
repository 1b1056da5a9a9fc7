import { describe, expect, test } from 'bun:test'
import { checkJsonBounds, checkXmlBounds } from '../../../src/worker/parse/document-bounds.ts'
import { parseFeed } from '../../support/feed-document.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 10 }

const many = (count: number, piece: (n: number) => string) => Array.from({ length: count }, (_, n) => piece(n)).join('')

const episode = (n: number) => `<item><title>Fog ${n}</title><enclosure url="https://cdn.example/${n}.mp3"/></item>`
const rss = (inner: string) => `<rss><channel><title>Harbour Talk</title>${inner}${episode(1)}</channel></rss>`
const json = (items: string) =>
  `{"version":"https://jsonfeed.org/version/1.1","title":"Harbour Talk","items":[${items}]}`

const outcome = (text: string) => {
  try {
    return parseFeed(new TextEncoder().encode(text), '', OPTIONS).title
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

const CHARACTERS = '1,000,000 characters between two tags'

describe('before parsing, XML is refused with too many', () => {
  test.each([
    ['elements', many(1_000_001, () => '<a/>'), '1,000,000 elements'],
    ['beginnings of elements', '< '.repeat(1_000_001), '1,000,000 elements'],
    ['attributes', `<a ${many(1_000_001, (n) => `b${n}="" `)}>`, '1,000,000 attributes'],
    ['attributes with spaces around =', `<a ${many(1_000_001, () => 'b = ""')}>`, '1,000,000 attributes'],
    ['comments', '<!---->'.repeat(100_001), '100,000 comments and CDATA sections'],
    ['CDATA sections', '<![CDATA[]]>'.repeat(100_001), '100,000 comments and CDATA sections'],
    ['instructions', '<?a?>'.repeat(100_001), '100,000 comments and CDATA sections'],
    ['names in a tag', `<a ${'b '.repeat(20_001)}>`, '20,000 words in a tag'],
    ['names in a tag after a quoted angle bracket', `<a x=">" ${'b '.repeat(20_001)}>`, '20,000 words in a tag'],
    ['names with unusual spaces', `<a ${'b\u2003'.repeat(20_001)}>`, '20,000 words in a tag'],
    ['names in a tag after a CDATA section', `<![CDATA[ ]]><a ${'b '.repeat(20_001)}>`, '20,000 words in a tag'],
    ['names in a tag in a comment', `<!-- <a ${'b '.repeat(20_001)}> -->`, '20,000 words in a tag'],
    ['names in a tag that looks like a comment', `<!- ${'b '.repeat(20_001)}>`, '20,000 words in a tag'],
    ['names in an instruction', `<?a > ${'b '.repeat(20_001)}?>`, '20,000 words in a tag'],
    ['lines', '\r'.repeat(1_000_001), '1,000,000 lines'],
    ['characters in one text', `<a>${'y'.repeat(1_000_001)}`, CHARACTERS],
    ['characters between comments', `<a>${`${'y'.repeat(10_000)}<!-- -->`.repeat(100)}`, CHARACTERS],
    ['characters between comments with tags', `<a>${`${'y'.repeat(10_000)}<!-- <b> -->`.repeat(100)}`, CHARACTERS],
  ])('%s', (_what, text, words) => {
    expect(() => checkXmlBounds(text)).toThrow(`the document contains more than ${words}`)
  })

  test.each([
    ['the maximum of elements', '<a></a>'.repeat(1_000_000)],
    ['the maximum of attributes', '<a b="">'.repeat(1_000_000)],
    ['the maximum of sections', '<![CDATA[]]>'.repeat(100_000)],
    ['the maximum of words', `<a ${'b '.repeat(19_999)}>`],
    ['the maximum of words in each of several tags', `<a ${'b '.repeat(19_999)}/>`.repeat(5)],
    ['more words in a text', `<a>${'b '.repeat(20_001)}</a>`],
    ['a URL with many parameters', `<a b="${'x=1&amp;'.repeat(5000)}"/>`],
    ['the maximum of characters in each of several texts', `<a>${'y'.repeat(999_990)}</a>`.repeat(3)],
    ['more words in a CDATA section', `<![CDATA[${'b '.repeat(20_001)}]]>`],
    ['more words in a comment', `<!--${'b '.repeat(20_001)}-->`],
    ['more characters in a CDATA section', `<![CDATA[${'y'.repeat(1_000_001)}]]>`],
    ['more characters in an attribute', `<a b="${'y'.repeat(1_000_001)}"/>`],
  ])('but not with %s', (_what, text) => {
    expect(() => checkXmlBounds(text)).not.toThrow()
  })
})

describe('before parsing, JSON is refused with too many', () => {
  test.each([
    ['objects', '{},'.repeat(200_001), '200,000 objects and lists'],
    ['lists', '['.repeat(200_001), '200,000 objects and lists'],
    ['numbers', `[${'1,'.repeat(1_000_001)}`, '1,000,000 values'],
    ['keys', `{${'"a":1,'.repeat(500_001)}`, '1,000,000 values'],
    ['values after a string', `["\\\\",${'1,'.repeat(1_000_001)}`, '1,000,000 values'],
  ])('%s', (_what, text, words) => {
    expect(() => checkJsonBounds(text)).toThrow(`the document contains more than ${words}`)
  })

  test('but not with many such characters in texts', () => {
    expect(() => checkJsonBounds(`["${'{[,:\\"'.repeat(1_000_001)}"]`)).not.toThrow()
  })
})

test.each([
  ['elements in one place', rss('<a/>'.repeat(75_001)), '75,000 elements in one place'],
  ['elements in an item', rss(`<item>${'<a>yyyyyyyy</a>'.repeat(75_001)}</item>`), '75,000 elements in one place'],
  ['attributes in one place', rss('<a b="" c=""/>'.repeat(37_501)), '75,000 attributes in one place'],
  ['names of elements', rss(many(10_001, (n) => `<a${n}/>`)), '10,000 names of elements'],
  ['names of attributes', rss(many(10_001, (n) => `<a b${n}=""/>`)), '10,000 names of attributes'],
  ['items', rss(many(30_001, episode)), '30,000 items'],
  ['items of JSON', json(many(30_001, () => '{},').slice(0, -1)), '30,000 items'],
])('during parsing, a document is refused with too many %s', (_what, text, words) => {
  expect(outcome(text)).toBe(`the document contains more than ${words}`)
})

test('the largest real feeds are within the limits: 7,000 episodes of 40 elements in 16 MB', () => {
  const person =
    '<podcast:person role="guest" img="https://p.example/ida.jpg" href="https://p.example/">Ida</podcast:person>'
  const rich = (
    n: number,
  ) => `<item><title>Fog ${n}</title><enclosure url="https://cdn.example/${n}.mp3" type="audio/mpeg" length="1"/>
    <description><![CDATA[${'<p class="notes">Words about <a href="https://l.example/x">a link</a>.</p>'.repeat(4)}]]></description>
    ${person.repeat(8)}${'<itunes:season>2</itunes:season>'.repeat(25)}${'<podcast:transcript url="https://t.example/1.vtt" type="text/vtt"/>'.repeat(5)}</item>`
  const text = rss(many(7000, rich))
  expect(text.length).toBeGreaterThan(15_000_000)
  expect(outcome(text)).toBe('Harbour Talk')
})
