import type { UserId } from '../../shared/ids.ts'
import type { Written } from './written.ts'

/** What happened to the episode. `flattr` is history, but old clients send it. */
export type ActionKind = 'download' | 'play' | 'delete' | 'new' | 'flattr'

/** One report of a device about an episode (docs/protocol.md#the-action), ready to be stored. */
export interface EpisodeAction {
  podcast: string
  episode: string
  kind: ActionKind
  at: number
  device?: string | undefined
  guid?: string | undefined
  /** Whole seconds, only for `play`; `started` and `total` never without `position`. */
  started?: number | undefined
  position?: number | undefined
  total?: number | undefined
}

export interface ActionQuery {
  readonly since: number
  readonly podcast?: string | undefined
  readonly device?: string | undefined
  readonly aggregated: boolean
  /** Only `play` and `new` count, which tell how far somebody is. Together with `aggregated`, without other filters. */
  readonly onlyStates?: boolean
  /** Guids that are hidden from clients come with the actions. For a whole history, without filters. */
  readonly isArchive?: boolean
}

export interface ActionList {
  readonly clock: number
  readonly chunks: Chunks<EpisodeAction>
}

/** A short list whole, in an array of at most one array; a long one in pieces that are read as they are asked for. */
export type Chunks<T> = readonly (readonly T[])[] | AsyncIterable<readonly T[]>

export interface WrittenActions extends Written {
  readonly added: number
}

export interface EpisodeActionStore {
  list(userId: UserId, query: ActionQuery): Promise<ActionList>
  /**
   * Stores what is not an exact duplicate (D49) and creates devices, podcasts and episodes not known yet. A history that
   * comes from elsewhere, or that a user has set (`isHistory`), creates no devices, which it may name long after they are gone, and keeps what
   * is repeated in it (D86): that has been decided already. The actions are taken one after the other as they are
   * written, so there is no need for all of them to be in memory.
   */
  applyUpload(
    userId: UserId,
    actions: Iterable<EpisodeAction>,
    context: { at: number; seenUntil: number | undefined; isHistory?: boolean },
  ): Promise<WrittenActions>
}
