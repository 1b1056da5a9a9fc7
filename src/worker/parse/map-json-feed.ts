import type { FeedDetails, FeedEpisode } from '../../domain/feeds/document.ts'
import { isRecord } from '../../platform/unknown.ts'
import { parseDate } from './dates/feed-date.ts'
import {
  absoluteUrl,
  cut,
  escapeText,
  languageTag,
  mediaType,
  parseDuration,
  parseSize,
  personName,
  withoutControls,
} from './feed-values.ts'
import { checkItems, type EpisodeDraft, type MapOptions, type MappedFeed, mappedFeed } from './mapped-feed.ts'
import { playedFile, typeOfMedia } from './media/media-file.ts'
import { sanitise } from './sanitize.ts'

type Json = Readonly<Record<string, unknown>>

/** JSON Feed 1.0 and 1.1; undefined for any other JSON. */
export function mapJsonFeed(feed: unknown, options: MapOptions): MappedFeed | undefined {
  if (!isRecord(feed) || !textOf(feed, 'version').includes('jsonfeed.org/version/')) return undefined
  const items = listOf(feed, 'items')
  checkItems(items)
  const drafts = items.flatMap((item) => draftOf(item, options))
  const nextUrl = absoluteUrl(textOf(feed, 'next_url'), options.url)
  return mappedFeed({ details: detailsOf(feed, options.url), nextUrl, drafts }, options)
}

function detailsOf(feed: Json, base: string): FeedDetails {
  const url = (key: string) => absoluteUrl(textOf(feed, key), base)
  return {
    title: cut(textOf(feed, 'title'), 500),
    author: cut(personName(authorOf(feed)), 500),
    description: sanitise(escapeText(textOf(feed, 'description'))),
    website: url('home_page_url'),
    logoUrl: url('icon') || url('favicon'),
    language: languageTag(textOf(feed, 'language')),
    tags: [],
    guid: '',
    isBlocked: false,
    isLocked: false,
    newFeedUrl: '',
    selfUrl: url('feed_url'),
    fundingUrl: '',
    ttlSeconds: undefined,
  }
}

interface Attachment {
  readonly url: string
  readonly type: string
  readonly size: string
  readonly duration: string
}

function draftOf(item: Json, { url: base }: MapOptions): EpisodeDraft[] {
  const media = playedFile(listOf(item, 'attachments').map(attachmentOf))
  const url = media ? absoluteUrl(media.url, base) : ''
  if (!media || url === '') return []
  const released = parseDate(textOf(item, 'date_published')) ?? parseDate(textOf(item, 'date_modified'))
  const guid = cut(textOf(item, 'id'), 1000)
  return [
    { url, guid, released, isBlocked: false, finish: () => episodeOf(item, { url, guid, released, media, base }) },
  ]
}

interface Known {
  readonly url: string
  readonly guid: string
  readonly released: number | undefined
  readonly media: Attachment
  readonly base: string
}

function attachmentOf(node: Json): Attachment {
  return {
    url: textOf(node, 'url'),
    type: textOf(node, 'mime_type'),
    size: textOf(node, 'size_in_bytes'),
    duration: textOf(node, 'duration_in_seconds'),
  }
}

function episodeOf(item: Json, { url, guid, released, media, base }: Known): FeedEpisode {
  const html = textOf(item, 'content_html') || escapeText(textOf(item, 'content_text') || textOf(item, 'summary'))
  return {
    url,
    title: cut(textOf(item, 'title'), 500),
    description: sanitise(html, base),
    website: absoluteUrl(textOf(item, 'url'), base) || absoluteUrl(textOf(item, 'external_url'), base),
    released,
    guid,
    duration: parseDuration(media.duration),
    size: parseSize(media.size),
    mimeType: mediaType(typeOfMedia(media)),
    imageUrl: absoluteUrl(textOf(item, 'image') || textOf(item, 'banner_image'), base),
    chaptersUrl: '',
    transcriptUrl: '',
    transcriptType: '',
    season: undefined,
    number: undefined,
    isExplicit: false,
    chapters: '',
  }
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
  return typeof value === 'string' || typeof value === 'number' ? withoutControls(String(value)).trim() : ''
}

function listOf(node: Json, key: string): Json[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isRecord) : []
}
