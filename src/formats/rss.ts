import type { FeedItem, PrivateFeed } from '../domain/outlets/private-feeds.ts'
import { escapeXml } from './xml-scan.ts'

const TTL = 30

const TYPES: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'video/webm',
}
const DEFAULT_TYPE = 'audio/mpeg'

/** RSS 2.0 with the namespace of iTunes (docs/protocol.md#private-feeds). `modifiedAt` in Unix seconds. */
export function writeRss({ title, items }: PrivateFeed, head: { base: string; modifiedAt: number }): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">',
    '<channel>',
    element('title', title),
    element('link', `${head.base}/`),
    element('description', 'A private feed of your podcasts. Anybody who has its address can read it.'),
    element('lastBuildDate', formatRfc822(head.modifiedAt)),
    element('generator', 'podstep'),
    element('ttl', String(TTL)),
    element('itunes:author', 'podstep'),
    // The feed is for one person: directories that learn of it must not list it.
    element('itunes:block', 'Yes'),
    ...items.map(writeItem),
    '</channel>',
    '</rss>',
    '',
  ].join('\n')
}

function writeItem(item: FeedItem): string {
  const { podcast, url, website, imageUrl, released, duration, mimeType, size, notes } = item
  const image = imageUrl || podcast.logoUrl
  const type = mimeType || typeOf(url)
  return [
    '<item>',
    // Apps do not show the source, and the episodes are of different podcasts.
    element('title', `${podcast.title}: ${item.title}`),
    ...(/^https?:\/\//.test(website) ? [element('link', website)] : []),
    element('description', notes),
    `<enclosure url="${escapeXml(url)}" length="${size ?? 0}" type="${escapeXml(type)}"/>`,
    `<guid isPermaLink="false">${escapeXml(item.id)}</guid>`,
    ...(released === undefined ? [] : [element('pubDate', formatRfc822(released))]),
    ...(duration === undefined ? [] : [element('itunes:duration', String(duration))]),
    ...(image === '' ? [] : [`<itunes:image href="${escapeXml(image)}"/>`]),
    `<source url="${escapeXml(podcast.url)}">${escapeXml(podcast.title)}</source>`,
    '</item>',
  ].join('\n')
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`
}

function typeOf(url: string): string {
  const extension = /\.([a-z0-9]{3,4})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? ''
  return TYPES[extension] ?? DEFAULT_TYPE
}

/** Formats a date with a four-digit year, as RSS 2.0 requires. Dates out of range become the nearest valid one. */
function formatRfc822(seconds: number): string {
  const date = new Date(Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND) * 1000)
  return date.toUTCString().replace('GMT', '+0000')
}

const FIRST_SECOND = -30_610_224_000
const LAST_SECOND = 253_402_300_799
