import { expect, test } from 'bun:test'
import { Cron } from 'croner'
import fc from 'fast-check'
import { cronProblem } from '../../src/config/cron.ts'

// Settings are classified without croner; what passes must be a pattern to it, that comes round.

const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

const WORDS: readonly (readonly string[])[] = [[], [], [], ['jan', 'JUN', 'dec'], ['sun', 'Mon', 'fri', 'sat']]

function field([min, max]: readonly [number, number], words: readonly string[]) {
  const value = fc.oneof(fc.integer({ min, max }).map(String), ...(words.length > 0 ? [fc.constantFrom(...words)] : []))
  const range = fc.oneof(
    fc.constant('*'),
    fc.tuple(value, value).map(([from, to]) => `${from}-${to}`),
  )
  const item = fc.oneof(
    value,
    range,
    fc.tuple(range, fc.integer({ min: 1, max: 60 })).map(([span, step]) => `${span}/${step}`),
  )
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','))
}

const pattern = fc
  .tuple(...FIELDS.map((bounds, index) => field(bounds, WORDS[index] ?? [])))
  .map((all) => all.join(' '))

test('every pattern that is accepted means something to the scheduler', () => {
  let accepted = 0
  fc.assert(
    fc.property(pattern, (text) => {
      if (cronProblem(text) !== undefined) return
      accepted++
      new Cron(text, { paused: true })
    }),
    { numRuns: 10_000 },
  )
  expect(accepted).toBeGreaterThan(200)
})
