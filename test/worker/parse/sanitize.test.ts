import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withoutControls } from '../../../src/worker/parse/feed-values.ts'
import { plainMarkup, sanitise } from '../../../src/worker/parse/sanitize.ts'
import { processorSeconds } from '../../support/values.ts'
import HOSTILE from './hostile-html.json'
import { referenceSanitize } from './reference-sanitizer.ts'
import { htmlToText } from './strict-html.ts'

const LIMIT = 64 * 1024
const REL = 'rel="noopener noreferrer nofollow"'

test.each([
  ['text in any script', 'Тихо. 海の音 🌊 بحر', 'Тихо. 海の音 🌊 بحر'],
  ['other entities', '&quot;Tea&quot; &#8211; &eacute;&nbsp;&#x1F30A;!', '"Tea" – é\u00a0🌊!'],
  ['emphasis', '<b>a</b> <strong>b</strong> <i>c</i> <em>d</em>', '<b>a</b> <strong>b</strong> <i>c</i> <em>d</em>'],
  ['lists in lists', '<ol><li>a<ul><li>b</li></ul></li></ol>', '<ol><li>a<ul><li>b</li></ul></li></ol>'],
  ['line breaks', 'a<br>b<br/>c<br />d', 'a<br />b<br />c<br />d'],
  ['a link', '<a href="https://x.example/">x</a>', `<a href="https://x.example/" ${REL}>x</a>`],
  ['a link to mail', '<a href="mailto:ida@x.example">x</a>', `<a href="mailto:ida@x.example" ${REL}>x</a>`],
  ['a query', '<a href="http://x/?a=1&amp;copy=2#c">x</a>', `<a href="http://x/?a=1&amp;copy=2#c" ${REL}>x</a>`],
  ['link attributes', '<a target="a" href="HTTPS://X.example">x</a>', `<a href="https://x.example/" ${REL}>x</a>`],
  ['the text of a removed link', '<a href="/x">x</a>', 'x'],
  ['the text of removed tags', '<section><span class="x">a</span> <u>b</u></section>', 'a b'],
  ['boxes and headings', '<div>a</div><h2>b</h2><h6>c</h6>', '<p>a</p><h2>b</h2><h6>c</h6>'],
  ['a heading in a paragraph', '<p>a<h2>b</h2>c', '<p>a</p><h2>b</h2>c'],
  [
    'rows of a table',
    '<table><tr><th>a</th><th>b</th></tr> <tr><td>c</td>\n<td><p>d</p></td></tr>',
    '<p>a · b</p> <p>c · d</p>',
  ],
  ['a picture', '<img alt="Oven" src="https://x.example/o">', `<a href="https://x.example/o" ${REL}>🖼 Oven</a>`],
  ['a bare picture', "<img src='https://x.example/o.jpg?a'>", `<a href="https://x.example/o.jpg?a" ${REL}>🖼 o.jpg</a>`],
  ['the text of a removed picture', '<img src="/o.jpg" alt="a &lt;b&gt;">', 'a &lt;b&gt;'],
  ['not a tracking pixel', 'a<img src="https://x.example/o.gif" width="1" height=1>', 'a'],
  ['paragraphs in a box', '<div>\n<p>a</p>\n<p>b</p></div>', '<p>a</p>\n<p>b</p>'],
  ['a box in a paragraph', '<p>a<div>b</div>c', '<p>a</p><p>b</p>c'],
  ['unclosed tags', '<p>a<p>b <b>c', '<p>a</p><p>b <b>c</b></p>'],
  ['overlapping tags', '<b>a<i>b</b>c</i>', '<b>a<i>b</i></b>c'],
  ['signs that are not tags', 'a < b, a <3, a & b', 'a &lt; b, a &lt;3, a &amp; b'],
])('harmless HTML survives: %s', (_what, html, expected) => {
  expect(sanitise(html)).toBe(expected)
  expect(() => htmlToText(sanitise(html))).not.toThrow()
})

