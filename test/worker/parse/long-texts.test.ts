import { describe, expect, test } from 'bun:test'
import { parseFeed } from '../../support/feed-document.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 100 }

const item = (n: number, inner: string) =>
  `<item><title>Fog ${n}</title>${inner}<enclosure url="https://cdn.example/${n}.mp3" type="audio/mpeg"/></item>`
const rss = (...items: readonly string[]) =>
  `<rss><channel><title>Harbour Talk</title>${items.join('')}</channel></rss>`

const read = (text: string) => parseFeed(new TextEncoder().encode(text), '', OPTIONS)

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length))
const times = (count: number, inner: string) => Array.from({ length: count }, (_, n) => item(n + 1, inner))

const ESCAPED = '&lt;p&gt;Fog &amp;amp; tide&lt;/p&gt;'

describe('feeds with long notes are parsed:', () => {
  test.each([
    ['escaped, in each of many episodes', times(22, `<description>${filled(ESCAPED, 55_000)}</description>`)],
    ['plain, in each of many episodes', times(22, `<description>${filled('Fog and tide. ', 55_000)}</description>`)],
    ['of a transcript', times(22, `<content:encoded>${filled(ESCAPED, 360_000)}</content:encoded>`)],
    ['in CDATA without tags', times(22, `<description><![CDATA[${filled('Fog. ', 55_000)}]]></description>`)],
    ['of one long text', times(1, `<description>${filled('Fog and tide. ', 1_100_000)}</description>`)],
    ['of one long text in CDATA', times(1, `<description><![CDATA[${filled('Fog. ', 3_000_000)}]]></description>`)],
    ['with angles', times(1, `<description>${filled('&lt;p>Fog', 3_000_000)}</description>`)],
    ['with comments', times(1, `<description>${filled('Fog <!-- and --> tide ', 1_100_000)}</description>`)],
  ])('%s', (_what, items) => {
    const { title, episodes } = read(rss(...items))
    expect([title, episodes.length]).toEqual(['Harbour Talk', items.length])
    for (const { title, url, description } of episodes) {
      expect([title, url]).toEqual([expect.stringMatching(/^Fog \d+$/), expect.stringMatching(/\d+\.mp3$/)])
      expect(description.length).toBeGreaterThan(20_000)
      expect(description.length).toBeLessThanOrEqual(64 * 1024)
      expect(description).toContain('Fog')
    }
  })

  test('of Atom', () => {
    const entry = `<entry><title>Fog</title><summary type="html">${filled(ESCAPED, 90_000)}</summary>
      <link rel="enclosure" type="audio/mpeg" href="https://cdn.example/NUMBER.mp3"/></entry>`
    const entries = Array.from({ length: 20 }, (_, n) => entry.replace('NUMBER', String(n)))
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title>${entries.join('')}</feed>`
    expect(read(atom).episodes.map(({ description }) => description.length > 20_000)).toEqual(Array(20).fill(true))
  })
})

describe('long ignored texts do not affect the rest of the feed:', () => {
  const long = filled('Fog &lt;b> and tide. ', 700_000)
  const unbroken = filled('Fog/', 700_000)
  test.each([
    ['an unknown element', `<yandex:full-text>${long}</yandex:full-text>`],
    ['an unknown element with a CDATA section', `<full-text>${long}<![CDATA[${long}]]></full-text>`],
    ['text next to elements', long],
    ['text between comments', `<full-text>${`${long}<!-- ${long} -->`.repeat(3)}</full-text>`],
    ['a comment', `<!-- ${long} -->`],
    ['an instruction', `<?full-text ${unbroken}?>`],
    ['an attribute', `<full-text value="${unbroken}" other='${unbroken}'/>`],
  ])('%s', (_what, inner) => {
    const { episodes } = read(rss(item(1, inner), item(2, '<description>Ebb</description>')))
    expect(episodes.map(({ title, description }) => [title, description])).toEqual([
      ['Fog 1', ''],
      ['Fog 2', 'Ebb'],
    ])
  })
})

test('an embedded picture in notes does not shorten the text after it', () => {
  const picture = `&lt;img src="data:image/png;base64,${filled('iVBORw0KGgo/', 900_000)}"&gt;`
  const cdata = `<![CDATA[<img src="data:image/png;base64,${filled('iVBORw0KGgo/', 900_000)}">Fog and tide]]>`
  const text = rss(
    item(1, `<description>${picture}Fog and tide</description>`),
    item(2, `<description>${cdata}</description>`),
  )
  expect(read(text).episodes.map(({ description }) => description)).toEqual(['Fog and tide', 'Fog and tide'])
})
