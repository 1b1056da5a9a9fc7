import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextClock, timestampOf } from '../../../src/domain/sync/cursors.ts'

const second = fc.integer({ min: 0, max: 4_000_000_000 })

describe('the logical clock (D14)', () => {
  test.each([
    ['starts at the second of arrival', 0, 1_740_909_600, 1_740_909_600],
    ['goes on two in the same second', 1_740_909_600, 1_740_909_600, 1_740_909_602],
    ['goes on two in the next second', 1_740_909_600, 1_740_909_601, 1_740_909_602],
    ['follows real time again as soon as that is ahead', 1_740_909_600, 1_740_909_602, 1_740_909_602],
    ['does not go back with the wall clock', 1_740_909_600, 5, 1_740_909_602],
  ])('%s', (_case, clock, now, next) => {
    expect(nextClock(clock, now)).toBe(next)
  })

  test('never gives a change a second before its arrival', () => {
    fc.assert(fc.property(second, second, (clock, now) => nextClock(clock, now) >= now))
  })

  test('shows a client every later change and none of the earlier, whether it keeps the timestamp or one more', () => {
    fc.assert(
      fc.property(second, fc.array(second, { minLength: 1, maxLength: 20 }), (start, times) => {
        let clock = start
        for (const now of times) {
          const timestamp = timestampOf(clock)
          const seq = nextClock(clock, now)
          for (const since of [timestamp, timestamp + 1]) {
            expect(seq).toBeGreaterThanOrEqual(since)
            expect(clock).toBeLessThan(since)
          }
          clock = seq
        }
      }),
    )
  })
})
