import { t } from 'elysia'
import type { EpisodeObject } from '../domain/directory/ports.ts'
import { formatTimestamp } from '../domain/shared/time.ts'
import { episodeLink } from '../formats/podcast-xml.ts'
import { objectSchema } from './shape.ts'

const number = (description: string) => t.Union([t.Integer(), t.Null()], { description })

/** The episode object of docs/protocol.md#episode-object and D21: always all keys. */
export const EpisodeModel = objectSchema({
  title: t.String({ description: 'The media URL while no title is known.' }),
  url: t.String({ description: 'Of the media file.' }),
  podcast_title: t.String(),
  podcast_url: t.String(),
  description: t.String({ description: 'Plain text.' }),
  website: t.String(),
  released: t.String({ description: 'UTC; `""` if unknown.' }),
  mygpo_link: t.String(),
  guid: t.String(),
  duration: number('Seconds; null if unknown.'),
  size: number('Bytes; null if unknown.'),
  mime_type: t.String(),
  image_url: t.String(),
  chapters_url: t.String(),
  transcript_url: t.String(),
})

export function toEpisodeJson(episode: EpisodeObject, base: string): typeof EpisodeModel.static {
  const { url, title, podcastTitle, podcastUrl, description, website, released, guid, duration, size } = episode
  return {
    title: title || url,
    url,
    podcast_title: podcastTitle,
    podcast_url: podcastUrl,
    description,
    website,
    released: released === undefined ? '' : formatTimestamp(released),
    mygpo_link: episodeLink(base, podcastUrl, url),
    guid,
    duration: duration ?? null,
    size: size ?? null,
    mime_type: episode.mimeType,
    image_url: episode.imageUrl,
    chapters_url: episode.chaptersUrl,
    transcript_url: episode.transcriptUrl,
  }
}
