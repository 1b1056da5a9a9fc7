import { nameOfDay } from '../../locales/calendar.ts'
import type { ListedEpisode } from '../../store/episodes/lists.ts'

/** The episodes of one day, newest first. */
export interface Day {
  /** `2025-03-02`, in the browser's time zone. */
  readonly key: string
  readonly name: string
  readonly items: readonly ListedEpisode[]
}

/** Groups episodes, sorted newest first, by the day of their release, with names such as "yesterday". */
export function groupByDay(items: readonly ListedEpisode[], now: Date, locale: string): Day[] {
  return [...Map.groupBy(items, ({ episode }) => keyOfDay(new Date(`${episode.released}Z`)))].map(([key, group]) => ({
    key,
    name: nameOfDay(new Date(`${key}T00:00`), now, locale, { weekday: 'long' }),
    items: group,
  }))
}

/** Returns the day of a time in the browser's time zone. */
function keyOfDay(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}
