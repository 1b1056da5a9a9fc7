/** An action as the server lists it, as far as it tells how far an episode was played. */
export interface Action {
  readonly episode: string
  readonly guid?: string
  readonly action: string
  readonly device?: string
  readonly timestamp: string
  readonly position?: number
  readonly total?: number
}

/** How far an episode was played, in seconds, by the latest report of any device. */
export interface Heard {
  readonly position: number
  /** Undefined if no device has reported it. */
  readonly total: number | undefined
  readonly isDone: boolean
  /** The ID of the device; undefined if it was marked on a page. */
  readonly device: string | undefined
}

/** What the server lists with an episode. */
interface Stated {
  readonly state: 'new' | 'in_progress' | 'played'
  readonly position?: number
  readonly total?: number
  readonly device?: string
}

/** How far an episode was played, as the server says. */
export function heardOf({ state, position = 0, total, device }: Stated): Heard | undefined {
  if (state === 'new') return undefined
  return { position, total, isDone: state === 'played', device }
}

/** The progress of each episode by media URL. Episodes that were marked as new are not among them. */
export function progressOf(actions: readonly Action[]): Map<string, Heard> {
  const latest = new Map<string, Action>()
  for (const action of actions) {
    if (action.action !== 'new' && action.action !== 'play') continue
    const known = latest.get(action.episode)
    if (!known || known.timestamp <= action.timestamp) latest.set(action.episode, action)
  }
  return new Map(
    [...latest].flatMap(([episode, action]) =>
      action.action === 'play' ? [[episode, progressIn(action)] as const] : [],
    ),
  )
}

/** A play without a position is one to the end: gPodder reports what other programs have played that way. */
function progressIn({ position, total, device }: Action): Heard {
  return {
    position: position ?? total ?? 0,
    total,
    isDone: position === undefined || isPlayed(position, total),
    device,
  }
}

/** Whether somebody who has stopped there has heard the episode, by the rule of the server, which counts by it. */
export function isPlayed(position: number, total: number | undefined): boolean {
  return total !== undefined && total > 0 && position >= total
}

export interface Resume {
  /** Seconds. */
  readonly position: number
  readonly device: string | undefined
}

/**
 * Where to go on with an episode that was begun on any device; undefined to begin at the beginning. `actions` has the
 * latest action of each episode of its podcast. Publishers change media URLs, and use one for several episodes.
 */
export function resumeOf(actions: readonly Action[], url: string, guid: string | undefined): Resume | undefined {
  const named = actions.filter((action) => guid !== undefined && action.guid === guid)
  const atUrl = actions.filter((action) => action.episode === url)
  const isOneEpisode = new Set(atUrl.map((action) => action.guid)).size < 2
  const own = named.length === 0 && isOneEpisode ? atUrl : named
  const heard = [...progressOf(own.map((action) => ({ ...action, episode: url }))).values()][0]
  if (!heard || heard.isDone || heard.position < 1) return undefined
  return { position: heard.position, device: heard.device }
}

/** The chapter that a position is in: the last one that has begun, and has not ended if it has an end. */
export function chapterAt<C extends { readonly start: number; readonly end?: number }>(
  chapters: readonly C[],
  position: number,
): C | undefined {
  return chapters.findLast(({ start, end = Number.POSITIVE_INFINITY }) => start <= position && position < end)
}

/** Seconds as `1:02:03` or `2:03`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
