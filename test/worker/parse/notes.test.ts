import { describe, expect, test } from 'bun:test'
import { parseFeed } from '../../support/feed-document.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 10 }
const REL = 'rel="noopener noreferrer nofollow"'

const read = (text: string) => parseFeed(new TextEncoder().encode(text), '', OPTIONS)

const atom = (entry: string, root = '') => `<feed xmlns="http://www.w3.org/2005/Atom" ${root}><title>Tides</title>
  <entry><title>Fog</title>${entry}<link rel="enclosure" href="https://cdn.example/1.mp3" type="audio/mpeg"/></entry></feed>`
const rss = (item: string, root = '') => `<rss ${root}><channel><title>Tides</title><item><title>Fog</title>${item}
  <enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/></item></channel></rss>`

const notesOf = (text: string) => read(text).episodes[0]?.description

const EMPTY = [
  ...['<iframe src="https://video.example/1"/>', '<script/>', '<style type="text/css" />', '<audio src="/a.mp3"/>'],
  ...['<video/>', "<object data='a>b'/>", '<canvas\n/>', '<textarea/>', '<title/>', '<template/>', '<svg/>', '<math/>'],
  ...['<noscript/>', '<xmp/>', '<IFRAME/>', '<h:iframe/>', '<a href="https://x.example/a/"/>'],
]

describe('an empty element in XHTML does not hide the text after it:', () => {
  test.each(EMPTY)('%s', (element) => {
    const xhtml = `<div xmlns="http://www.w3.org/1999/xhtml"><p>Before</p>${element}<p>After</p></div>`
    const text = /^<p>Before<\/p>(?:<a [^>]*><\/a>)?<p>After<\/p>$/
    expect(notesOf(atom(`<content type="xhtml">${xhtml}</content>`))).toMatch(text)
    expect(notesOf(atom(`<summary type="xhtml">${xhtml}</summary>`))).toMatch(text)
    expect(notesOf(rss(`<description>${xhtml}</description>`))).toMatch(text)
    expect(read(atom('').replace('Tides', `<div>Tides${element} and fog</div>`)).title).toMatch(/^Tides ?and fog$/)
  })

  test('but it does in HTML, as in browsers', () => {
    const html = '<p>Before</p><iframe src="https://video.example/1"/><p>After</p>'
    expect(notesOf(rss(`<description><![CDATA[${html}]]></description>`))).toBe('<p>Before</p>')
    expect(notesOf(atom(`<content type="html">${Bun.escapeHTML(html)}</content>`))).toBe('<p>Before</p>')
  })

  test('and line breaks are kept', () => {
    expect(notesOf(rss('<description>Before<br/>After<hr /></description>'))).toBe('Before<br />After')
  })
})

test('XHTML may have a prefix', () => {
  const xhtml =
    '<x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>Fog <x:b>and</x:b> tide</x:p><x:script>x()</x:script></x:div>'
  expect(notesOf(atom(`<content type="xhtml">${xhtml}</content>`))).toBe('<p>Fog <b>and</b> tide</p>')
})

describe('URLs in notes are relative', () => {
  const notes = '<description>&lt;a href="map">x&lt;/a></description>'
  const base = (address: string) => `xml:base="${address}"`
  test.each([
    ['to the feed', rss(notes), 'https://feeds.tidewater.example/show/map'],
    ['to the base of the root', rss(notes, base('http://base.example/feeds/f.xml')), 'http://base.example/feeds/map'],
    [
      'to the base of the notes',
      rss(notes.replace('>', ` ${base('http://base.example/')}>`)),
      'http://base.example/map',
    ],
    [
      'to nested bases',
      rss(notes.replace('>', ` ${base('a/')}>`), base('http://base.example/')),
      'http://base.example/a/map',
    ],
  ])('%s', (_where, text, address) => {
    expect(notesOf(text)).toBe(`<a href="${address}" ${REL}>x</a>`)
  })

  test('to the base of the surrounding element', () => {
    const xhtml = '<div xmlns="http://www.w3.org/1999/xhtml" xml:base="/a/"><a href="map">x</a></div>'
    expect(notesOf(atom(`<content type="xhtml" ${base('http://base.example/')}>${xhtml}</content>`))).toBe(
      `<p><a href="http://base.example/a/map" ${REL}>x</a></p>`,
    )
  })

  test('to the feed, in JSON', () => {
    const attachments = [{ url: 'https://c.example/1.mp3', mime_type: 'audio/mpeg' }]
    const item = { id: '1', content_html: '<a href="//cdn.example/map">x</a>', attachments }
    const feed = { version: 'https://jsonfeed.org/version/1.1', items: [item] }
    expect(notesOf(JSON.stringify(feed))).toBe(`<a href="https://cdn.example/map" ${REL}>x</a>`)
  })
})

test('a link and an enclosure may have their own base', () => {
  const own = 'xml:base="http://base.example/a/"'
  expect(read(rss(`<link ${own}>map</link>`)).episodes[0]?.website).toBe('http://base.example/a/map')
  const { episodes } = read(
    atom(`<link ${own} href="map"/><link ${own} rel="enclosure" href="2.mp3" type="audio/mpeg"/>`),
  )
  expect(episodes[0]).toMatchObject({ website: 'http://base.example/a/map', url: 'http://base.example/a/2.mp3' })
})

describe('control characters are read as Windows-1252', () => {
  test.each([
    ['as characters', 'don\u0092t \u0096 \u0085'],
    ['as decimal references', 'don&#146;t &#150; &#133;'],
    ['as hexadecimal references', 'don&#x92;t &#x96; &#x85;'],
    ['in CDATA', '<![CDATA[don\u0092t \u0096 \u0085]]>'],
  ])('%s', (_how, text) => {
    const feed = read(rss(`<description>${text}</description>`).replace('Fog', text).replace('Tides', text))
    expect([feed.title, feed.episodes[0]?.title, feed.episodes[0]?.description]).toEqual(Array(3).fill('don’t – …'))
  })
})
