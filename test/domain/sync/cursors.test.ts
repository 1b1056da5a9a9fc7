import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCursors, listedSince, nextClock, timestampOf } from '../../../src/domain/sync/cursors.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { fakeClock } from '../../support/clock.ts'

const open = () => createCursors(createLru(100, fakeClock()))

describe('cursors (D14b)', () => {
  test.each([
    ['nothing missed: the new timestamp', { clock: 110, missed: false }, 101, 111],
    ['something missed: the old one again', { clock: 110, missed: true }, 101, 101],
    ['nothing remembered: the new timestamp', { clock: 110, missed: true }, undefined, 111],
  ])('answer an upload with %s', (_case, written, seenUntil, timestamp) => {
    const cursors = open()
    expect(cursors.afterUpload('app', 'actions', written, seenUntil)).toBe(timestamp)
    expect(cursors.seenUntil('app', 'actions')).toBe(timestamp)
  })

  test('keep answering the old timestamp until the client has fetched', () => {
    const cursors = open()
    cursors.afterFetch('app', 'actions', 100)
    const upload = (clock: number, missed: boolean) =>
      cursors.afterUpload('app', 'actions', { clock, missed }, cursors.seenUntil('app', 'actions'))
    expect(upload(110, true)).toBe(101)
    expect(upload(120, true)).toBe(101)
    expect(cursors.afterFetch('app', 'actions', 120)).toBe(121)
    expect(upload(130, false)).toBe(131)
  })

  test('keep clients and streams apart', () => {
    const cursors = open()
    cursors.afterFetch('app', 'actions', 100)
    expect(cursors.seenUntil('app', 'subscriptions phone')).toBeUndefined()
    expect(cursors.seenUntil('another app', 'actions')).toBeUndefined()
  })
})

test('after a restore everything is listed for older clients, also for those that keep timestamp + 1 (D14c)', () => {
  const last = 500
  const restored = nextClock(last, 400)
  for (const since of [0, 1, last, timestampOf(last), timestampOf(last) + 1])
    expect(listedSince(since, restored)).toBe(0)
  expect(listedSince(timestampOf(restored), restored)).toBe(timestampOf(restored))
  expect(listedSince(7, 0)).toBe(7)
})

const second = fc.integer({ min: 0, max: 4_000_000_000 })

describe('the logical clock (D14)', () => {
  test.each([
    ['starts at the second of arrival', 0, 700, 700],
    ['advances by two in the same second', 700, 700, 702],
    ['advances by two in the next second', 700, 701, 702],
    ['returns to real time once that is ahead', 700, 703, 703],
    ['does not go back with the wall clock', 700, 5, 702],
  ])('%s', (_case, clock, now, next) => {
    expect(nextClock(clock, now)).toBe(next)
  })

  test('shows each client every later change and no earlier one, whether it keeps the timestamp or one more', () => {
    fc.assert(
      fc.property(second, fc.array(second, { minLength: 1, maxLength: 20 }), (start, times) => {
        let clock = start
        for (const now of times) {
          const timestamp = timestampOf(clock)
          const seq = nextClock(clock, now)
          expect(seq).toBeGreaterThanOrEqual(now)
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
