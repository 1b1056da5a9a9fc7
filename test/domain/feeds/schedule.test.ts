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
/** Of the dice: neither sooner nor later. */
const EVEN = 0.5

/** Seconds until a feed that could be had is looked at again. */
function check({ quiet, ...fields }: Partial<CheckedFeed> & { quiet?: number } = {}): number {
  const newestReleased = quiet === undefined ? undefined : NOW - quiet
  return nextCheck({ now: NOW, baseSeconds: HOUR, newestReleased, freshFor: 0, chance: EVEN, ...fields }) - NOW
}

/** Seconds until a feed that could not be had is tried again. */
function retry(fields: Partial<FailedFeed> = {}): number {
  const given = {
    baseSeconds: HOUR,
    failures: 1,
    retryAfter: undefined,
    kind: 'refusal' as const,
    chance: EVEN,
    ...fields,
  }
  return nextTry({ now: NOW, ...given }) - NOW
}

describe('a feed is looked at again', () => {
  test.each([
    ['a minute ago', MINUTE, HOUR],
    ['almost three days ago', 3 * DAY - 1, HOUR],
    ['three days ago', 3 * DAY, 2 * HOUR],
    ['almost two weeks ago', 14 * DAY - 1, 2 * HOUR],
    ['two weeks ago', 14 * DAY, 4 * HOUR],
    ['almost sixty days ago', 60 * DAY - 1, 4 * HOUR],
    ['sixty days ago', 60 * DAY, 12 * HOUR],
    ['almost a year ago', 365 * DAY - 1, 12 * HOUR],
    ['a year ago', 365 * DAY, DAY],
    ['ten years ago', 3650 * DAY, DAY],
    ['at a time nobody knows', undefined, HOUR],
    ['an hour from now', -HOUR, HOUR],
  ])('the later the longer it has been quiet: with an episode %s', (_when, quiet, seconds) => {
    expect(check(quiet === undefined ? {} : { quiet })).toBe(seconds)
  })

  test.each([
    ['nothing', 0, HOUR],
    ['less than the interval', 10 * MINUTE, HOUR],
    ['more than the interval', 5 * HOUR, 5 * HOUR],
    ['a day', DAY, DAY],
    ['a week', 7 * DAY, DAY],
  ])('when it asks for it, up to a day: it asks for %s', (_wish, freshFor, seconds) => {
    expect(check({ freshFor })).toBe(seconds)
  })
})

describe('a feed that could not be had is tried again', () => {
  test.each([
    [1, HOUR],
    [2, 2 * HOUR],
    [3, 4 * HOUR],
    [4, 8 * HOUR],
    [5, 16 * HOUR],
    [6, DAY],
    [7, DAY],
    [1_000_000, DAY],
  ])('twice as late each time, up to a day: after failure number %i', (failures, seconds) => {
    expect(retry({ failures })).toBe(seconds)
  })

  test.each([
    ['nothing', undefined, HOUR],
    ['a minute', MINUTE, HOUR],
    ['two hours', 2 * HOUR, 2 * HOUR],
    ['a day', DAY, DAY],
    ['a year', 365 * DAY, DAY],
  ])('no sooner than its server wants, up to a day: it wants %s', (_wish, retryAfter, seconds) => {
    expect(retry({ retryAfter })).toBe(seconds)
  })

  test('a day later when its server says that it is gone', () => {
    expect(retry({ kind: 'gone' })).toBe(DAY)
    expect(retry({ kind: 'gone', failures: 20, retryAfter: MINUTE })).toBe(DAY)
  })

  test.each([
    [1, HOUR],
    [2, 2 * HOUR],
    [3, 2 * HOUR],
    [12, 2 * HOUR],
    [13, DAY],
  ])('soon at first when it may be our own line that is down: after %i failures', (failures, seconds) => {
    expect(retry({ kind: 'network', failures })).toBe(seconds)
  })

  test('no more often for that than a lively feed', () => {
    expect(retry({ kind: 'network', failures: 5, baseSeconds: 6 * HOUR })).toBe(6 * HOUR)
  })
})

describe('the dice', () => {
  test.each([
    [0, 54 * MINUTE],
    [0.5, 60 * MINUTE],
    [1, 66 * MINUTE],
  ])('move both by a tenth at the most: %d', (chance, seconds) => {
    expect(check({ chance })).toBe(seconds)
    expect(retry({ chance })).toBe(seconds)
  })
})

describe('whatever happens', () => {
  const seconds = fc.integer({ min: MINUTE, max: DAY })
  const wish = fc.integer({ min: 0, max: 400 * DAY })
  const chance = fc.double({ min: 0, max: 1, noNaN: true })

  test('a check comes in whole seconds, between the interval and a day, give or take a tenth', () => {
    fc.assert(
      fc.property(
        seconds,
        fc.option(fc.integer({ min: -DAY, max: 4000 * DAY }), { nil: undefined }),
        wish,
        chance,
        (baseSeconds, quiet, freshFor, dice) => {
          const next = check({ baseSeconds, freshFor, chance: dice, ...(quiet !== undefined && { quiet }) })
          expect(next).toBeInteger()
          expect(next).toBeWithin(Math.floor(baseSeconds * 0.9), Math.ceil(LONGEST_INTERVAL * 1.1) + 1)
          expect(next).toBeGreaterThanOrEqual(Math.min(freshFor, DAY))
        },
      ),
    )
  })

  test('a try comes in whole seconds, later with each failure, and never before it is wanted', () => {
    fc.assert(
      fc.property(
        seconds,
        fc.integer({ min: 1, max: 5000 }),
        wish,
        fc.boolean(),
        chance,
        (baseSeconds, failures, retryAfter, isGone, dice) => {
          const fields = { baseSeconds, retryAfter, isGone, chance: dice }
          const next = retry({ ...fields, failures })
          expect(next).toBeInteger()
          expect(next).toBeWithin(Math.floor(baseSeconds * 0.9), Math.ceil(LONGEST_INTERVAL * 1.1) + 1)
          expect(next).toBeGreaterThanOrEqual(Math.min(retryAfter, DAY))
          expect(retry({ ...fields, failures: failures + 1 })).toBeGreaterThanOrEqual(next)
        },
      ),
    )
  })
})
