import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import type { Sql } from '../../engine.ts'
import { kindOf } from './action-kinds.ts'
import { SHOWN_GUID, SHOWN_PODCAST } from './joined-episodes.ts'

export interface ActionRow {
  readonly id: number
  readonly at: number
  readonly podcast: string
  readonly url: string
  readonly guid: string | null
  readonly kind: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

/** Columns that decide whether and where an action is in an answer. The rest are read when they are sent. */
export interface KeyRow {
  readonly id: number
  readonly at: number
  readonly userEpisodeId: number
  readonly kind: number
  readonly deviceId: number
}

/** All numeric columns of an action. The rows they refer to are read for many actions at once. */
export interface NumberRow extends KeyRow {
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

export interface EpisodeRow {
  readonly id: number
  readonly guid: string | null
  readonly url: string
  readonly podcastId: number
}

/**
 * SQL: the first row of `select`, which reads from `linked`: the last `max` actions of the lists whose last actions are
 * in the JSON array `?1`. By default the newest action `a` comes first.
 */
export function oneOfLinked(max: number, select: string, order?: string): Sql {
  return {
    // The recursion returns the newest action first, so SQLite stops at the first row.
    sqlite: `WITH RECURSIVE linked (id) AS (
       SELECT CAST(value AS INTEGER) FROM json_each(?1) UNION ALL
       SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
        WHERE a.previous_id IS NOT NULL
        ORDER BY 1 DESC LIMIT ${max}) ${select} ${order ?? ''} LIMIT 1`,
    postgres: `WITH RECURSIVE lists (id, n) AS (
       SELECT CAST(value AS INTEGER), 1 FROM json_each(?1) UNION ALL
       SELECT a.previous_id, lists.n + 1 FROM lists CROSS JOIN episode_actions a ON a.id = lists.id
        WHERE a.previous_id IS NOT NULL AND lists.n < ${max}),
     linked AS (SELECT id FROM lists ORDER BY id DESC LIMIT ${max}) ${select} ${order ?? 'ORDER BY a.id DESC'} LIMIT 1`,
  }
}

/** SQL: the columns of an `ActionRow`, for actions `a`, episodes `e` and devices `d`. */
export const COLUMNS = `a.id, a.at, ${SHOWN_PODCAST} AS podcast, e.url, ${SHOWN_GUID} AS guid, a.kind, d.uid AS device, a.started, a.position, a.total`

export function rowToAction(row: ActionRow): EpisodeAction {
  return toAction(row, row.podcast, row, row.device)
}

export function toAction(
  { kind, at, started, position, total }: Omit<NumberRow, keyof KeyRow> & Pick<KeyRow, 'kind' | 'at'>,
  podcast: string,
  episode: Pick<EpisodeRow, 'url' | 'guid'>,
  device: string | undefined,
): EpisodeAction {
  return {
    podcast,
    episode: episode.url,
    kind: kindOf(kind),
    at,
    device: device || undefined,
    guid: episode.guid ?? undefined,
    started: started ?? undefined,
    position: position ?? undefined,
    total: total ?? undefined,
  }
}
