import type { EpisodeObject } from '../../../domain/directory/ports.ts'
import { htmlToText } from '../../../platform/html-text.ts'
import { fromRow, type Row } from '../core/rows.ts'

export type EpisodeRow = Row<Omit<EpisodeObject, 'isExplicit'>> & { readonly isExplicit: number }

/** The columns of an `EpisodeRow`, for a query that names the episode `e`, its details `ed`, its podcast `p` and the podcast's details `pd`. */
export const EPISODE_COLUMNS = `e.url, ed.title, IFNULL(NULLIF(pd.title, ''), p.url) AS podcastTitle, p.url AS podcastUrl, ed.description, ed.website,
  ed.released, ed.guid, ed.duration, ed.size, ed.mime_type AS mimeType, ed.image_url AS imageUrl,
  ed.chapters_url AS chaptersUrl, ed.transcript_url AS transcriptUrl,
  ed.chapters, ed.season, ed.is_explicit AS isExplicit`

export function toEpisodeObject(row: EpisodeRow): EpisodeObject {
  const { isExplicit, ...rest } = row
  const description = htmlToText(row.description)
  return { ...fromRow<Omit<EpisodeObject, 'isExplicit'>>(rest), description, isExplicit: isExplicit === 1 }
}
