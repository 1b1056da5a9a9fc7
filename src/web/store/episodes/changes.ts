import { type Action, type EpisodeProgress, progressOf } from '../playback/progress.ts'

/** Progress of an episode as the server lists it. */
interface Stated {
  readonly url: string
  readonly guid: string
  readonly state: 'new' | 'in_progress' | 'played'
  readonly position?: number
  readonly total?: number
  readonly device?: string
}

/** Returns episodes with progress updated from `actions`, which holds the latest action of each changed episode. */
export function withChanges<E extends Stated>(episodes: readonly E[], actions: readonly Action[]): readonly E[] {
  if (actions.length === 0) return episodes
  // Match the GUID first: publishers change media URLs or share one among episodes.
  const byUrl = new Map(actions.map((action) => [action.episode, action]))
  const byGuid = new Map(actions.flatMap((action) => (action.guid ? [[action.guid, action] as const] : [])))
  return episodes.map((episode) => {
    const action = byGuid.get(episode.guid) ?? byUrl.get(episode.url)
    return action ? withProgress(episode, progressOf([action]).get(action.episode)) : episode
  })
}

/** Applies the same rule as the server (docs/protocol.md#D90). */
function withProgress<E extends Stated>(episode: E, progress: EpisodeProgress | undefined): E {
  const { position: _, total: __, device: ___, ...rest } = episode
  const isBegun = progress !== undefined && (progress.isDone || progress.position >= 1)
  if (!isBegun) return { ...rest, state: 'new' } as E
  const { position, total, isDone, device } = progress
  return {
    ...rest,
    ...{ state: isDone ? 'played' : 'in_progress', position },
    ...(total !== undefined && { total }),
    ...(device !== undefined && { device }),
  } as E
}
