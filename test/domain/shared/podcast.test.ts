import { expect, test } from 'bun:test'
import { shownListeners } from '../../../src/domain/shared/podcast.ts'

test.each([
  [0, 0],
  [1, 0],
  [2, 0],
  [3, 3],
  [4, 4],
  [100_000, 100_000],
])('of %d listeners, everybody may see %d (D113)', (count, shown) => {
  expect(shownListeners(count)).toBe(shown)
})
