import { boundedChapters, type FeedChapter, type FeedDetails, type FeedEpisode } from '../../domain/feeds/document.ts'
import { parseDate } from './dates/feed-date.ts'
import {
  absoluteUrl,
  chapterStart,
  cut,
  distinctTags,
  isYes,
  languageTag,
  mediaType,
  parseDuration,
  parseSize,
} from './feed-values.ts'
import {
  checkItems,
  type EpisodeDraft,
  firstPlayed,
  type MapOptions,
  type MappedFeed,
  mappedFeed,
  playable,
} from './mapped-feed.ts'
import { sanitise } from './sanitize.ts'
import type { XmlDocument } from './xml-document.ts'
import { attributeOf, childOf, childrenOf, htmlAt, textAt, textOf, wordsAt, wordsOf, type XmlNode } from './xml-tree.ts'

const TITLE_MAX = 500
const GUID_MAX = 1000
/** Elements that are looked at, whatever they say. */
const CHAPTERS_READ = 1000
/** Of an item: the most detailed ones first. */
const NOTES = [
  ...['content:encoded', 'content', 'description', 'itunes:summary', 'summary', 'itunes:subtitle'],
  ...['media:description', 'googleplay:description'],
]
const DATES = ['pubdate', 'published', 'dc:date', 'updated', 'issued', 'created', 'modified']
const TAG_LISTS = ['category', 'itunes:category', 'googleplay:category', 'media:category', 'dc:subject']

/** RSS in all versions, RDF and Atom; undefined for any other root. Pauses after each item. */
export function* mapXmlFeed(
  { name, root, open }: XmlDocument,
  options: MapOptions,
): Generator<undefined, MappedFeed | undefined> {
  const family = familyOf(name, root)
  if (!family) return undefined
  const { channel } = family
  const base = baseOf(channel, baseOf(root, options.url))
  const here: ItemOptions = { ...options, url: base, isExplicit: isExplicit(channel) ?? false }
  checkItems(family.items)
  const drafts: EpisodeDraft[] = []
  for (const item of family.items) {
    drafts.push(...draftOf(() => open(item), here))
    yield
  }
  return mappedFeed(detailsOf(channel, root, base), drafts, options.maxEpisodes)
}

function detailsOf(channel: XmlNode, root: XmlNode, base: string): FeedDetails {
  return {
    title: cut(wordsAt(channel, 'title', 'itunes:title'), TITLE_MAX),
    author: cut(authorOf(channel), TITLE_MAX),
    description: sanitise(
      htmlAt(
        channel,
        'description',
        'itunes:summary',
        'subtitle',
        'tagline',
        'itunes:subtitle',
        'googleplay:description',
      ),
    ),
    website: absoluteUrl(linkOf(channel), base),
    // RDF has the image next to the channel.
    logoUrl: absoluteUrl(imageOf(channel) || imageOf(root), base),
    language: languageOf(channel, root),
    tags: distinctTags(tagsOf(channel)),
    guid: cut(textAt(channel, 'podcast:guid'), GUID_MAX),
    isBlocked: isBlocked(channel),
    isLocked: isYes(textAt(channel, 'podcast:locked')),
    newFeedUrl: absoluteUrl(textAt(channel, 'itunes:new-feed-url'), base),
    selfUrl: absoluteUrl(atomLink(channel, 'self'), base),
    fundingUrl: absoluteUrl(attributeOf(childOf(channel, 'podcast:funding'), 'url'), base),
    ttlSeconds: ttlOf(channel),
  }
}

function familyOf(name: string, root: XmlNode): { items: readonly XmlNode[]; channel: XmlNode } | undefined {
  const [channel] = childrenOf(root, 'channel')
  if (name === 'feed') return { channel: root, items: childrenOf(root, 'entry') }
  if (name === 'rss' || name === 'rdf:rdf' || name === 'rdf') {
    if (!channel) return undefined
    // RDF has its items next to the channel, and so do broken feeds.
    return { channel, items: [...childrenOf(channel, 'item'), ...childrenOf(root, 'item')] }
  }
  return undefined
}

