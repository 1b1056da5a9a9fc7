import type { Answer } from '../../api/client.ts'

type Statistics = Pick<Answer<'getListening'>, 'days' | 'weekdays'>

const DAY_MS = 86_400_000

interface Streak {
  /** The first and last day, as `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
  readonly days: number
}

/** What is told of a year besides its sums. */
export interface Review {
  /** Minutes by month, January first. */
  readonly months: readonly number[]
  /** How many days had a minute or more. */
  readonly days: number
  /** The most days in a row; the latest if there are several; undefined without any. */
  readonly streak: Streak | undefined
  /** The day with the most minutes. */
  readonly busiest: { readonly date: string; readonly minutes: number } | undefined
  /** The weekday with the most minutes, 0 for Monday; undefined without any. */
  readonly weekday: number | undefined
}

export function reviewOf({ days, weekdays }: Statistics): Review {
  const heard = days.filter(({ minutes }) => minutes > 0)
  const months = new Array<number>(12).fill(0)
  for (const { date, minutes } of heard) {
    const month = Number(date.slice(5, 7)) - 1
    months[month] = (months[month] ?? 0) + minutes
  }
  const most = Math.max(...weekdays)
  return {
    months,
    days: heard.length,
    streak: longestStreak(heard.map(({ date }) => date)),
    busiest: heard.toSorted((a, b) => b.minutes - a.minutes)[0],
    weekday: most > 0 ? weekdays.indexOf(most) : undefined,
  }
}

/** `dates` in order. */
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

/** The year of the address, if it is one that may have something to tell, else this one. */
export function yearOf(text: string, thisYear: number): number {
  const year = Number(text)
  return Number.isInteger(year) && year >= FIRST && year <= thisYear ? year : thisYear
}

/** The years to choose from, the latest first. */
export function yearsUntil(thisYear: number): readonly number[] {
  return Array.from({ length: SHOWN }, (_, index) => thisYear - index)
}

/** Podcasts are not older. */
const FIRST = 2004
const SHOWN = 5

/** Until February people still look back at the year before. */
export function yearToShow(now: Date): number {
  return now.getMonth() === 0 ? now.getFullYear() - 1 : now.getFullYear()
}
