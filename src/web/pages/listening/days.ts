export type Range = 'week' | 'month' | 'quarter' | 'year'

export const RANGES = ['week', 'month', 'quarter', 'year'] as const

const DAYS: Record<Range, number> = { week: 7, month: 30, quarter: 90, year: 365 }
const DAY_MS = 86_400_000

/** The first and last day of a range that ends on `today`, as `YYYY-MM-DD`. */
export function daysOf(range: Range, today: string): { readonly from: string; readonly to: string } {
  return { from: addDays(today, 1 - DAYS[range]), to: today }
}

/** The day it is here, whatever it is elsewhere. */
export function localDay(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

export interface Bar {
  /** `YYYY-MM-DD`: the day, or the first of several. */
  readonly date: string
  readonly minutes: number
}

/** Bars that fit side by side on a phone. */
const BARS_MAX = 45

/** One bar for each day from the first to the last, or, where these are too many, for each week. */
export function barsOf(days: readonly Bar[], from: string, to: string): Bar[] {
  const minutesOf = new Map(days.map(({ date, minutes }) => [date, minutes]))
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const step = count > BARS_MAX ? 7 : 1
  const bars: Bar[] = []
  for (let start = 0; start < count; start += step) {
    let minutes = 0
    for (let day = start; day < Math.min(start + step, count); day++) minutes += minutesOf.get(addDays(from, day)) ?? 0
    bars.push({ date: addDays(from, start), minutes })
  }
  return bars
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}
