import { describe, expect, test } from 'bun:test'
import { foldIndex, headingLevels, linkTarget, tagFor } from '../../src/web/components/notes/read.ts'
import { VECTORS } from '../browser/support/hostile-shows.ts'

describe('of an element in notes', () => {
  test.each([
    ['p', 'p'],
    ['DIV', 'p'],
    ['ul', 'ul'],
    ['LI', 'li'],
    ['b', 'strong'],
    ['I', 'em'],
    ['h1', 'h'],
    ['H6', 'h'],
    ['h7', 'bare'],
    ['span', 'bare'],
    ['font', 'bare'],
    ['form', 'bare'],
    ['x-thing', 'bare'],
    ['constructor', 'bare'],
    ['__proto__', 'bare'],
    ['script', 'hidden'],
    ['STYLE', 'hidden'],
    ['iframe', 'hidden'],
    ['svg', 'hidden'],
    ['math', 'hidden'],
    ['template', 'hidden'],
  ] as const)('called %s becomes %s', (name, shown) => {
    expect(tagFor(name)).toBe(shown)
  })
})

describe('a link', () => {
  test.each([
    ['https://tidewater.example/fog?a=1&b=2#c', 'https://tidewater.example/fog?a=1&b=2#c'],
    [' HTTP://Tidewater.example ', 'http://tidewater.example/'],
    ['mailto:fog@tidewater.example', 'mailto:fog@tidewater.example'],
    ['https://tidewater.example/"onclick="go()', 'https://tidewater.example/%22onclick=%22go()'],
    ['', undefined],
    ['fog.html', undefined],
    ['/account', undefined],
    ['//tidewater.example/', undefined],
    ['https:tidewater.example', undefined],
    ['https://', undefined],
    ['javascript:go()', undefined],
    ['JavaScript:go()', undefined],
    ['java\nscript:go()', undefined],
    ['\u0001javascript:go()', undefined],
    ['data:text/html,<script>go()</script>', undefined],
    ['vbscript:go()', undefined],
    ['blob:https://tidewater.example/1', undefined],
    ['file:///etc/passwd', undefined],
    ['feed://tidewater.example/', undefined],
  ])('to %p leads to %p', (href, target) => {
    expect(linkTarget(href)).toBe(target)
  })

  test('to any hostile text leads to web pages and mailboxes or nowhere', () => {
    for (const vector of VECTORS) expect(linkTarget(vector) ?? 'https://').toMatch(/^(?:https?:\/\/|mailto:)/)
  })
})

describe('headings below one of level 2', () => {
  test.each([
    [[], []],
    [[1], [3]],
    [[6], [3]],
    [
      [1, 2, 3],
      [3, 4, 5],
    ],
    [
      [2, 4, 2, 4, 4],
      [3, 4, 3, 4, 4],
    ],
    [
      [3, 1, 3],
      [3, 3, 4],
    ],
    [
      [1, 2, 3, 4, 5, 6],
      [3, 4, 5, 6, 6, 6],
    ],
  ])('of the levels %p have the levels %p', (levels, shown) => {
    expect(headingLevels(levels, 2)).toEqual(shown)
  })
})

describe('of blocks of so many characters, with about 100 to be shown,', () => {
  test.each([
    [[], 0],
    [[5000], 1],
    [[50, 50], 2],
    [[99, 30], 2],
    [[50, 90], 1],
    [[5000, 50], 1],
    [[5000, 30], 2],
    [[10, 20, 30, 40, 50], 4],
    [[60, 60, 1, 1], 1],
  ])('%p, the first %p are', (lengths, count) => {
    expect(foldIndex(lengths, 100)).toBe(count)
  })
})
