import { type Clock, nextTurn } from '../../platform/clock.ts'
import { invalid } from '../shared/errors.ts'
import type { PodcastId, UserId } from '../shared/ids.ts'
import { daysFromCivil, daysInMonth } from '../shared/time.ts'
import type { HeardPodcast, ListeningStore, Play, PlayEvent } from './ports/listening.ts'

export interface PodcastListening extends Omit<HeardPodcast, 'id'> {
  readonly seconds: number
  readonly episodes: number
}

export interface ListeningReport {
  readonly range: DayRange
  readonly seconds: number
  readonly days: readonly { readonly day: number; readonly seconds: number }[]
  readonly weekdays: readonly number[]
  readonly podcasts: readonly PodcastListening[]
  readonly episodes: number
}

const PODCASTS_MAX = 20

export function createListening(store: ListeningStore, clock: Clock) {
  async function withTexts(userId: UserId, top: readonly ListeningSum[]): Promise<PodcastListening[]> {
    const ids = top.map(({ id }) => id)
    const byId = new Map((await store.podcasts(userId, ids)).map((podcast) => [podcast.id, podcast]))
    return top.flatMap(({ id, seconds, episodes }) => {
      const podcast = byId.get(id)
      if (!podcast) return []
      const { url, title, logoUrl } = podcast
      return [{ url, title, logoUrl, seconds, episodes: episodes.size }]
    })
  }

  return {
    /** Sums play actions. Overlapping stretches of an episode on one day count once. Throws `validation_failed`. */
    async report(userId: UserId, text: RangeText): Promise<ListeningReport> {
      const range = parseDayRange(text, clock.seconds())
      const { from, until } = momentsOf(range)
      const tally = createTally(range.offset)
      for await (const plays of store.plays(userId, from, until)) {
        for (const play of plays) tally.add(play)
        // Lets waiting requests run between two pages.
        await nextTurn()
      }
      const { days, podcasts, episodes } = tally.sums()
      return {
        range,
        seconds: sum(days),
        days,
        weekdays: weekdaysOf(days),
        podcasts: await withTexts(userId, longest(podcasts)),
        episodes,
      }
    },

    history: (
      userId: UserId,
      { page, perPage }: { page: number; perPage: number },
    ): Promise<{ total: number; events: readonly PlayEvent[] }> =>
      store.history(userId, { offset: page * perPage, limit: perPage }),
  }
}

interface DaySum {
  readonly day: number
  readonly seconds: number
}

interface ListeningSum {
  readonly id: PodcastId
  seconds: number
  readonly episodes: Set<number>
}

interface PlayedEpisode {
  readonly podcastId: PodcastId
  readonly stretches: Stretch[]
}

function createTally(offset: number) {
  const days: DaySum[] = []
  const podcasts = new Map<PodcastId, ListeningSum>()
  const episodes = new Set<number>()
  let today = Number.NaN
  let todaysEpisodes = new Map<number, PlayedEpisode>()

  function closeDay(): void {
    let total = 0
    for (const [episodeId, { podcastId, stretches }] of todaysEpisodes) {
      const seconds = unionSeconds(stretches)
      const podcast = podcasts.get(podcastId) ?? { id: podcastId, seconds: 0, episodes: new Set<number>() }
      podcast.seconds += seconds
      podcast.episodes.add(episodeId)
      podcasts.set(podcastId, podcast)
      episodes.add(episodeId)
      total += seconds
    }
    if (total > 0) days.push({ day: today, seconds: total })
    todaysEpisodes = new Map()
  }

  return {
    add({ episodeId, podcastId, at, started, position, total }: Play): void {
      const stretch = playedStretch(started, position, total)
      if (!stretch) return
      const day = dayOf(at, offset)
      if (day !== today) {
        closeDay()
        today = day
      }
      const episode = todaysEpisodes.get(episodeId)
      if (episode) episode.stretches.push(stretch)
      else todaysEpisodes.set(episodeId, { podcastId, stretches: [stretch] })
    },

    sums() {
      closeDay()
      return { days, podcasts: [...podcasts.values()], episodes: episodes.size }
    },
  }
}

function sum(parts: readonly { readonly seconds: number }[]): number {
  return parts.reduce((total, { seconds }) => total + seconds, 0)
}

function weekdaysOf(days: readonly DaySum[]): number[] {
  return Array.from({ length: 7 }, (_, weekday) => sum(days.filter(({ day }) => weekdayOf(day) === weekday)))
}

function longest(podcasts: readonly ListeningSum[]): ListeningSum[] {
  return podcasts.toSorted((a, b) => b.seconds - a.seconds || a.id - b.id).slice(0, PODCASTS_MAX)
}

interface DayRange {
  readonly from: number
  readonly to: number
  readonly offset: number
}

export interface RangeText {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly offset?: string | undefined
}

const DAY = 86_400
const RANGE_DAYS_MAX = 400
const RANGE_DAYS = 30
const OFFSET_MAX = 14 * 60

export function unionSeconds(stretches: readonly Stretch[]): number {
  const [only] = stretches
  if (only && stretches.length === 1) return only.to - only.from
  let seconds = 0
  let end = Number.NEGATIVE_INFINITY
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    if (to <= end) continue
    seconds += to - Math.max(from, end)
    end = to
  }
  return seconds
}

export function dayOf(at: number, offset: number): number {
  return Math.floor((at + offset * 60) / DAY)
}

/** Converts a range of days to Unix seconds; `until` is exclusive. */
export function momentsOf({ from, to, offset }: DayRange): { from: number; until: number } {
  return { from: from * DAY - offset * 60, until: (to + 1) * DAY - offset * 60 }
}

export function weekdayOf(day: number): number {
  // 1970 began on a Thursday.
  return (((day + 3) % 7) + 7) % 7
}

/** Defaults to the last 30 days. Throws `validation_failed` with the name of the field. */
export function parseDayRange(text: RangeText, now: number): DayRange {
  const offset = parseOffset(text.offset)
  const to = parseDay('to', text.to) ?? dayOf(now, offset)
  const from = parseDay('from', text.from) ?? to - RANGE_DAYS + 1
  if (from > to) throw invalid('from', 'from must not be after to')
  if (to - from >= RANGE_DAYS_MAX) throw invalid('from', `from and to must not be more than ${RANGE_DAYS_MAX} days`)
  return { from, to, offset }
}

function parseOffset(text: string | undefined): number {
  if (text === undefined || text === '') return 0
  // A plus in a query string is decoded as a space.
  if (!/^[-+ ]?\d{1,4}$/.test(text) || Math.abs(Number(text)) > OFFSET_MAX)
    throw invalid('offset', `offset must be minutes east of UTC, from -${OFFSET_MAX} to ${OFFSET_MAX}`)
  return Number(text)
}

function parseDay(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  const isDate = year !== undefined && month !== undefined && day !== undefined && month >= 1 && month <= 12 && day >= 1
  if (!isDate || day > daysInMonth(year, month)) throw invalid(field, `${field} must be a date like 2025-03-02`)
  return daysFromCivil(year, month, day)
}

export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Seconds. Apps report more often than this during playback, so a longer stretch is a mistake. */
const STRETCH_MAX = 12 * 3600

/** Returns the stretch that a play action reports as heard, or undefined if it is missing or impossible. */
export function playedStretch(started: number, position: number, total: number | undefined): Stretch | undefined {
  const seconds = position - started
  const longest = total === undefined || total <= 0 ? STRETCH_MAX : Math.min(total, STRETCH_MAX)
  return started >= 0 && seconds > 0 && seconds <= longest ? { from: started, to: position } : undefined
}