/** An item without a media file is no episode. */
function draftOf(open: () => XmlNode | undefined, { url: above, isExplicit }: ItemOptions): EpisodeDraft[] {
  const item = open()
  if (!item) return []
  const base = baseOf(item, above)
  const media = mediaOf(item)
  const url = media ? absoluteUrl(media.url, base) : ''
  if (!media || url === '') return []
  const released = dateOf(item)
  const guid = cut(textAt(item, 'guid', 'id'), GUID_MAX)
  // Opened again when it is needed, so that it need not be kept.
  return [
    {
      url,
      guid,
      released,
      isBlocked: isBlocked(item),
      finish: () => episodeOf(open() ?? {}, { url, guid, released, media, base, isExplicit }),
    },
  ]
}

interface ItemOptions extends MapOptions {
  /** What the feed says of all its episodes. */
  readonly isExplicit: boolean
}

interface Known {
  readonly url: string
  readonly guid: string
  readonly released: number | undefined
  readonly media: Media
  readonly base: string
  readonly isExplicit: boolean
}

function episodeOf(item: XmlNode, { url, guid, released, media, base, ...feed }: Known): FeedEpisode {
  return {
    url,
    title: cut(wordsAt(item, 'title', 'itunes:title', 'media:title'), TITLE_MAX),
    description: sanitise(htmlAt(item, ...NOTES)),
    website: absoluteUrl(linkOf(item), base),
    released,
    guid,
    duration: parseDuration(textAt(item, 'itunes:duration') || attributeOf(childOf(item, 'media:content'), 'duration')),
    size: parseSize(media.size),
    mimeType: mediaType(media.type),
    imageUrl: absoluteUrl(imageOf(item), base),
    chaptersUrl: absoluteUrl(attributeOf(childOf(item, 'podcast:chapters'), 'url'), base),
    transcriptUrl: absoluteUrl(attributeOf(childOf(item, 'podcast:transcript'), 'url'), base),
    season: seasonOf(item),
    isExplicit: isExplicit(item) ?? feed.isExplicit,
    chapters: chaptersOf(item, base),
  }
}