test.each([
  ['a path', '/map?a=1&amp;b=2', 'https://base.example/map?a=1&amp;b=2'],
  ['a name', 'map', 'https://base.example/feeds/map'],
  ['a name above', '../map', 'https://base.example/map'],
  ['a query', '?page=2', 'https://base.example/feeds/f.xml?page=2'],
  ['another host', '//cdn.example/map', 'https://cdn.example/map'],
  ['an absolute URL', 'http://x.example/map', 'http://x.example/map'],
])('a relative URL is resolved against the base: %s', (_what, href, address) => {
  const base = 'https://base.example/feeds/f.xml'
  expect(sanitise(`<a href="${href}">x</a>`, base)).toBe(`<a href="${address}" ${REL}>x</a>`)
  expect(sanitise(`<div><img src="${href}" alt="Map"></div>`, base)).toBe(
    `<p><a href="${address}" ${REL}>🖼 Map</a></p>`,
  )
})

test.each(['#top', '', 'javascript:x()', 'java\nscript:x()', 'data:text/html,x', 'x-app://fog', '//'])(
  'an unusable URL is removed, even with a base: %j',
  (href) => {
    expect(sanitise(`<a href="${href}">x</a>`, 'https://base.example/')).toBe('x')
  },
)

test.each([
  ['with a text', '<img alt="Map" src="data:image/png;base64,iVBO/Rw0K">', 'Map'],
  ['without a text', 'a<img src="data:image/png;base64,iVBO/Rw0K">', 'a'],
])('an embedded picture is replaced by its text: %s', (_what, html, text) => {
  expect(sanitise(html, 'https://base.example/')).toBe(text)
})

describe('for any HTML', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  const name = fc.constantFrom(
    ...['p', 'b', 'i', 'em', 'strong', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote'],
    ...['a', 'br', 'div', 'h1', 'span', 'section', 'svg', 'title', 'table', 'tr', 'td', 'img', 'noscript', 'x'],
  )
  const token = fc.oneof(
    text,
    fc.constantFrom('<', '>', '&', '"', "'", '/', '=', ' ', '\n', '\0', '<!--', '-->', ']]>', '&lt;', '&#8;', '&#32;'),
    name.map((tag) => `<${tag}>`),
    name.map((tag) => `</${tag}>`),
    fc.tuple(name, text).map(([tag, value]) => `<${tag} href="${value}" onclick='${value}'>`),
    fc.webUrl({ withQueryParameters: true, withFragments: true }).map((url) => `<a href="${url}">`),
    fc.constantFrom(...Object.values(HOSTILE).flat()),
  )
  const soup = fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(''))

  test('the result is plain, and does not change when it is sanitized again', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const once = sanitise(html)
        // A link in a link is split, so that space at the end of the outer one is then removed at the end of the text.
        expect(htmlToText(sanitise(once)).trim()).toBe(htmlToText(once).trim())
      }),
      { numRuns: 2000 },
    )
  })

  test('the result is that of sanitize-html', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const reference = withoutControls(referenceSanitize(withoutControls(plainMarkup(html)).trim())).trim()
        expect(sanitise(html)).toBe(reference)
      }),
      { numRuns: 2000 },
    )
  })

  test('no text outside tags is lost', () => {
    const words = fc.array(fc.stringMatching(/^[a-zé海]{1,5}$/u), { minLength: 1, maxLength: 10 })
    const tag = fc.constantFrom('<p>', '</p>', '<b>', '</b>', '<div>', '</div>', '<ul>', '</ul>', '<li>', '</li>')
    fc.assert(
      fc.property(words, fc.array(tag, { minLength: 10, maxLength: 10 }), (list, tags) => {
        const html = list.map((word, index) => word + tags[index]).join('')
        expect(htmlToText(sanitise(html))).toBe(list.join(''))
      }),
    )
  })
})

