import type { Clock } from '../platform/clock.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import type { PodcastId, UserId } from './ids.ts'
import type { HeardPodcast, ListeningStore, Play, PlayEvent } from './listening-ports.ts'
import {
  type DayRange,
  dayOf,
  heardStretch,
  momentsOf,
  parseDayRange,
  type RangeText,
  type Stretch,
  unionSeconds,
  weekdayOf,
} from './listening-rules.ts'

export interface PodcastListening extends Omit<HeardPodcast, 'id'> {
  readonly seconds: number
  /** Different ones. */
  readonly episodes: number
}

/** What somebody heard. */
export interface ListeningReport {
  readonly range: DayRange
  readonly seconds: number
  /** Only those with something, in order; counted since 1970. */
  readonly days: readonly { readonly day: number; readonly seconds: number }[]
  /** Seven, Monday first. */
  readonly weekdays: readonly number[]
  /** Those heard the longest, the longest first. */
  readonly podcasts: readonly PodcastListening[]
  /** Different ones. */
  readonly episodes: number
}

export interface Listening {
  /**
   * From play actions that say where playing began and stopped. What was heard twice on one day counts once, and so does what was
   * reported twice. Throws `validation_failed` with the field to blame.
   */
  report(userId: UserId, range: RangeText): Promise<ListeningReport>
  /** The newest 10,000 at the most, newest first; `page` counts from 0. */
  history(
    userId: UserId,
    page: { page: number; perPage: number },
  ): Promise<{ total: number; events: readonly PlayEvent[] }>
}

const PODCASTS_MAX = 20

/** `keeper` sees to it that what has become private is known to be. */
export function createListening(store: ListeningStore, keeper: DirectoryKeeper, clock: Clock): Listening {
  async function withTexts(userId: UserId, top: readonly HeardSum[]): Promise<PodcastListening[]> {
    const ids = top.map(({ id }) => id)
    const known = new Map((await store.podcasts(userId, ids)).map((podcast) => [podcast.id, podcast]))
    return top.flatMap(({ id, seconds, episodes }) => {
      const podcast = known.get(id)
      if (!podcast) return []
      const { url, title, logoUrl } = podcast
      return [{ url, title, logoUrl, seconds, episodes: episodes.size }]
    })
  }

  return {
    async report(userId, text) {
      const range = parseDayRange(text, clock.seconds())
      await keeper.catchUp()
      const { from, until } = momentsOf(range)
      const tally = createTally(range.offset)
      for (const plays of store.plays(userId, from, until)) {
        for (const play of plays) tally.add(play)
        // Requests that wait have their turn between two chunks.
        await new Promise((resolve) => setImmediate(resolve))
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

    async history(userId, { page, perPage }) {
      await keeper.catchUp()
      return store.history(userId, { offset: page * perPage, limit: perPage })
    },
  }
}

interface DaySum {
  readonly day: number
  readonly seconds: number
}

/** What was heard of a podcast. */
interface HeardSum {
  readonly id: PodcastId
  seconds: number
  readonly episodes: Set<number>
}

/** An episode on one day. */
interface HeardEpisode {
  readonly podcastId: PodcastId
  readonly stretches: Stretch[]
}

/** Adds up plays that come by event time; keeps the stretches of one day only. */
function createTally(offset: number) {
  const days: DaySum[] = []
  const podcasts = new Map<PodcastId, HeardSum>()
  const episodes = new Set<number>()
  let today = Number.NaN
  let heard = new Map<number, HeardEpisode>()

  function closeDay(): void {
    let total = 0
    for (const [episodeId, { podcastId, stretches }] of heard) {
      const seconds = unionSeconds(stretches)
      const podcast = podcasts.get(podcastId) ?? { id: podcastId, seconds: 0, episodes: new Set<number>() }
      podcast.seconds += seconds
      podcast.episodes.add(episodeId)
      podcasts.set(podcastId, podcast)
      episodes.add(episodeId)
      total += seconds
    }
    if (total > 0) days.push({ day: today, seconds: total })
    heard = new Map()
  }

  return {
    add({ episodeId, podcastId, at, started, position, total }: Play): void {
      const stretch = heardStretch(started, position, total)
      if (!stretch) return
      const day = dayOf(at, offset)
      if (day !== today) {
        closeDay()
        today = day
      }
      const episode = heard.get(episodeId)
      if (episode) episode.stretches.push(stretch)
      else heard.set(episodeId, { podcastId, stretches: [stretch] })
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

/** Of those heard alike the one that has been here for longer. */
function longest(podcasts: readonly HeardSum[]): HeardSum[] {
  return podcasts.toSorted((a, b) => b.seconds - a.seconds || a.id - b.id).slice(0, PODCASTS_MAX)
}
