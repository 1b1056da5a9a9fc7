import { describe, expect, test } from 'bun:test'
import { sanitise } from '../../src/worker/parse/sanitize.ts'
import { HOSTILE } from './hostile-html.ts'
import { htmlToText } from './strict-html.ts'

const vectors = Object.values(HOSTILE).flat()

for (const [what, pieces] of Object.entries(HOSTILE)) {
  describe(`HTML that tries ${what} does nothing`, () => {
    test.each(pieces.map((piece) => [piece]))('%j', (piece) => {
      const html = sanitise(piece)
      expect(() => htmlToText(html)).not.toThrow()
      expect(sanitise(html)).toBe(html)
    })

    test.each(pieces.map((piece) => [piece]))('%j, within other HTML', (piece) => {
      const html = sanitise(`<p>Before <b>it</b></p>${piece}<p>after</p>`)
      expect(() => htmlToText(html)).not.toThrow()
      expect(html).toStartWith('<p>Before <b>it</b></p>')
      expect(sanitise(html)).toBe(html)
    })

    test.each(pieces.map((piece) => [piece]))('%j, as text', (piece) => {
      const text = piece.toWellFormed()
      expect(htmlToText(sanitise(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')))).toBe(shown(text))
    })
  })
}

/** As much of a text as a page can show. */
function shown(text: string): string {
  return [...text]
    .filter((character) => character >= ' ' || '\t\n\r'.includes(character))
    .join('')
    .trim()
}

test('all of them at once do nothing either, in any order', () => {
  expect(() => htmlToText(sanitise(vectors.join('\n')))).not.toThrow()
  expect(() => htmlToText(sanitise(vectors.toReversed().join(' ')))).not.toThrow()
})

test('there are many, and each is there once', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(150)
  expect(new Set(vectors).size).toBe(vectors.length)
})

describe('the check itself refuses', () => {
  test.each([
    '<script>',
    '<P>x</P>',
    '<p >x</p>',
    '<p class="x">x</p>',
    '<p>x',
    'x</p>',
    '<b><i>x</b></i>',
    '<br>',
    '<a>x</a>',
    '<a href="https://x.example/">x</a>',
    '<a href="javascript:go()" rel="noopener noreferrer nofollow">x</a>',
    '<a href="java&amp;colon;go()" rel="noopener noreferrer nofollow">x</a>',
    '<a href=" https://x.example/" rel="noopener noreferrer nofollow">x</a>',
    '<a href="https://x.example/&quot;" rel="noopener noreferrer nofollow">x</a>',
    '<a href="/x" rel="noopener noreferrer nofollow">x</a>',
    '<a href="https:x" rel="noopener noreferrer nofollow">x</a>',
    '<a href="https://x.example/" rel="noopener noreferrer nofollow" onclick="go()">x</a>',
    'a > b',
    'a & b',
    '&nbsp;',
    '&#60;',
    '<!-- x -->',
    'a\0b',
    '<',
  ])('%j', (html) => {
    expect(() => htmlToText(html)).toThrow()
  })
})
