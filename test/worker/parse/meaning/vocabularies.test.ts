import { describe, expect, test } from 'bun:test'
import { NotAFeed } from '../../../../src/domain/feeds/document.ts'
import { ENCLOSURE, episodeOf, feedOf, itemOf, jsonItemOf, MEDIA, rssOf, secondsOf } from './feed-of.ts'

const DAY = '2025-03-03T10:00:00'
const LATER = '2025-03-05T10:00:00Z'

describe('the date of an episode', () => {
  test.each([
    ...['a10:updated', 'a10:published', 'atom:published', 'atom:issued', 'dc:date', 'dc10:date'],
    ...['dcterms:created', 'dcterms:issued', 'dcterms:modified', 'dcterms:date', 'dcterms:available', 'updated'],
  ])('may be in %s', (name) => {
    expect(episodeOf(`<${name}>${DAY}Z</${name}>`).released).toBe(secondsOf(DAY))
  })

  test('may be in an element of an undeclared namespace', () => {
    const item = `<item><dcterms:issued>${DAY}Z</dcterms:issued>${ENCLOSURE}</item>`
    expect(feedOf(`<rss><channel>${item}</channel></rss>`).episodes[0]?.released).toBe(secondsOf(DAY))
  })

  test.each([
    ['a10:updated', 'a10:published'],
    ['dcterms:modified', 'dcterms:issued'],
    ['a10:updated', 'pubDate'],
    ['dcterms:created', 'dc:date'],
    ['pubDate', 'dc:date'],
  ])('is not a date of change or an invalid one: %s before %s', (first, second) => {
    const broken = first === 'pubDate' ? 'soon' : LATER
    expect(episodeOf(`<${first}>${broken}</${first}><${second}>${DAY}Z</${second}>`).released).toBe(secondsOf(DAY))
  })

  test('is the date of change of a JSON Feed item that has no other', () => {
    const attachments = [{ url: MEDIA }]
    expect(jsonItemOf({ date_modified: `${DAY}Z`, attachments })?.released).toBe(secondsOf(DAY))
    expect(jsonItemOf({ date_modified: LATER, date_published: `${DAY}Z`, attachments })?.released).toBe(secondsOf(DAY))
  })
})

test('episodes from before 1970 are sorted by date, before those without one', () => {
  const item = (n: number, date: string) => `<item><pubDate>${date}</pubDate><enclosure url="/${n}.mp3"/></item>`
  const dates = ['', '1960-05-02', '1971-01-01', '', '1965-01-01']
  const { episodes } = rssOf(dates.map((date, n) => item(n, date)).join(''))
  expect(episodes.map(({ url }) => url.at(-5))).toEqual(['2', '4', '1', '0', '3'])
})

describe('texts of other namespaces', () => {
  test.each([
    ['<dc:title>Fog</dc:title>', 'Fog', ''],
    ['<dc10:title>Fog</dc10:title><dc10:description>Tide</dc10:description>', 'Fog', 'Tide'],
    ['<a10:title>Fog</a10:title><a10:summary>Tide</a10:summary>', 'Fog', 'Tide'],
    ['<a10:title type="html">&lt;b&gt;Fog&lt;/b&gt;</a10:title><a10:content>Tide</a10:content>', 'Fog', 'Tide'],
    ['<a10:summary>x</a10:summary><a10:content type="html">&lt;b&gt;Tide&lt;/b&gt;</a10:content>', '', '<b>Tide</b>'],
    ['<dc:description><![CDATA[<p>Tide</p>]]></dc:description>', '', '<p>Tide</p>'],
    ['<a10:content type="xhtml"><p>Tide</p></a10:content>', '', '<p>Tide</p>'],
    [
      '<dc:title>x</dc:title><title>Own</title><dc:description>x</dc:description><description>Own</description>',
      'Own',
      'Own',
    ],
  ])('are used for an item without its own: %s', (item, title, description) => {
    expect(episodeOf(item)).toMatchObject({ title, description })
  })

  test.each([
    ['<dc:title>Fog</dc:title><dc:description>Tide</dc:description>', 'Fog', 'Tide'],
    ['<dc10:title>Fog</dc10:title><dc10:description>Tide</dc10:description>', 'Fog', 'Tide'],
    ['<a10:title>Fog</a10:title><a10:subtitle>Tide</a10:subtitle>', 'Fog', 'Tide'],
    ['<media:title>Fog</media:title><media:description>Tide</media:description>', 'Fog', 'Tide'],
    ['<dc:title>Fog</dc:title><title>Own</title>', 'Own', ''],
  ])('are used for a channel without its own: %s', (channel, title, description) => {
    expect(rssOf(channel)).toMatchObject({ title, description })
  })
})

const group = (inner: string) => `<media:group>${inner}</media:group>`

