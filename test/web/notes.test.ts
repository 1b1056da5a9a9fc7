import { expect, test } from 'bun:test'
import { foldIndex } from '../../src/web/components/notes.tsx'

test('of long notes the blocks are shown at first that fit, and no small rest is left', () => {
  const blocks = [[], [99, 30], [5000, 50], [5000, 30], [10, 20, 30, 40, 50]]
  expect(blocks.map((lengths) => foldIndex(lengths, 100))).toEqual([0, 2, 1, 2, 4])
})
