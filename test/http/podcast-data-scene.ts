import { feedOf, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode, T } from '../store/contract/fixtures.ts'
import { clientOf } from '../support/client.ts'

export const A = 'https://feeds.example/a?x=1&y=2'
export const B = 'https://feeds.example/b'
/** In both feeds, but another episode in each. */
export const FOG = 'https://cdn.example/fog.mp3?x=1&y=2'

export const podcastPath = (url: string) => `/api/2/data/podcast.json?url=${encodeURIComponent(url)}`
export const episodesPath = (url: string) => `/api/2/data/podcast/episodes.json?url=${encodeURIComponent(url)}`
export const episodePath = (feed: string, url: string) =>
  `/api/2/data/episode.json?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`

const NOTES = '<p>Boats &amp; birds</p><ul><li>Gulls</li><li>Fog &lt;3</li></ul>'
export const TEXT = 'Boats & birds\nGulls\nFog <3'

const fog = feedEpisode({
  url: FOG,
  title: 'Fog',
  description: NOTES,
  website: 'https://tidewater.example/fog',
  released: T - 60,
  guid: 'tag:tidewater.example,2025:fog',
  imageUrl: 'https://tidewater.example/fog.png',
  chaptersUrl: 'https://tidewater.example/fog.json',
  transcriptUrl: 'https://tidewater.example/fog.vtt',
})
export const silent = feedEpisode({
  ...{ url: 'https://cdn.example/2', title: '', description: '', guid: '', mimeType: '' },
  ...{ released: undefined, duration: undefined, size: undefined },
})

const emptyDocument = feedDocument({
  ...{ title: '', author: '', description: '', website: '', logoUrl: '', language: '' },
  episodes: [feedEpisode({ url: FOG, title: 'Fog of B' })],
})

/** Ida has feeds A, which says a lot, and B, which says nothing; nothing else is to be had. */
export async function openPodcasts(settings: Record<string, string> = {}) {
  const scene = await openFeedScene([A, B], { settings: { feed_on_demand: 'off', ...settings } })
  const document = feedDocument({ description: NOTES, language: 'en-gb', episodes: [fog, silent] })
  scene.script.answer = async ({ url }) => feedOf('', url === A ? { document } : { document: emptyDocument })
  await scene.runJob()
  return { ...scene, anyone: clientOf(scene.app) }
}