function seasonOf(item: XmlNode): number | undefined {
  const text = textAt(item, 'itunes:season', 'podcast:season')
  return /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

function isExplicit(node: XmlNode): boolean | undefined {
  const text = textAt(node, 'itunes:explicit', 'googleplay:explicit').toLowerCase()
  return text === '' ? undefined : isYes(text) || text === 'explicit'
}

/** Podlove Simple Chapters, which are in the feed itself. */
function chaptersOf(item: XmlNode, base: string): string {
  const chapters = childrenOf(item, 'psc:chapters')
    .flatMap((list) => childrenOf(list, 'psc:chapter'))
    .slice(0, CHAPTERS_READ)
    .flatMap((node): FeedChapter[] => {
      const start = chapterStart(attributeOf(node, 'start'))
      const title = cut(attributeOf(node, 'title'), TITLE_MAX)
      return start === undefined || title === '' ? [] : [[start, title, absoluteUrl(attributeOf(node, 'href'), base)]]
    })
  return chapters.length === 0 ? '' : JSON.stringify(boundedChapters(chapters))
}

/** `xml:base` tells where relative addresses start from here on. */
function baseOf(node: XmlNode, above: string): string {
  return absoluteUrl(attributeOf(node, 'xml:base'), above) || above
}

function isBlocked(node: XmlNode): boolean {
  const everywhere = childrenOf(node, 'podcast:block').filter((block) => attributeOf(block, 'id') === '')
  return [...childrenOf(node, 'itunes:block', 'googleplay:block'), ...everywhere].some((block) => isYes(textOf(block)))
}

function dateOf(item: XmlNode): number | undefined {
  for (const node of childrenOf(item, ...DATES)) {
    const released = parseDate(textOf(node))
    if (released !== undefined) return released
  }
  return undefined
}

function linkOf(node: XmlNode): string {
  const links = childrenOf(node, 'link')
  const plain = links.map(textOf).find((text) => text !== '')
  if (plain !== undefined) return plain
  const alternate = links.find((link) => ['', 'alternate'].includes(attributeOf(link, 'rel')))
  return attributeOf(alternate, 'href')
}

function atomLink(node: XmlNode, rel: string): string {
  return attributeOf(
    childrenOf(node, 'atom:link', 'atom10:link', 'link').find((link) => attributeOf(link, 'rel') === rel),
    'href',
  )
}

function imageOf(node: XmlNode): string {
  const itunes = attributeOf(childOf(node, 'itunes:image', 'googleplay:image'), 'href')
  if (itunes !== '') return itunes
  const image = childOf(node, 'image')
  return (
    (image && (textAt(image, 'url') || attributeOf(image, 'href') || textOf(image))) ||
    attributeOf(childOf(node, 'media:thumbnail'), 'url') ||
    textAt(node, 'logo', 'icon', 'itunes:image')
  )
}

function authorOf(node: XmlNode): string {
  const named = childrenOf(node, 'author')
    .map((author) => wordsAt(author, 'name'))
    .find((name) => name !== '')
  const owner = childOf(node, 'itunes:owner')
  return (
    wordsAt(node, 'itunes:author', 'googleplay:author') ||
    named ||
    wordsAt(node, 'dc:creator') ||
    wordsAt(node, 'author', 'managingeditor').replace(/^[^\s@]+@\S+\s+\((.+)\)$/, '$1') ||
    (owner ? wordsAt(owner, 'itunes:name') : '') ||
    wordsAt(node, 'podcast:person')
  )
}

function languageOf(channel: XmlNode, root: XmlNode): string {
  const text =
    textAt(channel, 'language', 'dc:language') || attributeOf(channel, 'xml:lang') || attributeOf(root, 'xml:lang')
  return languageTag(text)
}

function tagsOf(channel: XmlNode): string[] {
  const nodes = childrenOf(channel, ...TAG_LISTS)
  const all = [...nodes, ...nodes.flatMap((node) => childrenOf(node, 'itunes:category'))]
  const keywords = wordsAt(channel, 'itunes:keywords', 'media:keywords').split(',')
  return [...all.map((node) => attributeOf(node, 'text') || attributeOf(node, 'term') || wordsOf(node)), ...keywords]
}

const WEEK = 7 * 86_400
const PERIODS: Readonly<Record<string, number>> = {
  hourly: 3600,
  daily: 86_400,
  weekly: WEEK,
  monthly: 30 * 86_400,
  yearly: 365 * 86_400,
}

/** RSS counts in minutes; the syndication module says how often in which period. */
function ttlOf(channel: XmlNode): number | undefined {
  const minutes = countAt(channel, 'ttl')
  const period = PERIODS[textAt(channel, 'sy:updateperiod').toLowerCase()]
  const seconds = minutes === undefined ? (period ?? 0) / (countAt(channel, 'sy:updatefrequency') ?? 1) : minutes * 60
  return seconds >= 1 ? Math.min(Math.floor(seconds), WEEK) : undefined
}

function countAt(node: XmlNode, name: string): number | undefined {
  const text = textAt(node, name)
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

interface Media {
  readonly url: string
  readonly type: string
  readonly size: string
}

/** Of an item. Most have one sound file and nothing else. */
function mediaOf(item: XmlNode): Media | undefined {
  const enclosures = childrenOf(item, 'enclosure').map((node) => ({
    url: attributeOf(node, 'url'),
    type: attributeOf(node, 'type'),
    size: attributeOf(node, 'length'),
  }))
  const all = [...enclosures, ...childrenOf(item, 'enc:enclosure').map(rdfMediaOf)]
  return firstPlayed(all) ?? playable([...all, ...otherMediaOf(item)])
}

/** Of the enclosure module of RSS 1.0, whose attributes have prefixes, or none. */
function rdfMediaOf(node: XmlNode): Media {
  const names = Object.keys(node).map((key) => key.slice(1))
  const of = (wanted: string) => attributeOf(node, names.find((name) => name.split(':').at(-1) === wanted) ?? '')
  return { url: of('resource') || of('url'), type: of('type'), size: of('length') }
}

function otherMediaOf(item: XmlNode): Media[] {
  const links = childrenOf(item, 'link', 'atom:link')
    .filter((node) => attributeOf(node, 'rel') === 'enclosure')
    .map((node) => ({
      url: attributeOf(node, 'href'),
      type: attributeOf(node, 'type'),
      size: attributeOf(node, 'length'),
    }))
  const contents = [
    ...childrenOf(item, 'media:content'),
    ...childrenOf(item, 'media:group').flatMap((group) => childrenOf(group, 'media:content')),
  ]
    .filter((node) => /^(audio|video)/.test(attributeOf(node, 'type') || attributeOf(node, 'medium')))
    .map((node) => ({
      url: attributeOf(node, 'url'),
      type: attributeOf(node, 'type'),
      size: attributeOf(node, 'filesize'),
    }))
  return [...links, ...contents]
}
