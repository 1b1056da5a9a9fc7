import type { EpisodeObject } from '../../domain/directory/ports/podcasts.ts'
import { htmlToText } from '../../platform/html-text.ts'
import { fromRow, type Row } from '../shared/rows.ts'

type Flags = 'isExplicit' | 'hasPicture'

export type EpisodeRow = Row<Omit<EpisodeObject, Flags>> & { readonly [F in Flags]: number }

/** SQL: whether an episode has a picture of its own, for `ed` and `pd`; 0 if unknown. */
export const HAS_PICTURE = `(ed.image_url <> '' AND ed.image_url <> IFNULL(pd.logo_url, '')) IS TRUE`

export const EPISODE_COLUMNS = `e.url, ed.title, IFNULL(NULLIF(pd.title, ''), p.url) AS podcastTitle, p.url AS podcastUrl, ed.description, ed.website,
  ed.released, ed.guid, ed.duration, ed.size, ed.mime_type AS mimeType, ed.image_url AS imageUrl,
  ed.chapters_url AS chaptersUrl, ed.transcript_url AS transcriptUrl, ed.transcript_type AS transcriptType,
  ed.chapters, ed.season, ed.number, ed.is_explicit AS isExplicit, ${HAS_PICTURE} AS hasPicture`

export function toEpisodeObject(row: EpisodeRow): EpisodeObject {
  const { isExplicit, hasPicture, ...rest } = row
  return {
    ...fromRow<Omit<EpisodeObject, Flags>>(rest),
    description: htmlToText(row.description),
    isExplicit: isExplicit === 1,
    hasPicture: hasPicture === 1,
  }
}