describe('Media RSS', () => {
  const TEXTS = `<media:title>Fog</media:title><media:description type="html">&lt;b&gt;Tide&lt;/b&gt;</media:description>`
  const THUMBNAIL = '<media:thumbnail url="https://p.test/1.jpg"/>'
  const FOUND = { url: MEDIA, title: 'Fog', description: '<b>Tide</b>', imageUrl: 'https://p.test/1.jpg', duration: 95 }

  test.each([
    ['in a group', `<media:group><media:content url="${MEDIA}" duration="95"/>${TEXTS}${THUMBNAIL}</media:group>`],
    ['in a file', `<media:content url="${MEDIA}" duration="95">${TEXTS}${THUMBNAIL}</media:content>`],
    ['in a file of a group', group(`<media:content url="${MEDIA}" duration="95">${TEXTS}${THUMBNAIL}</media:content>`)],
    ['next to the file', `<media:content url="${MEDIA}" duration="1:35"/>${TEXTS}${THUMBNAIL}`],
    ['beside an enclosure', ENCLOSURE + group(`<media:content url="${MEDIA}" duration="95"/>${TEXTS}${THUMBNAIL}`)],
  ])('is read %s', (_where, item) => {
    expect(itemOf(item)).toMatchObject(FOUND)
  })

  test('does not replace texts of an item, and texts of pictures are ignored', () => {
    const picture = `<media:content url="https://p.test/1.jpg" medium="image"><media:title>Avatar</media:title></media:content>`
    const own = `${group(TEXTS)}<title>Own</title><description>Own</description>`
    expect(episodeOf(own)).toMatchObject({ title: 'Own', description: 'Own' })
    expect(episodeOf(picture)).toMatchObject({ title: '', imageUrl: 'https://p.test/1.jpg' })
  })

  test('provides the duration if that of the item is missing or invalid', () => {
    const content = `<media:content url="${MEDIA}" duration="95"/>`
    expect(episodeOf(`<itunes:duration>soon</itunes:duration>${content}`).duration).toBe(95)
    expect(episodeOf(`<itunes:duration>60</itunes:duration>${content}`).duration).toBe(60)
  })
})

const P = 'https://p.test'

describe('a picture', () => {
  test.each([
    [`<itunes:image href="${P}/1.jpg"/>`],
    [`<itunes:image url="${P}/1.jpg"/>`],
    [`<itunes:image src="${P}/1.jpg"/>`],
    [`<itunes:image>${P}/1.jpg</itunes:image>`],
    [`<itunes:image><url>${P}/1.jpg</url></itunes:image>`],
    [`<itunes:image href=""/><itunes:image href="${P}/1.jpg"/>`],
    [`<itunes:image href="data:image/png;base64,AA"/><itunes:image href="${P}/1.jpg"/>`],
    [`<itunes:image/><image><url>${P}/1.jpg</url></image>`],
    [`<image><title>Harbour</title><url>${P}/1.jpg</url></image>`],
    [`<image url="${P}/1.jpg"/>`],
    [`<media:content medium="image" url="${P}/1.jpg"/>`],
    [`<media:content type="image/png" url="${P}/1.jpg"/>`],
    [`<media:content url="${P}/1.jpg"/>`],
    [`<media:group><media:content url="${P}/1.jpg"/></media:group>`],
    [`<media:thumbnail url="${P}/0.jpg" width="75"/><media:thumbnail url="${P}/1.jpg" width="960"/>`],
    [`<media:thumbnail url="${P}/0" width="75"/>${group(`<media:thumbnail url="${P}/1.jpg" width="960"/>`)}`],
    [`<media:thumbnail url="${P}/0.jpg" height="75"/><media:thumbnail url="${P}/1.jpg" height="96px"/>`],
    [`<media:thumbnail url="${P}/1.jpg"/><media:thumbnail url="${P}/2.jpg"/>`],
    [`<media:thumbnail>${P}/1.jpg</media:thumbnail>`],
    [
      `<media:content medium="image" url="${P}/0" width="9"/><media:content medium="image" url="${P}/1.jpg" width="96"/>`,
    ],
    [`<media:thumbnail url="${P}/0.jpg" width="3000"/><itunes:image href="${P}/1.jpg"/>`],
  ])('is found in an item and a channel: %s', (element) => {
    expect([episodeOf(element).imageUrl, rssOf(element).logoUrl]).toEqual([`${P}/1.jpg`, `${P}/1.jpg`])
  })
})

