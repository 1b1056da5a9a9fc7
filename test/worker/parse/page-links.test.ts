import { expect, test } from 'bun:test'
import { feedLinksOf } from '../../../src/worker/parse/page-links.ts'

const PAGE = 'https://tidewater.example/shows/harbour'
const rss = (href: string, more = '') =>
  `<link rel="alternate" type="application/rss+xml" href="${href}"${more === '' ? '' : ` ${more}`}>`
const urlsOf = (page: string) => feedLinksOf(page, PAGE).map(({ url }) => url)

test('the feeds that a page links to are listed in order, with titles', () => {
  const page = `<!doctype html><html><head><title>Harbour</title>
    ${rss('/feed.xml', 'title="Harbour &amp; Talk"')}
    <LINK HREF=atom.xml TYPE="application/atom+xml; charset=utf-8" REL="alternate home">
    <link rel="alternate" type="application/feed+json" href="https://cdn.example/feed.json" title=" a
    b ">
    </head>`
  expect(feedLinksOf(page, PAGE)).toEqual([
    { url: 'https://tidewater.example/feed.xml', title: 'Harbour & Talk' },
    { url: 'https://tidewater.example/shows/atom.xml', title: '' },
    { url: 'https://cdn.example/feed.json', title: 'a b' },
  ])
})

test.each([
  ['relative to the base of the page', `<base href="https://cdn.example/x/">${rss('f')}`, ['https://cdn.example/x/f']],
  ['by rel="feed"', '<link rel="Feed" type="application/rss+xml" href="/f">', ['https://tidewater.example/f']],
  ['once each', rss('/f') + rss('/f') + rss('https://tidewater.example/f'), ['https://tidewater.example/f']],
  [
    'as links in the text with a type or scheme of feeds',
    '<body><a type="application/rss+xml" href="/f">RSS</a><a href="pcast://tidewater.example/g">App</a>',
    ['https://tidewater.example/f', 'http://tidewater.example/g'],
  ],
  ['in broken pages', `<head></div><p <b> ${rss('/f')} </html`, ['https://tidewater.example/f']],
])('feeds are found %s', (_case, page, urls) => {
  expect(urlsOf(page)).toEqual(urls)
})

test.each([
  ['a style sheet', '<link rel="stylesheet" href="/x.css">'],
  ['another language', '<link rel="alternate" hreflang="de" href="/de">'],
  ['an API', '<link rel="alternate" type="application/json" href="/wp-json">'],
  ['a link that is not alternate', '<link rel="self" type="application/rss+xml" href="/f">'],
  ['a script', rss('javascript:alert(1)')],
  ['a file', rss('file:///etc/passwd')],
  ['data', rss('data:application/rss+xml,x')],
  ['nothing', rss('') + rss('  ')],
  ['another scheme after feed:', '<a href="feed:javascript:alert(1)">x</a>'],
  ['a URL that is too long', rss(`/${'a'.repeat(3000)}`)],
  ['a comment', `<!-- ${rss('/f')} -->`],
  ['the text of a script', `<script>const x = '${rss('/f')}'</script>`],
])('%s is not a link to a feed', (_case, page) => {
  expect(urlsOf(page)).toEqual([])
})

test('of a hostile page, ten links and the first part are read', () => {
  const many = Array.from({ length: 5000 }, (_, n) => rss(`/f${n}`, `title="${'x'.repeat(1000)}"`)).join('')
  const links = feedLinksOf(many, PAGE)
  expect(links).toHaveLength(10)
  expect(links[0]?.title).toHaveLength(200)
  expect(urlsOf(`${' '.repeat(600 * 1024)}${rss('/f')}`)).toEqual([])
  expect(urlsOf(`${'<div>'.repeat(400)}${rss('/f')}`)).toEqual(['https://tidewater.example/f'])
  expect(urlsOf(`${'<i>'.repeat(80_000)}${'</b>'.repeat(60_000)}${rss('/f')}`)).toEqual([])
})
