import { expect, test } from 'bun:test'
import { truncateHtml } from '../../../src/domain/shared/text.ts'

test.each([
  ['what is short enough', '<p>Boats</p>', 12, '<p>Boats</p>'],
  ['nothing', '', 5, ''],
  ['what is too long', '<p>Boats</p>', 6, '<p>Boa…'],
  ['what ends within a tag', '<p>Boats</p>', 10, '<p>Boats…'],
  ['what ends within an attribute', 'See <a href="https://x.example/">x</a>', 20, 'See …'],
  ['what ends with a tag', '<p>Boats</p> and birds', 12, '<p>Boats</p>…'],
  ['what ends within an entity', 'Boats &amp; birds', 9, 'Boats …'],
  ['what ends with an entity', 'Boats &amp; birds', 11, 'Boats &amp;…'],
  ['what ends within a numbered entity', 'Boats &#39; birds', 9, 'Boats …'],
  ['what ends within a character', 'Boats 🎧 birds', 7, 'Boats …'],
  ['what ends after a character of two halves', 'Boats 🎧 birds', 8, 'Boats 🎧…'],
])('of %s the beginning is a whole', (_case, html, max, beginning) => {
  expect(truncateHtml(html, max)).toBe(beginning)
})

test('a text full of openings takes no longer than any other', () => {
  const html = '<&'.repeat(1_000_000)
  expect(truncateHtml(html, 400).length).toBeLessThanOrEqual(401)
})
