import type { ListedEpisode } from '../../store/episodes/lists.ts'

/** The episodes of one day, newest first. */
export interface Day {
  /** `2025-03-02`, in the browser's time zone. */
  readonly key: string
  readonly name: string
  readonly items: readonly ListedEpisode[]
}

/** Days in the past that are named only by their weekday. */
const WEEK = 6
const DAY = 86_400_000

/** Groups episodes, sorted newest first, by the day of their release, with names such as "yesterday". */
export function groupByDay(items: readonly ListedEpisode[], now: Date, locale: string): Day[] {
  const today = keyOfDay(now)
  return [...Map.groupBy(items, ({ episode }) => keyOfDay(new Date(`${episode.released}Z`)))].map(([key, group]) => ({
    key,
    name: nameOfDay(key, today, locale),
    items: group,
  }))
}

/** Returns the day of a time in the browser's time zone. */
function keyOfDay(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}

function nameOfDay(key: string, today: string, locale: string): string {
  const time = Date.parse(key)
  const back = Math.round((Date.parse(today) - time) / DAY)
  if (back === 0 || back === 1)
    return capitalize(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-back, 'day'), locale)
  const isThisWeek = back > 1 && back <= WEEK
  const isThisYear = key.slice(0, 4) === today.slice(0, 4)
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    ...(!isThisWeek && { day: 'numeric', month: 'long' }),
    ...(!isThisWeek && !isThisYear && { year: 'numeric' }),
    timeZone: 'UTC',
  })
  return capitalize(format.format(time), locale)
}

/** Capitalizes the first letter, for headings. */
function capitalize(text: string, locale: string): string {
  const [first = '', ...rest] = text
  return first.toLocaleUpperCase(locale) + rest.join('')
}
