import { describe, expect, test } from 'bun:test'
import {
  dayOf,
  momentsOf,
  parseDayRange,
  playedStretch,
  type RangeText,
  type Stretch,
  unionSeconds,
  weekdayOf,
} from '../../../src/domain/directory/listening.ts'

const HOUR = 3600
/** 2025-03-02T10:00:00 UTC, a Sunday. */
const NOW = 1_740_909_600
const DAY = 24 * HOUR
const TODAY = Math.floor(NOW / DAY)

describe('the stretch that a play action reports', () => {
  test.each([
    ['from the middle', 600, 660, 1800],
    ['to the end', 0, 1800, 1800],
    ['one second', 5, 6, 6],
    ['of an episode of unknown length', 0, 60, undefined],
    ['of an episode of length zero', 0, 60, 0],
    ['as long as the episode, wherever it is', 100, 1900, 1800],
    ['twelve hours', 0, 12 * HOUR, 24 * HOUR],
  ] as const)('counts: %s', (_what, from, to, total) => {
    expect(playedStretch(from, to, total)).toEqual({ from, to })
  })

  test.each([
    ['empty', 60, 60, 1800],
    ['backwards', 61, 60, 1800],
    ['longer than the episode', 0, 1801, 1800],
    ['longer than twelve hours', 0, 12 * HOUR + 1, 24 * HOUR],
    ['longer than twelve hours, of unknown length', 0, 12 * HOUR + 1, undefined],
    ['from before the beginning', -1, 60, 1800],
  ] as const)('does not count: %s', (_what, started, position, total) => {
    expect(playedStretch(started, position, total)).toBeUndefined()
  })
})

/** Parses `10-20 30-50`. */
const stretches = (text: string): Stretch[] =>
  (text.match(/\d+-\d+/g) ?? []).map((pair) => {
    const [from = 0, to = 0] = pair.split('-').map(Number)
    return { from, to }
  })

test.each([
  ['nothing', '', 0],
  ['one stretch', '10-30', 20],
  ['the same stretch twice', '10-30 10-30', 20],
  ['two apart, in reverse order', '30-50 10-20', 30],
  ['two that touch', '10-20 20-30', 20],
  ['two that overlap', '10-25 20-30', 20],
  ['one that grows with each report', '0-10 0-20 0-30', 30],
  ['a bridge between two', '0-10 20-30 5-25', 30],
  ['a long one and two inside it that do not touch', '0-100 10-20 30-40', 100],
] as const)('overlapping stretches count once: %s', (_what, text, seconds) => {
  expect(unionSeconds(stretches(text))).toBe(seconds)
})

describe('days', () => {
  test.each([
    [-1, 0, -1],
    [0, 0, 0],
    [-1, 1, 0],
    [23 * HOUR, 60, 1],
    [4 * HOUR, -300, -1],
    [-TODAY * DAY - 1, 0, -TODAY - 1],
  ])('%d seconds from midnight, with a clock %d minutes ahead of UTC, are on day %d', (seconds, offset, day) => {
    expect(dayOf(TODAY * DAY + seconds, offset) - TODAY).toBe(day)
  })

  test.each([0, 60, 345, -210, 840, -840])('begin and end at midnight of a clock %d minutes ahead', (offset) => {
    const { from, until } = momentsOf({ from: TODAY - 1, to: TODAY, offset })
    expect([from - 1, from, until - 1, until].map((at) => dayOf(at, offset) - TODAY)).toEqual([-2, -1, 0, 1])
  })

  test('of the week count from Monday, before 1970 too', () => {
    // A Sunday, a Monday, a Thursday, a Wednesday and a Sunday.
    expect([TODAY, TODAY + 1, 0, -1, -4].map(weekdayOf)).toEqual([6, 0, 3, 2, 6])
  })
})

describe('a range', () => {
  test.each<[string, RangeText, number, number, number]>([
    ['is the last 30 days by default', {}, TODAY - 29, TODAY, 0],
    ['ignores empty values', { from: '', to: '', offset: '' }, TODAY - 29, TODAY, 0],
    ['is given by its first and last day', { from: '2025-02-28', to: '2025-03-01' }, TODAY - 2, TODAY - 1, 0],
    ['may be one day', { from: '2025-03-02', to: '2025-03-02' }, TODAY, TODAY, 0],
    ['ends today by default', { from: '2025-02-28' }, TODAY - 2, TODAY, 0],
    ['begins 29 days before its end by default', { to: '2025-03-01' }, TODAY - 30, TODAY - 1, 0],
    ['may be in the future', { from: '2025-03-03', to: '2025-03-04' }, TODAY + 1, TODAY + 2, 0],
    ['may be 400 days', { from: '2024-01-28', to: '2025-03-02' }, TODAY - 399, TODAY, 0],
    ['may begin on 29 February', { from: '2024-02-29', to: '2024-03-01' }, TODAY - 367, TODAY - 366, 0],
    ['ends tomorrow where it is tomorrow already', { offset: '840' }, TODAY - 28, TODAY + 1, 840],
    ['ends yesterday where it is still yesterday', { offset: '-660' }, TODAY - 30, TODAY - 1, -660],
    ['accepts a plus sign', { offset: '+60' }, TODAY - 29, TODAY, 60],
    ['accepts a plus sign that was decoded as a space', { offset: ' 60' }, TODAY - 29, TODAY, 60],
  ])('%s', (_what, text, from, to, offset) => {
    expect(parseDayRange(text, NOW)).toEqual({ from, to, offset })
  })

  const froms = '2025-02-29 2025-13-01 2025-00-01 2025-01-00 2025-1-1 20250101 01.02.2025 2025-02-01T00:00:00'
  test.each<[RangeText, string]>([
    ...froms.split(' ').map((from): [RangeText, string] => [{ from }, 'from']),
    ...['today', ' 2025-02-01', '2025-03-03', '2024-01-27'].map((from): [RangeText, string] => [{ from }, 'from']),
    ...['2025-04-31', '-2025-04-30', '12025-04-30'].map((to): [RangeText, string] => [{ to }, 'to']),
    [{ from: '2025-03-02', to: '2025-03-01' }, 'from'],
    [{ from: '2024-01-27', to: '2025-03-02' }, 'from'],
    [{ from: '0000-01-01', to: '9999-12-31' }, 'from'],
    ...'841 -841 1.5 Z +01:00 1e2 --1'.split(' ').map((offset): [RangeText, string] => [{ offset }, 'offset']),
  ])('is refused: %j, for its %s', (text, field) => {
    expect(() => parseDayRange(text, NOW)).toThrow(expect.objectContaining({ code: 'validation_failed', field }))
  })
})
