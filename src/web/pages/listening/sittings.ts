import type { Answer } from '../../api/client.ts'
import { isPlayed } from '../../store/playback/progress.ts'

type Event = Answer<'getHistory'>['events'][number]

/** Playback of one episode on one day, on all devices. */
export interface Sitting {
  readonly podcast: string
  readonly podcastTitle: string
  readonly episode: string
  readonly episodeTitle: string
  readonly hasPicture: boolean
  /** Day in the user's time zone, as `YYYY-MM-DD`. */
  readonly day: string
  /** Time of the last report that day, in UTC and in the format of the API. */
  readonly last: string
  /** Seconds heard, counting each part of the episode once; 0 if no app reported where playback started. */
  readonly seconds: number
  readonly isFinished: boolean
  /** Last position that day; undefined if not reported. */
  readonly position: number | undefined
  readonly total: number | undefined
  /** Device IDs, the most recent first. */
  readonly devices: readonly string[]
}

/** Groups reports, which are sorted newest first, by episode and day. `dayOf` returns the day of a server timestamp. */
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
    seconds: secondsListened(events),
    isFinished: events.some(({ position, total }) => position !== undefined && isPlayed(position, total)),
    position: last.position,
    total: last.total,
    devices: [...new Set(devices)],
  }
}

/** Returns the total length of the played intervals, counting overlaps once. */
function secondsListened(events: readonly Event[]): number {
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
