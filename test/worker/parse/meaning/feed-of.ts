import type { FeedEpisode } from '../../../../src/domain/feeds/document.ts'
import { type FeedDocument, readFeed } from '../../../support/feed-document.ts'

const NAMESPACES = [
  'xmlns:a10="http://www.w3.org/2005/Atom" xmlns:atom="http://www.w3.org/2005/Atom"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dc10="http://purl.org/dc/elements/1.0/"',
  'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:psc="http://podlove.org/simple-chapters"',
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"',
  'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"',
].join(' ')

export const BASE = 'https://feeds.example/show/feed.xml'
export const MEDIA = 'https://media.example/one.mp3'
export const ENCLOSURE = `<enclosure url="${MEDIA}" type="audio/mpeg"/>`

export function feedOf(text: string): FeedDocument {
  const { outline, episodes } = readFeed(text, { url: BASE, maxEpisodes: 100 })
  return { ...outline, episodes: [...episodes('newest first')] }
}

export const rssOf = (channel: string) => feedOf(`<rss version="2.0" ${NAMESPACES}><channel>${channel}</channel></rss>`)

/** The episode of this item, if it has a media file. */
export const itemOf = (item: string): FeedEpisode | undefined => rssOf(`<item>${item}</item>`).episodes[0]

/** The episode of this item, to which a media file is added. */
export function episodeOf(item: string): FeedEpisode {
  const episode = itemOf(item + ENCLOSURE)
  if (!episode) throw new Error('the item is no episode')
  return episode
}

/** The episode of this JSON Feed item, if it has a media file. */
export function jsonItemOf(item: Readonly<Record<string, unknown>>): FeedEpisode | undefined {
  return feedOf(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Harbour', items: [item] }))
    .episodes[0]
}

export function secondsOf(time: string): number {
  return Date.parse(`${time}Z`) / 1000
}
