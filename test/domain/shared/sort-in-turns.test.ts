import { expect, test } from 'bun:test'
import { sortInTurns } from '../../../src/domain/shared/sort-in-turns.ts'

const COUNT = 10_000

test.each([
  ['sorted already', (n: number) => n],
  ['in reverse order', (n: number) => COUNT - n],
  ['shuffled', (n: number) => (n * 7919) % COUNT],
  ['with few distinct values', (n: number) => n % 3],
])('sorting in slices gives the order of sorting at once: %s', async (_case, valueAt) => {
  const items = Array.from({ length: COUNT }, (_, n) => ({ value: valueAt(n), n }))
  const sorted = items.toSorted((one, other) => one.value - other.value)
  await sortInTurns(items, (one, other) => one.value - other.value)
  expect(items).toEqual(sorted)
})
