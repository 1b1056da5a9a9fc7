import type { EpisodeModel } from './episode-json.ts'

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
