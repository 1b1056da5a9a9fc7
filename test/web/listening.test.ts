import { describe, expect, test } from 'bun:test'
import { scaleOf } from '../../src/web/components/bar-chart.tsx'
import { daysOf, localDay, spansOf } from '../../src/web/pages/listening/periods.ts'

const TODAY = '2026-11-21'

function spansOfRange(range: 'week' | 'month' | 'quarter' | 'year', days: Parameters<typeof spansOf>[0] = []) {
  const { from, to } = daysOf(range, TODAY)
  return spansOf(days, from, to)
}

describe('a period of listening', () => {
  test.each([
    ['week', '2026-11-15', 'day', 7],
    ['month', '2026-10-23', 'day', 30],
    ['quarter', '2026-08-24', 'week', 13],
    ['year', '2025-11-22', 'week', 53],
  ] as const)('of a %s begins on %s and is told by the %s, in %d bars', (range, first, unit, count) => {
    const told = spansOfRange(range)
    expect(told.unit).toBe(unit)
    expect(told.spans).toHaveLength(count)
    expect(told.spans[0]?.from).toBe(first)
    expect(told.spans.at(-1)?.to).toBe(TODAY)
  })

  test('has no day twice and none left out', () => {
    const { spans } = spansOfRange('quarter')
    for (const [index, { from }] of spans.entries()) {
      const before = spans[index - 1]
      if (before) expect(Date.parse(from) - Date.parse(before.to)).toBe(86_400_000)
    }
  })

  test('of weeks ends with seven days up to today; what is left over is at the beginning', () => {
    const { spans } = spansOfRange('quarter')
    expect(spans.at(-1)).toMatchObject({ from: '2026-11-15', to: TODAY })
    expect(spans[0]).toMatchObject({ from: '2026-08-24', to: '2026-08-29' })
  })

  test.each([
    ['week', ['2026-11-21', '2026-11-15'], 10, 7],
    ['quarter', ['2026-11-21', '2026-11-15'], 20, 13],
    ['quarter', ['2026-11-14', '2026-08-24'], 0, 13],
  ] as const)('of a %s with %p has %d minutes in its last bar', (range, heard, last, count) => {
    const { spans } = spansOfRange(
      range,
      heard.map((date) => ({ date, minutes: 10 })),
    )
    expect(spans).toHaveLength(count)
    expect(spans.at(-1)?.minutes).toBe(last)
    expect(spans.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(20)
  })

  test('ends with the day it is here', () => {
    const now = new Date(2026, 10, 21, 0, 30)
    expect(localDay(now)).toBe(TODAY)
  })
})

describe('the lines of a chart', () => {
  test.each([
    [0, [1]],
    [1, [1]],
    [3, [1, 2, 3]],
    [7, [5, 10]],
    [44, [15, 30, 45]],
    [61, [30, 60, 90]],
    [180, [60, 120, 180]],
    [500, [180, 360, 540]],
    [20_000, [12_000, 24_000]],
  ])('up to %d minutes are at %p', (most, lines) => {
    expect<readonly number[]>(scaleOf(most)).toEqual(lines)
  })

  test('are three at most, and nothing is above them', () => {
    for (let most = 0; most < 30_000; most += 7) {
      const lines: readonly number[] = scaleOf(most)
      expect(lines.length).toBeLessThanOrEqual(3)
      expect(lines.at(-1)).toBeGreaterThanOrEqual(most)
    }
  })
})
