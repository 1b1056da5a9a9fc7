import { describe, expect, test } from 'bun:test'
import {
  headingLevels,
  isElement,
  linkTarget,
  type NoteElement,
  type NoteNode,
  type NoteTag,
  notesOf,
  readNotes,
  toBlocks,
} from '../../src/formats/notes.ts'
import { sanitise } from '../../src/worker/parse/sanitize.ts'
import { VECTORS } from '../worker/parse/hostile-texts.ts'

type Maker = (...children: NoteNode[]) => NoteElement

/** A function for each element, such as `p('Fog')`. */
const { p, ul, ol, li, blockquote, pre, strong, em, code } = new Proxy({} as Record<NoteTag, Maker>, {
  get:
    (_, name) =>
    (...children: NoteNode[]) => ({ name, children }),
})
const br: NoteElement = { name: 'br', children: [] }
const a = (href: string, ...children: NoteNode[]): NoteElement => ({ name: 'a', href, children })
const h = (level: number, ...children: NoteNode[]): NoteElement => ({ name: 'h', level, children })

/** Notation of the tables, such as `p[a strong[b]]`. */
function written(node: NoteNode): string {
  if (!isElement(node)) return node
  const { name, level = '', href, children } = node
  if (name === 'br') return '/'
  return `${name}${level}${href === undefined ? '' : `<${href}>`}[${children.map(written).join('')}]`
}

const arranged = (nodes: readonly NoteNode[], above = 2) => toBlocks(nodes, above).map(written).join(' ')

const HOME = 'https://tidewater.example/'

describe('notes', () => {
  test.each<[string, NoteNode[], string]>([
    ['nothing', [], ''],
    ['white space', [' ', '\n', p(' \u00a0'), br], ''],
    ['nested paragraphs', [p(p('Fog'), 'lifts')], 'p[Fog] p[lifts]'],
    ['text next to paragraphs', ['Fog ', em('and'), p('lifts'), 'soon'], 'p[Fog em[and]] p[lifts] p[soon]'],
    ['empty lines', [br, 'Fog', br, ' ', br, 'lifts', br, br, br, 'soon'], 'p[Fog] p[lifts] p[soon]'],
    ['empty lines in a paragraph', [p('Fog', br, br, 'lifts')], 'p[Fog] p[lifts]'],
    ['lines of text alone', ['Fog\nlifts\n\nsoon\r\nor late'], 'p[Fog/lifts] p[soon/or late]'],
    ['lines of text and a link', ['Fog\n', a(HOME, 'lifts'), '\nsoon'], `p[Fog/a<${HOME}>[lifts]/soon]`],
    ['lines of text in markup', [p('Fog\nlifts')], 'p[Fog\nlifts]'],
    ['items of one paragraph', [ol(li(p('Fog')), li(p('Gulls')))], 'ol[li[Fog]li[Gulls]]'],
    ['lists with other children', [ul('Fog', ol(li('Gulls')), p('Boats'))], 'ul[li[Fog]li[ol[li[Gulls]]]li[Boats]]'],
    ['items without a list', [li('Fog'), li('Gulls')], 'p[Fog] p[Gulls]'],
    ['empty lists and items', [ul(), ul(li(), li(' '), li('Fog'))], 'ul[li[Fog]]'],
    ['a quote', [blockquote('Fog', p('lifts')), blockquote()], 'blockquote[p[Fog]p[lifts]]'],
    ['code', [pre('a\n ', strong('b'), '\n'), p(code('c'))], 'pre[a\n b\n] p[code[c]]'],
    ['a link around a paragraph', [a(HOME, p('Fog'))], `p[a<${HOME}>[Fog]]`],
    ['headings', [h(1, 'Fog'), p('lifts'), h(4, 'soon'), h(1), h(1, 'Gulls')], 'h3[Fog] p[lifts] h4[soon] h3[Gulls]'],
    ['paragraphs in a heading', [h(1, p('Fog'), em('lifts'))], 'h3[Fogem[lifts]]'],
    ['empty links', [p(a(HOME), 'Fog', a(HOME, em(' ')), 'lifts')], 'p[Fog lifts]'],
  ])('with %s', (_what, nodes, expected) => {
    expect(arranged(nodes)).toBe(expected)
  })

  test.each([
    [`See ${HOME}.`, `See a<${HOME}>[${HOME}].`],
    [`(${HOME}fog?a=1&b=2)`, `(a<${HOME}fog?a=1&b=2>[${HOME}fog?a=1&b=2])`],
    ['http://a.example or https://b.de', 'a<http://a.example>[http://a.example] or a<https://b.de>[https://b.de]'],
    ['https://[ is none, javascript:go() neither', 'https://[ is none, javascript:go() neither'],
  ])('with %p link to it', (text, expected) => {
    expect(arranged([p(text)])).toBe(`p[${expected}]`)
  })

  test('have no links in links or code', () => {
    expect(arranged([p(a('https://b.example/', HOME), code(HOME)), pre(HOME)])).toBe(
      `p[a<https://b.example/>[${HOME}]code[${HOME}]] pre[${HOME}]`,
    )
  })

  test('without a heading above start with the first level', () => {
    expect(arranged([h(3, 'Fog')], 0)).toBe('h1[Fog]')
  })
})

