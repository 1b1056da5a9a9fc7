import type { ListedEpisode } from '../../domain/directory/ports/inbox.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../domain/sync/ports/episode-actions.ts'
import type { Database } from '../engine.ts'
import { PODCAST_DETAILS, provisionalTitleOf } from '../sync/podcast-rows.ts'
import { HAS_PICTURE } from './episode-rows.ts'

export interface ListedRow {
  readonly podcast: string
  readonly podcastTitle: string | null
  readonly logoUrl: string | null
  readonly url: string
  readonly title: string | null
  readonly website: string | null
  readonly guid: string | null
  readonly imageUrl: string | null
  readonly hasPicture: number
  readonly released: number | null
  readonly duration: number | null
}

/** SQL: whether user `?1` may see the details of the podcast `p` (docs/protocol.md#D56). */
export const IS_VISIBLE = `(p.is_private = 0 OR EXISTS (
    SELECT 1 FROM listeners l WHERE l.user_id = +?1 AND l.podcast_id = p.id AND l.devices > 0))`

export const LISTED_COLUMNS = `p.url AS podcast, COALESCE(NULLIF(pd.title, ''), ${provisionalTitleOf('+?1')}) AS podcastTitle,
  pd.logo_url AS logoUrl, e.url, ed.title, ed.website, ed.guid, ed.image_url AS imageUrl, ${HAS_PICTURE} AS hasPicture, ed.released, ed.duration`

export const LISTED_JOINS = `${PODCAST_DETAILS} AND ${IS_VISIBLE}
  LEFT JOIN episode_details ed ON ed.episode_id = e.id AND ${IS_VISIBLE}`

type NumberedRow = ListedRow & { readonly episodeId: number }

/** Reads episodes by their numbers, in this order. */
export function prepareListedRows(db: Database): (userId: UserId, ids: readonly number[]) => NumberedRow[] {
  const listed = db.prepare<NumberedRow, [UserId, string]>(
    `SELECT CAST(j.value AS INTEGER) AS episodeId, ${LISTED_COLUMNS}
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = CAST(j.value AS INTEGER) CROSS JOIN podcasts p ON p.id = e.podcast_id
       ${LISTED_JOINS} ORDER BY j.key`,
  )
  return (userId, ids) => listed.all(userId, JSON.stringify(ids))
}

export function toListedEpisode(row: ListedRow, action: EpisodeAction | undefined): ListedEpisode {
  const { podcast, podcastTitle, logoUrl, url, title, website, guid, imageUrl, hasPicture, released, duration } = row
  return {
    podcast: { url: podcast, title: podcastTitle || podcast, logoUrl: logoUrl ?? '' },
    url,
    title: title || url,
    website: website ?? '',
    guid: guid ?? '',
    imageUrl: imageUrl ?? '',
    hasPicture: hasPicture === 1,
    released: released ?? undefined,
    duration: duration ?? undefined,
    action,
  }
}