describe('long HTML', () => {
  const growing = ['word ', '🌊', '&', '<b', '<p>some words</p>', '<a href="http://a.b">c</a>', '<b>', '&lt;']

  test.each(growing)('is cut, and still plain: %s', (piece) => {
    const html = sanitise(piece.repeat(50_000))
    expect(html.length).toBeLessThanOrEqual(LIMIT)
    expect(html.isWellFormed()).toBe(true)
    expect(() => htmlToText(html)).not.toThrow()
    expect(sanitise(html)).toBe(html)
  })

  test.each([
    ['a picture', `<p><img src="data:image/png;base64,${'iVBORw0K/'.repeat(9000)}"></p><p>Fog and tide</p>`],
    ['a link to a file of its own', `<p><a href="data:text/plain,${'x'.repeat(77_000)}"></a></p><p>Fog and tide</p>`],
    ['a comment', `<!-- ${'p { margin: 0 } '.repeat(5000)} --><p>Fog and tide</p>`],
    ['a style sheet', `<style>${'p { margin: 0 } '.repeat(5000)}</style><p>Fog and tide</p>`],
    ['a script', `<script>${'fog() '.repeat(15_000)}</script><p>Fog and tide</p>`],
    ['attributes', `<p style="${'margin: 0; '.repeat(8000)}"></p><p>Fog and tide</p>`],
    ['boxes', `${'<div class="a"></div>'.repeat(5000)}<p>Fog and tide</p>`],
    ['white space', `${' \n'.repeat(50_000)}<p>Fog and tide</p>`],
  ])('is not cut because of %s, which is not shown', (_what, html) => {
    expect(htmlToText(sanitise(html)).trim()).toBe('Fog and tide')
  })

  test('has all its tags closed where it is cut', () => {
    const html = sanitise(`<ul><li><a href="https://x.example/"><b>${'fog '.repeat(20_000)}</b></a></li></ul>`)
    expect(html.slice(-23)).toEndWith('</b></a></li></ul>')
    expect(html.length).toBeGreaterThan(LIMIT - 10)
  })

  test('is kept up to the limit', () => {
    expect(sanitise('x'.repeat(LIMIT))).toHaveLength(LIMIT)
    expect(sanitise('x'.repeat(LIMIT + 1))).toHaveLength(LIMIT)
    expect(sanitise('<p>some words</p>'.repeat(10_000)).length).toBeGreaterThan(LIMIT * 0.9)
    expect(sanitise('&'.repeat(LIMIT)).length).toBeGreaterThan(LIMIT * 0.8)
  })
})

/** Input that would take a backtracking expression, or a loop that starts over, quadratic time. */
const filled = (piece: string, end = '') => piece.repeat(Math.floor((LIMIT - end.length) / piece.length)) + end

const pieces =
  '<b> </b> <p> <div> < <!-- <!x & &aaaaaaaaaaaaaaaaaaaa <script> <noscript></noscript> <noscript><p></p> <iframe> ' +
  '<svg><title> <p><i> <table><tr><td>'
const worst = [
  ...pieces.split(' ').map((piece) => filled(piece)),
  ...[filled('a', '<'), filled(' ', '&'), filled('<b></b>', '<x>'), filled('&lt;', '&')],
  ...[filled('<a href="http://x">'), filled('<a href="'), `<a href="https://x/${filled('&amp;', '">      ')}`],
  ...[`${'<b>'.repeat(12_000)}${'</i>'.repeat(7000)}`, `<${filled('x', '<>')}`, `<p ${filled('a=b ', '<>')}`],
]

test.each(worst.map((html) => [html.slice(0, 40), html]))('64 KiB take linear time: %s…', (_start, html) => {
  expect(processorSeconds(() => htmlToText(sanitise(html)))).toBeLessThan(2)
})

test('unclosed elements are sanitized in linear time', () => {
  const open = '<b>'.repeat(9000)
  const strays = ['</p>', '</x>', '<form>'].map((tag) => `<form>${open}${tag.repeat(9000)}`.slice(0, LIMIT))
  const escaped = `<div>${'<b>'.repeat(7000)}${'</x>'.repeat(5000)}${'>'.repeat(30_000)}`
  expect(processorSeconds(() => [...strays, escaped].map((html) => sanitise(html)))).toBeLessThan(0.5)
})

test('elements nested too deep lose their markup, but not their text', () => {
  const deep = (depth: number) =>
    `<p>before</p>${'<b>'.repeat(depth)}in<p>a <i>&lt;b&gt;</i> &amp; c<script>x</script></p>`
  const bold = (text: string) => `<p>before</p>${'<b>'.repeat(100)}${text}${'</b>'.repeat(100)}`
  expect(sanitise(deep(100))).toBe(bold('ina &lt;b&gt; &amp; c'))
  expect(sanitise(deep(5000))).toBe(bold('in\na &lt;b&gt; &amp; c'))
  expect(sanitise(`${'<svg>'.repeat(5000)}hidden${'</svg>'.repeat(5000)}`)).toBe('')
})