test.each<[string, string, string]>([
  ['elements and text', '<p>Fog <b>lifts</b><br />soon</p><h4>Gulls</h4>', 'p[Fog strong[lifts]/soon] h3[Gulls]'],
  ['entities, once', '<p>a &lt;b&gt; &amp;amp; c</p>', 'p[a <b> &amp; c]'],
  ['links', '<a href="https://b.example/?a&amp;b" rel="x">b</a>', 'p[a<https://b.example/?a&b>[b]]'],
  ['links with unsafe or missing targets', '<a href="javascript:go()">b</a> <a>c</a>', 'p[b c]'],
  ['other elements', '<form>Fog<x-thing> lifts</form><script>go()</script>', 'p[Fog liftsgo()]'],
  ['signs that start no tag', 'a < b, 1<2 <', 'p[a < b, 1<2 <]'],
  ['missing and wrong end tags', '<ul><li>Fog</p><li>lifts</ul>soon', 'ul[li[p[Fog]p[lifts]]] p[soon]'],
  ['pictures', '<a href="https://b.example/a.png">🖼 The oven</a>', 'p[picture<https://b.example/a.png>[The oven]]'],
])('notes are parsed: %s', (_what, html, expected) => {
  expect(notesOf(html, 2).map(written).join(' ')).toBe(expected)
})

test('output of the feed worker is parsed with all of its text', () => {
  for (const vector of VECTORS) {
    const html = sanitise(vector, 'https://a.example/')
    const text = html.replaceAll(/<[^<>]*>/g, '')
    const bare = (node: NoteNode): string => (isElement(node) ? node.children.map(bare).join('') : node)
    expect(readNotes(html).map(bare).join('')).toBe(
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    )
  }
})

test('hostile HTML becomes elements of notes, links to web pages and mailboxes, and text', () => {
  const elements = (node: NoteNode): NoteElement[] =>
    isElement(node) ? [node, ...node.children.flatMap(elements)] : []
  const names = /^(?:p|h|ul|ol|li|blockquote|pre|br|strong|em|code|a|picture|time)$/
  for (const element of VECTORS.flatMap((vector) => notesOf(vector, 2).flatMap(elements))) {
    expect(element.name).toMatch(names)
    expect(element.href ?? 'https://').toMatch(/^(?:https?:\/\/|mailto:)/)
  }
})

test.each([
  ['deeply nested', '<blockquote>'.repeat(3000), 30],
  ['many', `<ul>${'<li>f</li>'.repeat(9000)}</ul>`, 6001],
])('notes with too %s elements are cut', (_how, html, most) => {
  const count = (node: NoteNode): number =>
    isElement(node) ? node.children.reduce((sum, each) => sum + count(each), 1) : 1
  expect(notesOf(`${html}fog`, 2).reduce((sum, each) => sum + count(each), 0)).toBeLessThanOrEqual(most)
})

test.each([
  ['https://tidewater.example/fog?a=1&b=2#c', 'https://tidewater.example/fog?a=1&b=2#c'],
  ['mailto:fog@tidewater.example', 'mailto:fog@tidewater.example'],
  ['/account', undefined],
  ['//tidewater.example/', undefined],
  ['https:tidewater.example', undefined],
  ['java\nscript:go()', undefined],
  ['\u0001javascript:go()', undefined],
  ['data:text/html,<script>go()</script>', undefined],
])('the link %p leads to %p', (href, target) => {
  expect(linkTarget(href)).toBe(target)
})

test('a link made of hostile text leads to a web page, a mailbox or nowhere', () => {
  for (const vector of VECTORS) expect(linkTarget(vector) ?? 'https://').toMatch(/^(?:https?:\/\/|mailto:)/)
})

test('headings keep their hierarchy below the heading above the notes', () => {
  const levels = ['6', '123', '24244', '313', '123456'].map((text) => headingLevels([...text].map(Number), 2).join(''))
  expect(levels).toEqual(['3', '345', '34344', '334', '345666'])
})

describe('times in notes', () => {
  const timed = (...nodes: NoteNode[]) => toBlocks(nodes, 2).flatMap(({ children }) => children)
  const time = (text: string, seconds: number): NoteElement => ({ name: 'time', seconds, children: [text] })

  test('are elements anywhere in the notes', () => {
    expect(timed(p('00:00 The horn, (8:40) pilots'))).toEqual([
      time('00:00', 0),
      ' The horn, (',
      time('8:40', 520),
      ') pilots',
    ])
    expect(timed(ul(li('21:15 Gulls')))).toEqual([li(time('21:15', 1275), ' Gulls')])
  })

  test('are text in links, in code and within longer numbers', () => {
    const kept = [p(a(HOME, '8:40')), p(code('8:40')), p('12:345, 2026.8:40, 8:61')]
    expect(toBlocks(kept, 2).map(written).join('')).not.toContain('time')
  })
})
