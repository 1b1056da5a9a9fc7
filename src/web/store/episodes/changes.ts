import { type Action, type Heard, progressOf } from '../playback/progress.ts'

/** How far an episode was played, as the server lists it. */
interface Stated {
  readonly url: string
  readonly guid: string
  readonly state: 'new' | 'in_progress' | 'played'
  readonly position?: number
  readonly total?: number
  readonly device?: string
}

/** The same episodes, with what is known since: `actions` has the latest state of each episode that was touched. */
export function withChanges<E extends Stated>(episodes: readonly E[], actions: readonly Action[]): readonly E[] {
  if (actions.length === 0) return episodes
  // Publishers change media URLs, and use one for several episodes.
  const byUrl = new Map(actions.map((action) => [action.episode, action]))
  const byGuid = new Map(actions.flatMap((action) => (action.guid ? [[action.guid, action] as const] : [])))
  return episodes.map((episode) => {
    const action = byGuid.get(episode.guid) ?? byUrl.get(episode.url)
    return action ? withProgress(episode, progressOf([action]).get(action.episode)) : episode
  })
}

/** The rule of the server (docs/protocol.md#D90). */
function withProgress<E extends Stated>(episode: E, heard: Heard | undefined): E {
  const { position: _, total: __, device: ___, ...rest } = episode
  const isBegun = heard !== undefined && (heard.isDone || heard.position >= 1)
  if (!isBegun) return { ...rest, state: 'new' } as E
  const { position, total, isDone, device } = heard
  return {
    ...rest,
    ...{ state: isDone ? 'played' : 'in_progress', position },
    ...(total !== undefined && { total }),
    ...(device !== undefined && { device }),
  } as E
}
