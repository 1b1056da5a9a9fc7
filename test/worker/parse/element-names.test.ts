import { describe, expect, test } from 'bun:test'
import { parseFeed } from '../../support/feed-document.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 10 }
const ITUNES = 'http://www.itunes.com/dtds/podcast-1.0.dtd'
const MEDIA = 'http://search.yahoo.com/mrss/'
const CONTENT = 'http://purl.org/rss/1.0/modules/content/'
const DC = 'http://purl.org/dc/elements/1.1/'

const read = (text: string) => parseFeed(new TextEncoder().encode(text), '', OPTIONS)

const rss = (item: string, { channel = '', root = '' } = {}) =>
  `<rss ${root}><channel><title>Harbour Talk</title>${channel}<item><title>Fog</title>
    <enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/>${item}</item></channel></rss>`

const episode = (item: string, root = '') => read(rss(item, { root })).episodes[0]

test.each([
  '<link xmlns="http://www.w3.org/2005/Atom" rel="self" href="https://feeds.tidewater.example/f"/>',
  `<summary xmlns="${ITUNES}">Ebb</summary>`,
  `<category xmlns="${ITUNES}" text="Sea"><category text="Tides"/></category>`,
])('a default namespace ends with the element that declares it: %s', (channel) => {
  expect(read(rss('', { channel })).episodes).toMatchObject([{ title: 'Fog', url: 'https://cdn.example/1.mp3' }])
})

describe('elements of a feed may have a prefix:', () => {
  const elements = (p: string, more: string) => `<${p}rss ${more}><${p}channel><${p}title>Harbour Talk</${p}title>
    <${p}item><${p}title>Fog</${p}title><${p}enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/></${p}item>
    </${p}channel></${p}rss>`
  const atom = (p: string, more: string) => `<${p}feed ${more}><${p}title>Harbour Talk</${p}title><${p}entry>
    <${p}title>Fog</${p}title><${p}link rel="enclosure" href="https://cdn.example/1.mp3" type="audio/mpeg"/></${p}entry>
    </${p}feed>`

  test.each([
    ['RSS 2.0', elements('r:', 'xmlns:r="http://backend.userland.com/rss2"')],
    ['RSS with an unknown namespace', elements('x:', 'xmlns:x="http://tides.example/ns"')],
    ['RSS without a declaration', elements('RSS2:', '')],
    ['Atom', atom('a:', 'xmlns:a="http://www.w3.org/2005/Atom"')],
    ['Atom with an unknown namespace', atom('a:', 'xmlns:a="http://tides.example/ns"')],
  ])('%s', (_what, text) => {
    const { title, episodes } = read(text)
    expect([title, episodes.map((each) => each.title)]).toEqual(['Harbour Talk', ['Fog']])
  })
})

test.each([
  ['an element', `<duration xmlns="${ITUNES}">1:00:00</duration>`, { duration: 3600 }],
  ['an empty element', `<image xmlns="${ITUNES}" href="https://c.example/a"/>`, { imageUrl: 'https://c.example/a' }],
  ['an element in capitals', `<Duration xmlns="${ITUNES}">60</Duration>`, { duration: 60 }],
  ['notes', `<encoded xmlns="${CONTENT}">&lt;b&gt;Ebb&lt;/b&gt;</encoded>`, { description: '<b>Ebb</b>' }],
  ['notes with markup', `<summary xmlns="${ITUNES}"><b>Ebb</b></summary>`, { description: '<b>Ebb</b>' }],
  [
    'one after another',
    `<season xmlns="${ITUNES}">2</season><duration>60</duration>`,
    { season: 2, duration: undefined },
  ],
  ['a number', `<episode xmlns="${ITUNES}">5</episode><season xmlns="${ITUNES}">2</season>`, { season: 2, number: 5 }],
  ['an invalid number', `<episode xmlns="${ITUNES}">5b</episode>`, { number: undefined }],
  ['zero', `<episode xmlns="${ITUNES}">0</episode>`, { number: undefined }],
  ['a number that is too large', `<episode xmlns="${ITUNES}">100000</episode>`, { number: undefined }],
  ['an element after notes', `<summary xmlns="${ITUNES}">Ebb</summary><season>2</season>`, { season: undefined }],
  ['an unknown namespace', `<duration xmlns="http://tides.example/ns">60</duration>`, { duration: undefined }],
])('an element may declare its own namespace: %s', (_what, item, expected) => {
  expect(episode(item)).toMatchObject(expected)
})

test('a default namespace applies to the elements inside', () => {
  const channel = `<owner xmlns="${ITUNES}"><title/><name>Ida Holm</name></owner>
    <category xmlns="${ITUNES}" text="Sea"><category text="Tides"/></category><language>en</language>`
  expect(read(rss('', { channel }))).toMatchObject({ author: 'Ida Holm', tags: ['Sea', 'Tides'], language: 'en' })
})

test('a wrong namespace of the root is ignored', () => {
  expect(read(rss('', { root: `xmlns="${ITUNES}"` })).episodes).toHaveLength(1)
})

describe('a prefix may be declared', () => {
  const late = `<!-- ${'fog '.repeat(20_000)} -->`
  test.each([
    ['on the element', `<x:duration xmlns:x="${ITUNES}">60</x:duration>`],
    ['after 64 KiB', `${late}<x:duration xmlns:x="${ITUNES}">60</x:duration>`],
    ['before it', `<more xmlns:x='${ITUNES}'/><x:duration>60</x:duration>`],
    ['for several namespaces', `<x:date xmlns:x="${DC}"/><x:duration xmlns:x="${ITUNES}">60</x:duration>`],
    [
      'for the same one again',
      `<x:season xmlns:x="${ITUNES}">1</x:season><x:duration xmlns:x="${ITUNES}">60</x:duration>`,
    ],
    ['instead of the usual one', `<media:duration xmlns:media="${ITUNES}">60</media:duration>`],
  ])('%s', (_where, item) => {
    expect(episode(item)).toMatchObject({ duration: 60 })
  })

  test('for another namespace on a single element', () => {
    const item = `<m:keywords xmlns:m="${ITUNES}">Sea</m:keywords><m:thumbnail url="https://c.example/a.jpg"/>`
    expect(episode(item, `xmlns:m="${MEDIA}"`)).toMatchObject({ imageUrl: 'https://c.example/a.jpg' })
  })
})
