import { duration, t } from '../../locales/index.ts'

export type Range = 'week' | 'month' | 'quarter' | 'year'

export const RANGES = ['week', 'month', 'quarter', 'year'] as const

const DAYS: Record<Range, number> = { week: 7, month: 30, quarter: 90, year: 365 }
const DAY_MS = 86_400_000

/** Returns the first and last day of a range that ends today, as `YYYY-MM-DD`. */
export function daysOf(range: Range, today: string): { readonly from: string; readonly to: string } {
  return { from: addDays(today, 1 - DAYS[range]), to: today }
}

/** Returns the day in the user's time zone, as `YYYY-MM-DD`. */
export function localDay(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

interface Day {
  /** As `YYYY-MM-DD`. */
  readonly date: string
  readonly minutes: number
}

interface Span {
  /** First and last day, as `YYYY-MM-DD`; equal for a single day. */
  readonly from: string
  readonly to: string
  readonly minutes: number
}

/** Number of bars that fit on a phone. */
const BARS_MAX = 45
const WEEK = 7

/**
 * Returns the bars of a chart: days or, if there are too many, weeks. The last week ends on the last day, so that it is
 * comparable with those before; the first week may be shorter.
 */
export function spansOf(
  days: readonly Day[],
  from: string,
  to: string,
): { unit: 'day' | 'week'; spans: readonly Span[] } {
  const minutesOf = new Map(days.map(({ date, minutes }) => [date, minutes]))
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const step = count > BARS_MAX ? WEEK : 1
  const spans: Span[] = []
  for (let end = count; end > 0; end -= step) {
    const start = Math.max(0, end - step)
    let minutes = 0
    for (let day = start; day < end; day++) minutes += minutesOf.get(addDays(from, day)) ?? 0
    spans.unshift({ from: addDays(from, start), to: addDays(from, end - 1), minutes })
  }
  return { unit: step === WEEK ? 'week' : 'day', spans }
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Formats minutes as text, such as `1 h 24 min` or `0 min`. */
export function listenedFor(minutes: number): string {
  const whole = Math.round(minutes)
  return whole === 0 ? t('common.duration.minutes', { n: 0 }) : duration(whole * 60)
}
