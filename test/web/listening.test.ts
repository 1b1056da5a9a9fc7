import { describe, expect, test } from 'bun:test'
import { scaleOf } from '../../src/web/pages/listening/charts.tsx'
import { daysOf, localDay, spansOf } from '../../src/web/pages/listening/periods.ts'

const TODAY = '2026-11-21'

function spansIn(range: 'week' | 'month' | 'quarter' | 'year', dates: readonly string[] = []) {
  const { from, to } = daysOf(range, TODAY)
  const days = dates.map((date) => ({ date, minutes: 10 }))
  return spansOf(days, from, to)
}

describe('a chart of listening', () => {
  test.each([
    ['week', '2026-11-15', 'day', 7],
    ['month', '2026-10-23', 'day', 30],
    ['quarter', '2026-08-24', 'week', 13],
    ['year', '2025-11-22', 'week', 53],
  ] as const)('of a %s starts on %s and has a bar for each %s, %d in total', (range, first, unit, count) => {
    const { spans, unit: actual } = spansIn(range)
    expect(actual).toBe(unit)
    expect(spans).toHaveLength(count)
    expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([first, TODAY])
    for (const [index, { from }] of spans.entries()) {
      const before = spans[index - 1]
      if (before) expect(Date.parse(from) - Date.parse(before.to)).toBe(86_400_000)
    }
  })

  test.each([
    ['week', ['2026-11-21', '2026-11-15'], 10],
    ['quarter', ['2026-11-21', '2026-11-15'], 20],
    ['quarter', ['2026-11-14', '2026-08-24'], 0],
  ] as const)('of a %s with 10 minutes on each of %p has %d in its last bar', (range, dates, last) => {
    const { spans } = spansIn(range, dates)
    expect(spans.at(-1)?.minutes).toBe(last)
    expect(spans.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(20)
  })
})

test('today is the day in the user’s time zone', () => {
  expect(localDay(new Date(2026, 10, 21, 0, 30))).toBe(TODAY)
})

test('a chart has at most three lines of round numbers, and no value is above the last one', () => {
  expect([0, 7, 61, 500, 20_000].map(scaleOf)).toEqual([[1], [5, 10], [30, 60, 90], [180, 360, 540], [12_000, 24_000]])
  for (let max = 0; max < 30_000; max += 7) {
    const lines: readonly number[] = scaleOf(max)
    expect(lines.length).toBeLessThanOrEqual(3)
    expect(lines.at(-1)).toBeGreaterThanOrEqual(max)
  }
})
