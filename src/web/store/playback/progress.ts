/** Fields of an episode action that determine progress. */
export interface Action {
  readonly episode: string
  readonly guid?: string
  readonly action: string
  readonly device?: string
  readonly timestamp: string
  readonly position?: number
  readonly total?: number
}

/** Progress of an episode in seconds, from the latest report of any device. */
export interface EpisodeProgress {
  readonly position: number
  /** Undefined if no device has reported it. */
  readonly total: number | undefined
  readonly isDone: boolean
  /** Device ID; undefined if the episode was marked in the web client. */
  readonly device: string | undefined
}

/** Progress fields of a listed episode. */
interface Stated {
  readonly state: 'new' | 'in_progress' | 'played'
  readonly position?: number
  readonly total?: number
  readonly device?: string
}

/** Returns the progress of a listed episode; undefined if it is new. */
export function progressOfItem({ state, position = 0, total, device }: Stated): EpisodeProgress | undefined {
  if (state === 'new') return undefined
  return { position, total, isDone: state === 'played', device }
}

/** Returns progress by media URL, without episodes that were marked as new. */
export function progressOf(actions: readonly Action[]): Map<string, EpisodeProgress> {
  const latest = new Map<string, Action>()
  for (const action of actions) {
    if (action.action !== 'new' && action.action !== 'play') continue
    const previous = latest.get(action.episode)
    if (!previous || previous.timestamp <= action.timestamp) latest.set(action.episode, action)
  }
  return new Map(
    [...latest].flatMap(([episode, action]) =>
      action.action === 'play' ? [[episode, progressIn(action)] as const] : [],
    ),
  )
}

/** A `play` without a position means played to the end: gPodder reports playback in external players that way. */
function progressIn({ position, total, device }: Action): EpisodeProgress {
  return {
    position: position ?? total ?? 0,
    total,
    isDone: position === undefined || isPlayed(position, total),
    device,
  }
}

/** Whether a position counts as played. Must match the rule of the server, which counts unplayed episodes by it. */
export function isPlayed(position: number, total: number | undefined): boolean {
  return total !== undefined && total > 0 && position >= total
}

export interface Resume {
  /** Seconds. */
  readonly position: number
  readonly device: string | undefined
}

/**
 * Returns the position to resume an episode from; undefined to start at the beginning. `actions` holds the latest
 * action of each episode of its podcast. Prefers the GUID, as publishers change media URLs or share one among episodes.
 */
export function resumeOf(actions: readonly Action[], url: string, guid: string | undefined): Resume | undefined {
  const named = actions.filter((action) => guid !== undefined && action.guid === guid)
  const atUrl = actions.filter((action) => action.episode === url)
  const isOneEpisode = new Set(atUrl.map((action) => action.guid)).size < 2
  const own = named.length === 0 && isOneEpisode ? atUrl : named
  const progress = [...progressOf(own.map((action) => ({ ...action, episode: url }))).values()][0]
  if (!progress || progress.isDone || progress.position < 1) return undefined
  return { position: progress.position, device: progress.device }
}

/** Returns the chapter at a position: the last one that has started and not ended. */
export function chapterAt<C extends { readonly start: number; readonly end?: number }>(
  chapters: readonly C[],
  position: number,
): C | undefined {
  return chapters.findLast(({ start, end = Number.POSITIVE_INFINITY }) => start <= position && position < end)
}

/** Formats seconds as `1:02:03` or `2:03`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
