import { t } from 'elysia'
import type { EpisodeObject } from '../../../domain/directory/ports.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { episodeLink } from '../../../formats/podcast-xml.ts'
import { objectSchema } from '../shared/schema.ts'

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

/** Invented, as all hosts under `.example` are. */
export const EPISODE_EXAMPLE: typeof EpisodeModel.static = {
  title: 'Fog',
  url: 'https://cdn.tidewater.example/fog.mp3',
  podcast_title: 'Harbour Talk',
  podcast_url: 'https://feeds.tidewater.example/harbour.xml',
  description: 'What the horn says.',
  website: 'https://tidewater.example/harbour/fog',
  released: '2025-03-02T06:00:00',
  mygpo_link:
    'https://pods.example/episode?podcast=https%3A%2F%2Ffeeds.tidewater.example%2Fharbour.xml&url=https%3A%2F%2Fcdn.tidewater.example%2Ffog.mp3',
  guid: 'tag:tidewater.example,2025:fog',
  duration: 1830,
  size: 29_300_000,
  mime_type: 'audio/mpeg',
  image_url: '',
  chapters_url: '',
  transcript_url: '',
}
