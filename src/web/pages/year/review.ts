import type { Answer } from '../../api/client.ts'

type Statistics = Pick<Answer<'getListening'>, 'days' | 'weekdays'>

const DAY_MS = 86_400_000

interface Streak {
  /** First and last day (`to`), as `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
  readonly days: number
}

/** Highlights of a year. */
export interface Review {
  /** Minutes per month, January first. */
  readonly months: readonly number[]
  /** Number of days with any listening time. */
  readonly days: number
  /** The longest run of consecutive days, the latest in case of a tie; undefined if there are none. */
  readonly streak: Streak | undefined
  readonly busiest: { readonly date: string; readonly minutes: number } | undefined
  /** The weekday with the most minutes, 0 for Monday; undefined without listening time. */
  readonly weekday: number | undefined
}

export function reviewOf({ days, weekdays }: Statistics): Review {
  const activeDays = days.filter(({ minutes }) => minutes > 0)
  const months = new Array<number>(12).fill(0)
  for (const { date, minutes } of activeDays) {
    const month = Number(date.slice(5, 7)) - 1
    months[month] = (months[month] ?? 0) + minutes
  }
  const maximum = Math.max(...weekdays)
  return {
    months,
    days: activeDays.length,
    streak: longestStreak(activeDays.map(({ date }) => date)),
    busiest: activeDays.toSorted((a, b) => b.minutes - a.minutes)[0],
    weekday: maximum > 0 ? weekdays.indexOf(maximum) : undefined,
  }
}

/** `dates` must be sorted. */
function longestStreak(dates: readonly string[]): Streak | undefined {
  let longest: Streak | undefined
  let current: Streak | undefined
  for (const date of dates) {
    const isNext = current !== undefined && Date.parse(date) - Date.parse(current.to) === DAY_MS
    current =
      isNext && current ? { from: current.from, to: date, days: current.days + 1 } : { from: date, to: date, days: 1 }
    if (!longest || current.days >= longest.days) longest = current
  }
  return longest
}

/** Returns the year in `text` if podcasts existed then and it is not in the future, else `thisYear`. */
export function yearOf(text: string, thisYear: number): number {
  const year = Number(text)
  return Number.isInteger(year) && year >= FIRST_YEAR && year <= thisYear ? year : thisYear
}

/** Returns the years to choose from, latest first. */
export function yearsUntil(thisYear: number): readonly number[] {
  return Array.from({ length: YEARS_SHOWN }, (_, index) => thisYear - index)
}

/** The first year with podcasts. */
const FIRST_YEAR = 2004
const YEARS_SHOWN = 5

/** Returns last year until the end of January, because people still look back at it. */
export function yearToShow(now: Date): number {
  return now.getMonth() === 0 ? now.getFullYear() - 1 : now.getFullYear()
}
