import type { Answer } from '../../api/client.ts'
import { isPlayed } from '../../store/playback/progress.ts'

type Event = Answer<'getHistory'>['events'][number]

/** What was heard of an episode on one day, on whatever devices. */
export interface Sitting {
  readonly podcast: string
  readonly podcastTitle: string
  readonly episode: string
  readonly episodeTitle: string
  /** Whether the episode has a picture of its own. */
  readonly hasPicture: boolean
  /** The day in the user's time zone, as `YYYY-MM-DD`. */
  readonly day: string
  /** When it was last played that day, UTC as the server tells it. */
  readonly last: string
  /** Seconds heard, each part of the episode once; 0 if no app has told where it began. */
  readonly heard: number
  readonly isFinished: boolean
  /** Where it stopped last that day; undefined if no app has told. */
  readonly position: number | undefined
  readonly total: number | undefined
  /** Device IDs, the last one first. */
  readonly devices: readonly string[]
}

/** Reports of apps, newest first, by episode and day. `dayOf` gives the day of a time of the server. */
export function sittingsOf(events: readonly Event[], dayOf: (timestamp: string) => string): readonly Sitting[] {
  const groups = new Map<string, Event[]>()
  for (const event of events) {
    const key = `${dayOf(event.timestamp)} ${event.episode}`
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [sittingOf(first, group, dayOf(first.timestamp))] : []
  })
}

function sittingOf(last: Event, events: readonly Event[], day: string): Sitting {
  const devices = events.map(({ device }) => device ?? '').filter((device) => device !== '')
  return {
    podcast: last.podcast,
    podcastTitle: last.podcast_title,
    episode: last.episode,
    episodeTitle: last.episode_title,
    hasPicture: last.has_picture,
    day,
    last: last.timestamp,
    heard: secondsHeard(events),
    isFinished: events.some(({ position, total }) => position !== undefined && isPlayed(position, total)),
    position: last.position,
    total: last.total,
    devices: [...new Set(devices)],
  }
}

/** The length of all stretches together, where what overlaps counts once. */
function secondsHeard(events: readonly Event[]): number {
  const stretches = events
    .flatMap(({ started, position }) =>
      started !== undefined && position !== undefined && position > started ? [[started, position] as const] : [],
    )
    .toSorted(([a], [b]) => a - b)
  let seconds = 0
  let reached = 0
  for (const [from, to] of stretches) {
    seconds += Math.max(0, to - Math.max(from, reached))
    reached = Math.max(reached, to)
  }
  return seconds
}