describe('the website', () => {
  const W = 'https://w.example/fog'

  test.each([
    ['a guid that is a URL', W, `<guid>${W}</guid>`],
    ['a guid that is a permalink', W, `<guid isPermaLink="true">${W}</guid>`],
    ['a link rather than a guid', W, `<guid>https://o.example/</guid><link>${W}</link>`],
    ['an Atom link', W, `<a10:link href="${W}"/>`],
    ['an Atom link to an alternate', W, `<atom:link rel="alternate" type="text/html" href="${W}"/>`],
    [
      'one of several Atom links',
      W,
      `<atom:link rel="self" href="https://o.example/"/><atom:link rel="alternate" href="${W}"/>`,
    ],
    ['not a feed', W, `<atom:link rel="alternate" type="application/rss+xml" href="/f"/><a10:link href="${W}"/>`],
    ['a link with text', W, `<link></link><atom:link href="https://o.example/"/><link>${W}</link>`],
    ['no guid that is not a URL', '', '<guid>fog</guid>'],
    ['no guid that is a URN', '', '<guid>urn:uuid:1</guid>'],
    ['no guid that is not a permalink', '', `<guid isPermaLink="False">${W}</guid>`],
    ['no media file', '', `<guid>${MEDIA}</guid>`],
    ['no media file on another host', '', '<guid>https://other.example/one.mp3?source=feed</guid>'],
    ['no other Atom link', '', `<atom:link rel="self" href="${W}"/><atom:link rel="enclosure" href="${W}"/>`],
  ])('of an item is %s: %j', (_what, website, item) => {
    expect(episodeOf(item).website).toBe(website)
  })

  test.each([
    [W, `<a10:link href="${W}"/>`],
    [W, `<atom:link rel="alternate" href="${W}"/>`],
    ['', `<atom:link rel="self" href="${W}"/>`],
    ['', `<atom:link rel="hub" href="${W}"/>`],
  ])('of a channel is %j: %s', (website, channel) => {
    expect(rssOf(channel).website).toBe(website)
  })
})

test.each([
  ['<dc:creator>Ida Holm (ida@harbour.example)</dc:creator>'],
  ['<dc:creator><![CDATA[Ida Holm <ida@harbour.example>]]></dc:creator>'],
  ['<managingEditor>ida@harbour.example (Ida Holm)</managingEditor>'],
  ['<author>Ida Holm (ida@harbour.example)</author>'],
  ['<dc:author>Ida Holm</dc:author>'],
  ['<dc:publisher>Ida Holm</dc:publisher>'],
  ['<dcterms:creator>Ida Holm</dcterms:creator>'],
  ['<a10:author><a10:name>Ida Holm</a10:name><a10:email>ida@harbour.example</a10:email></a10:author>'],
  ['<dc:publisher>Harbour Radio</dc:publisher><dc:creator>Ida Holm</dc:creator>'],
])('the author is Ida Holm: %s', (channel) => {
  expect(rssOf(channel).author).toBe('Ida Holm')
})

test('the author of a JSON Feed has no email address either', () => {
  const authors = [{ name: 'Ida Holm <ida@harbour.example>' }]
  const feed = { version: 'https://jsonfeed.org/version/1.1', authors, items: [] }
  expect(feedOf(JSON.stringify(feed)).author).toBe('Ida Holm')
})

describe('an item of RSS 1.0', () => {
  const rdf = (item: string) =>
    feedOf(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel/>${item}</rdf:RDF>`).episodes[0]

  test('is identified by rdf:about, unless it has a guid', () => {
    expect(rdf(`<item rdf:about="https://a.example/1">${ENCLOSURE}</item>`)?.guid).toBe('https://a.example/1')
    expect(rdf(`<item about="https://a.example/1">${ENCLOSURE}</item>`)?.guid).toBe('https://a.example/1')
    expect(rdf(`<item rdf:about="https://a.example/1"><guid>1</guid>${ENCLOSURE}</item>`)?.guid).toBe('1')
  })
})

test('the first list of chapters is used', () => {
  const list = (title: string) => `<psc:chapters><psc:chapter start="0" title="${title}"/></psc:chapters>`
  expect(episodeOf(list('One') + list('Two')).chapters).toBe('[[0,"One",""]]')
})

test.each([
  ['https://pay.example/a', '<atom:link rel="payment" href="https://pay.example/a"/>'],
  [
    'https://pay.example/b',
    '<atom:link rel="payment" href="https://pay.example/a"/><podcast:funding url="https://pay.example/b">b</podcast:funding>',
  ],
])('the funding address is %s: %s', (url, channel) => {
  expect(rssOf(channel).fundingUrl).toBe(url)
})

test('categories are read on three levels', () => {
  const [end, open] = ['</itunes:category>', (text: string) => `<itunes:category text="${text}">`]
  const tags = rssOf(open('Arts') + open('Books') + open('Poems') + end + open('Plays') + end + end + end).tags
  expect(tags.toSorted()).toEqual(['Arts', 'Books', 'Plays', 'Poems'])
})

test('a category is shown by its label', () => {
  const categories = '<category term="sea" label="The sea"/><category term="tide"/>'
  expect(feedOf(`<feed>${categories}</feed>`).tags).toEqual(['The sea', 'tide'])
})

test('a redirect in the document is its new URL', () => {
  const redirect = '<redirect><newLocation>https://new.example/feed</newLocation></redirect>'
  expect(feedOf(`<rss>${redirect}<channel/></rss>`).newFeedUrl).toBe('https://new.example/feed')
  const links = [{ url: 'https://new.example/feed', title: '' }]
  expect(() => feedOf(`<rss>${redirect}</rss>`)).toThrow(
    new NotAFeed('the feed has moved to https://new.example/feed', links),
  )
  expect(() => feedOf('<rss><redirect/></rss>')).toThrow(new NotAFeed('the document is not a podcast feed'))
})
