import type { UserId } from '../../shared/ids.ts'
import type { Written } from './written.ts'

/** Flattr is defunct, but old clients still send `flattr`. */
export type ActionKind = 'download' | 'play' | 'delete' | 'new' | 'flattr'

/** One report of a device about an episode, validated (docs/protocol.md#the-action). */
export interface EpisodeAction {
  podcast: string
  episode: string
  kind: ActionKind
  at: number
  device?: string | undefined
  guid?: string | undefined
  /** Whole seconds, only for `play`, like the next two. `started` and `total` require `position`. */
  started?: number | undefined
  position?: number | undefined
  total?: number | undefined
}

export interface ActionQuery {
  readonly since: number
  readonly podcast?: string | undefined
  readonly device?: string | undefined
  readonly aggregated: boolean
  /** Considers only `play` and `new`, which set the state of an episode. Requires `aggregated` and no other filters. */
  readonly onlyStates?: boolean
  /** Includes guids that are hidden from clients. Requires a whole history without filters. */
  readonly isArchive?: boolean
}

export interface ActionList {
  readonly clock: number
  readonly chunks: Chunks<EpisodeAction>
}

/** A short list as an array of at most one chunk, or a long list as chunks that are read lazily. */
export type Chunks<T> = readonly (readonly T[])[] | AsyncIterable<readonly T[]>

export interface WrittenActions extends Written {
  readonly added: number
}

export interface EpisodeActionStore {
  list(userId: UserId, query: ActionQuery): Promise<ActionList>
  /**
   * Stores actions that are not exact duplicates (D49), and creates unknown devices, podcasts and episodes. `isHistory`
   * marks actions from an import or from the user: they keep repeats (D86) and create no devices, since a history may
   * name devices that were removed long ago. Iterates lazily, so the actions need not fit into memory at once.
   */
  applyUpload(
    userId: UserId,
    actions: Iterable<EpisodeAction>,
    context: { at: number; seenUntil: number | undefined; isHistory?: boolean },
  ): Promise<WrittenActions>
}
