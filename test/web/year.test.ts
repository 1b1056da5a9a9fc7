import { describe, expect, test } from 'bun:test'
import { reviewOf, yearOf, yearToShow } from '../../src/web/pages/year/review.ts'

const WEEK = [0, 0, 30, 0, 0, 0, 65]
const day = (date: string, minutes = 10) => ({ date, minutes })
const of = (...days: readonly { date: string; minutes: number }[]) => reviewOf({ days, weekdays: WEEK })

describe('the year in review', () => {
  test('sums the days by month', () => {
    const { months, days } = of(day('2026-01-31', 5), day('2026-02-01', 7), day('2026-02-28'), day('2026-12-31', 1))
    expect(months).toEqual([5, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    expect(days).toBe(4)
  })

  test.each([
    [['2026-03-01'], '2026-03-01', '2026-03-01', 1],
    [['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-03'], '2026-02-27', '2026-03-01', 3],
    [['2026-03-01', '2026-03-02', '2026-05-01', '2026-05-02'], '2026-05-01', '2026-05-02', 2],
    // Daylight saving time starts on the second day in Europe.
    [['2026-03-28', '2026-03-29', '2026-03-30'], '2026-03-28', '2026-03-30', 3],
  ])('of %p has the longest streak from %s to %s, %d days', (dates, from, to, days) => {
    expect(of(...dates.map((date) => day(date))).streak).toEqual({ from, to, days })
  })

  test('has the biggest day, and the weekday with the most minutes', () => {
    expect(of(day('2026-03-01', 9), day('2026-03-02', 50), day('2026-03-03', 50))).toMatchObject({
      busiest: { date: '2026-03-02', minutes: 50 },
      weekday: 6,
    })
  })

  test('has no streak, day or weekday without listening', () => {
    const nothing = reviewOf({ days: [], weekdays: [0, 0, 0, 0, 0, 0, 0] })
    expect(nothing).toMatchObject({ days: 0, streak: undefined, busiest: undefined, weekday: undefined })
  })
})

test.each([
  ['2024', 2024],
  ['2027', 2026],
  ['1999', 2026],
  ['x', 2026],
  ['2024.5', 2026],
])('the year %p in the URL shows %d', (text, year) => {
  expect(yearOf(text, 2026)).toBe(year)
})

test('January shows the previous year', () => {
  expect([yearToShow(new Date(2027, 0, 31)), yearToShow(new Date(2027, 1, 1))]).toEqual([2026, 2027])
})
