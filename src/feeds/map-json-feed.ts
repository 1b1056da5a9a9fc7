import type { FeedDocument, FeedEpisode } from '../domain/feed-document.ts'
import { absoluteUrl, cut, parseDate, parseSize } from './feed-values.ts'
import { type MapOptions, newestFirst } from './map-xml-feed.ts'
import { sanitise } from './sanitise.ts'

type Json = Readonly<Record<string, unknown>>

/** JSON Feed 1.0 and 1.1; undefined for any other JSON. */
export function mapJsonFeed(feed: unknown, options: MapOptions): FeedDocument | undefined {
  if (!isRecord(feed) || !textOf(feed, 'version').includes('jsonfeed.org/version/')) return undefined
  const url = (key: string) => absoluteUrl(textOf(feed, key), options.url)
  return {
    title: cut(textOf(feed, 'title'), 500),
    author: cut(authorOf(feed), 500),
    description: sanitise(escapeText(textOf(feed, 'description'))),
    website: url('home_page_url'),
    logoUrl: url('icon') || url('favicon'),
    language: textOf(feed, 'language').toLowerCase(),
    tags: [],
    guid: '',
    isBlocked: false,
    isLocked: false,
    newFeedUrl: '',
    selfUrl: url('feed_url'),
    fundingUrl: '',
    ttlSeconds: undefined,
    episodes: newestFirst(listOf(feed, 'items').flatMap((item) => episodeOf(item, options)))
      .slice(0, options.maxEpisodes)
      .map((episode) => ({ ...episode, description: sanitise(episode.description) })),
  }
}

function episodeOf(item: Json, { url: base, now }: MapOptions): FeedEpisode[] {
  const media = listOf(item, 'attachments').find((each) => !textOf(each, 'mime_type').startsWith('image/'))
  const url = media ? absoluteUrl(textOf(media, 'url'), base) : ''
  if (!media || url === '') return []
  const duration = Math.floor(Number(media['duration_in_seconds']))
  return [
    {
      url,
      title: cut(textOf(item, 'title'), 500),
      description: textOf(item, 'content_html') || escapeText(textOf(item, 'content_text') || textOf(item, 'summary')),
      website: absoluteUrl(textOf(item, 'url'), base),
      released: parseDate(textOf(item, 'date_published'), now),
      guid: cut(textOf(item, 'id'), 1000),
      duration: duration > 0 ? duration : undefined,
      size: parseSize(String(media['size_in_bytes'] ?? '')),
      mimeType: textOf(media, 'mime_type'),
      imageUrl: absoluteUrl(textOf(item, 'image') || textOf(item, 'banner_image'), base),
      chaptersUrl: '',
      transcriptUrl: '',
    },
  ]
}

function authorOf(feed: Json): string {
  const author = feed['author']
  return (
    listOf(feed, 'authors')
      .map((each) => textOf(each, 'name'))
      .find((name) => name !== '') ?? (isRecord(author) ? textOf(author, 'name') : '')
  )
}

function textOf(node: Json, key: string): string {
  const value = node[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
}

function listOf(node: Json, key: string): Json[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Text, where HTML is wanted. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
