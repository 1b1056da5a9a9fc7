import { expect, test } from 'bun:test'
import { foldIndex } from '../../src/web/components/notes.tsx'

test('long notes are folded after the last block that fits, unless the rest is short', () => {
  const blocks = [[], [99, 30], [5000, 50], [5000, 30], [10, 20, 30, 40, 50]]
  expect(blocks.map((lengths) => foldIndex(lengths, 100))).toEqual([0, 2, 1, 2, 4])
})
