import { expect, test } from 'bun:test'
import { nextWait } from '../../src/web/state/next-wait.ts'

test.each([
  ['soon again after news', [true, true], [10_000, 10_000]],
  ['ever later without', [false, false, false, false], [20_000, 40_000, 80_000, 80_000]],
  ['soon again when there is news at last', [false, false, true], [20_000, 40_000, 10_000]],
])('new podcasts are asked for %s', (_, news, expected) => {
  let wait = 10_000
  const waits = news.map((hasNews) => {
    wait = nextWait(wait, hasNews)
    return wait
  })
  expect(waits).toEqual(expected)
})
