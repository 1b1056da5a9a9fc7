import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type CheckedFeed,
  type FailedFeed,
  LONGEST_INTERVAL,
  nextCheck,
  nextTry,
} from '../../../src/domain/feeds/schedule.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** 2025-03-02T10:00:00Z. */
const NOW = 1_740_909_600
/** Random value that moves a time neither forward nor back. */
const EVEN = 0.5

/** Seconds until the next check of a feed that was fetched. */
function check({ quiet, ...fields }: Partial<CheckedFeed> & { quiet?: number } = {}): number {
  const newestReleased = quiet === undefined ? undefined : NOW - quiet
  return nextCheck({ now: NOW, baseSeconds: HOUR, newestReleased, freshFor: 0, chance: EVEN, ...fields }) - NOW
}

/** Seconds until the next attempt after a failure. */
const retry = (fields: Partial<FailedFeed> = {}): number =>
  nextTry({
    ...{ now: NOW, baseSeconds: HOUR, failures: 1, retryAfter: undefined, kind: 'refusal', chance: EVEN },
    ...fields,
  }) - NOW

describe('a feed is checked again', () => {
  test('the later the longer it has had nothing new, and soon if that is unknown', () => {
    const intervals = [HOUR, 2 * HOUR, 4 * HOUR, 12 * HOUR, DAY]
    expect([MINUTE, 3 * DAY, 14 * DAY, 60 * DAY, 365 * DAY].map((quiet) => check({ quiet }))).toEqual(intervals)
    expect([3, 14, 60, 365].map((days) => check({ quiet: days * DAY - 1 }))).toEqual(intervals.slice(0, -1))
    expect([check(), check({ quiet: -HOUR }), check({ quiet: 3650 * DAY })]).toEqual([HOUR, HOUR, DAY])
  })

  test('when it asks for it, if that is later, up to a day', () => {
    const wishes = [0, 10 * MINUTE, 5 * HOUR, DAY, 7 * DAY]
    expect(wishes.map((freshFor) => check({ freshFor }))).toEqual([HOUR, HOUR, 5 * HOUR, DAY, DAY])
  })
})

describe('a feed that failed is tried again', () => {
  test('after twice the time, up to a day', () => {
    const hours = [1, 2, 3, 4, 5, 6, 7, 1_000_000].map((failures) => retry({ failures }) / HOUR)
    expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24, 24])
  })

  test('no sooner than its server asks for, up to a day', () => {
    const wishes = [undefined, MINUTE, 2 * HOUR, DAY, 365 * DAY]
    expect(wishes.map((retryAfter) => retry({ retryAfter }))).toEqual([HOUR, HOUR, 2 * HOUR, DAY, DAY])
  })

  test('after a day if its server says that it is gone', () => {
    expect(retry({ kind: 'gone' })).toBe(DAY)
    expect(retry({ kind: 'gone', failures: 20, retryAfter: MINUTE })).toBe(DAY)
  })

  test('soon at first if our own connection may be down, but no more often than an active feed', () => {
    const hours = [1, 2, 3, 12, 13].map((failures) => retry({ kind: 'network', failures }) / HOUR)
    expect(hours).toEqual([1, 2, 2, 2, 24])
    expect(retry({ kind: 'network', failures: 5, baseSeconds: 6 * HOUR })).toBe(6 * HOUR)
  })
})

test.each([
  [0, 54 * MINUTE],
  [0.5, 60 * MINUTE],
  [1, 66 * MINUTE],
])('random jitter moves both by a tenth at most: %d', (chance, seconds) => {
  expect([check({ chance }), retry({ chance })]).toEqual([seconds, seconds])
})

describe('always', () => {
  const seconds = fc.integer({ min: MINUTE, max: DAY })
  const wish = fc.integer({ min: 0, max: 400 * DAY })
  const chance = fc.double({ min: 0, max: 1, noNaN: true })

  test('a check comes in whole seconds, between the interval and a day, plus or minus a tenth', () => {
    const quietFor = fc.option(fc.integer({ min: -DAY, max: 4000 * DAY }), { nil: undefined })
    fc.assert(
      fc.property(seconds, quietFor, wish, chance, (baseSeconds, quiet, freshFor, dice) => {
        const next = check({ baseSeconds, freshFor, chance: dice, ...(quiet !== undefined && { quiet }) })
        expect(next).toBeInteger()
        expect(next).toBeWithin(Math.floor(baseSeconds * 0.9), Math.ceil(LONGEST_INTERVAL * 1.1) + 1)
        expect(next).toBeGreaterThanOrEqual(Math.min(freshFor, DAY))
      }),
    )
  })

  test('an attempt comes in whole seconds, later with each failure, and never before the server allows it', () => {
    const kind = fc.constantFrom<FailedFeed['kind'][]>('refusal', 'network', 'gone')
    const failed = fc.record({ baseSeconds: seconds, retryAfter: wish, kind, chance })
    fc.assert(
      fc.property(failed, fc.integer({ min: 1, max: 5000 }), (fields, failures) => {
        const next = retry({ ...fields, failures })
        expect(next).toBeInteger()
        expect(next).toBeWithin(Math.floor(fields.baseSeconds * 0.9), Math.ceil(LONGEST_INTERVAL * 1.1) + 1)
        expect(next).toBeGreaterThanOrEqual(Math.min(fields.retryAfter, DAY))
        expect(retry({ ...fields, failures: failures + 1 })).toBeGreaterThanOrEqual(next)
      }),
    )
  })
})
