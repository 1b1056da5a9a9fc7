import { describe, expect, test } from 'bun:test'
import { sanitise } from '../../../src/worker/parse/sanitize.ts'
import HOSTILE from './hostile-html.json'
import { htmlToText } from './strict-html.ts'

const vectors = Object.values(HOSTILE).flat()

describe.each(Object.entries(HOSTILE))('HTML that tries %s is harmless:', (_what, pieces) => {
  test.each(pieces.map((piece) => [piece]))('%j', (piece) => {
    const html = sanitise(piece)
    expect(() => htmlToText(html)).not.toThrow()
    expect(sanitise(html)).toBe(html)
    const within = sanitise(`<p>Before <b>it</b></p>${piece}<p>after</p>`)
    expect(() => htmlToText(within)).not.toThrow()
    expect(within).toStartWith('<p>Before <b>it</b></p>')
    expect(sanitise(within)).toBe(within)
    const text = piece.toWellFormed()
    expect(htmlToText(sanitise(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')))).toBe(shown(text))
  })
})

/** The part of a text that a page can show. */
function shown(text: string): string {
  return [...text]
    .filter((character) => character >= ' ' || '\t\n\r'.includes(character))
    .join('')
    .trim()
}

test('all of them together are harmless, in any order', () => {
  expect(() => htmlToText(sanitise(vectors.join('\n')))).not.toThrow()
  expect(() => htmlToText(sanitise(vectors.toReversed().join(' ')))).not.toThrow()
})

test('htmlToText accepts only plain HTML', () => {
  const link = (href: string, more = '') => `<a href="${href}" rel="noopener noreferrer nofollow"${more}>x</a>`
  const tags = ['<script>', '<P>x</P>', '<p >x</p>', '<p class="x">x</p>', '<p>x', 'x</p>', '<b><i>x</b></i>', '<br>']
  const links = ['javascript:go()', 'java&amp;colon;go()', ' https://x.example/', 'https://x.example/&quot;']
  const others = ['<a>x</a>', '<a href="https://x.example/">x</a>', link('https://x.example/', ' onclick="go()"')]
  const texts = ['a > b', 'a & b', '&nbsp;', '&#60;', '<!-- x -->', 'a\0b', '<']
  for (const html of [...tags, ...[...links, '/x', 'https:x'].map((href) => link(href)), ...others, ...texts])
    expect(() => htmlToText(html)).toThrow()
  expect(htmlToText(link('https://x.example/'))).toBe('x')
})
