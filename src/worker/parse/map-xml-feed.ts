import {
  boundedChapters,
  type FeedChapter,
  type FeedDetails,
  type FeedEpisode,
  NotAFeed,
} from '../../domain/feeds/document.ts'
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
  personName,
} from './feed-values.ts'
import { checkItems, type EpisodeDraft, type MapOptions, type MappedFeed, mappedFeed } from './mapped-feed.ts'
import { isPlayedName, typeOfMedia } from './media/media-file.ts'
import { transcriptOf } from './media/transcripts.ts'
import { mediaOf, mediaScopes, picturesOf, type XmlMedia } from './media/xml-media.ts'
import { sanitise } from './sanitize.ts'
import type { XmlDocument } from './xml-document.ts'
import {
  attributeOf,
  baseOf,
  childOf,
  childrenOf,
  htmlOf,
  textAt,
  textOf,
  wordsAt,
  wordsOf,
  type XmlNode,
} from './xml-tree.ts'

const TITLE_MAX = 500
const GUID_MAX = 1000
const CHAPTERS_READ = 1000
const ITEM_TITLES = ['title', 'itunes:title', 'media:title', 'dc:title', 'atom:title', 'googleplay:title']
const NOTES = [
  ...['content:encoded', 'content', 'description', 'itunes:summary', 'summary', 'itunes:subtitle'],
  ...['atom:content', 'atom:summary', 'dc:description', 'media:description', 'googleplay:description'],
]
const DESCRIPTIONS = [
  ...['description', 'itunes:summary', 'subtitle', 'tagline', 'itunes:subtitle', 'googleplay:description'],
  ...['atom:subtitle', 'atom:tagline', 'dc:description', 'media:description', 'atom:summary'],
]
const DATES = [
  ...['pubdate', 'published', 'atom:published', 'dc:date', 'issued', 'atom:issued', 'dc:issued', 'dc:available'],
  ...['created', 'atom:created', 'dc:created', 'updated', 'atom:updated', 'modified', 'atom:modified', 'dc:modified'],
]
const TAG_LISTS = ['category', 'itunes:category', 'googleplay:category', 'media:category', 'dc:subject']

/** Maps RSS in all versions, RDF and Atom; `undefined` for any other root. Yields after each item. */
export function* mapXmlFeed(
  { name, root, open }: XmlDocument,
  options: MapOptions,
): Generator<undefined, MappedFeed | undefined> {
  const family = familyOf(name, root)
  if (!family) return noFeed(root, options.url)
  const { channel } = family
  const base = baseOf(channel, baseOf(root, options.url))
  const language = languageOf(channel, root)
  const here: ItemOptions = { ...options, url: base, isExplicit: isExplicit(channel) ?? false, language }
  checkItems(family.items)
  const drafts: EpisodeDraft[] = []
  for (const item of family.items) {
    drafts.push(...draftOf(() => open(item), here))
    yield
  }
  const nextUrl = absoluteUrl(atomLink(channel, 'next'), base)
  return mappedFeed({ details: detailsOf(channel, root, base), nextUrl, drafts }, options)
}

/** Throws `NotAFeed` with the new address if the document announces a move; it is offered like a feed in a web page. */
function noFeed(root: XmlNode, base: string): undefined {
  const url = absoluteUrl(redirectOf(root), base)
  if (url !== '') throw new NotAFeed(`the feed has moved to ${cut(url, 200)}`, [{ url, title: '' }], url)
}

function detailsOf(channel: XmlNode, root: XmlNode, base: string): FeedDetails {
  return {
    title: cut(wordsAt(channel, 'title', 'itunes:title', 'dc:title', 'atom:title', 'media:title'), TITLE_MAX),
    author: cut(authorOf(channel), TITLE_MAX),
    description: notesAt(channel, base, DESCRIPTIONS),
    website: websiteOf(channel, base),
    // In RDF, the image is a sibling of the channel.
    logoUrl: firstUrl([...picturesOf(channel), ...picturesOf(root)], base),
    language: languageOf(channel, root),
    tags: distinctTags(tagsOf(channel)),
    guid: cut(textAt(channel, 'podcast:guid'), GUID_MAX),
    isBlocked: isBlocked(channel),
    isLocked: isYes(textAt(channel, 'podcast:locked')),
    newFeedUrl: absoluteUrl(textAt(channel, 'itunes:new-feed-url') || redirectOf(root), base),
    selfUrl: absoluteUrl(atomLink(channel, 'self'), base),
    fundingUrl: absoluteUrl(
      attributeOf(childOf(channel, 'podcast:funding'), 'url') || atomLink(channel, 'payment'),
      base,
    ),
    ttlSeconds: ttlOf(channel),
  }
}

function familyOf(name: string, root: XmlNode): { items: readonly XmlNode[]; channel: XmlNode } | undefined {
  const [channel] = childrenOf(root, 'channel')
  if (name === 'feed') return { channel: root, items: childrenOf(root, 'entry') }
  if (name === 'rss' || name === 'rdf:rdf' || name === 'rdf') {
    if (!channel) return undefined
    // In RDF and in some broken feeds, items are siblings of the channel.
    return { channel, items: [...childrenOf(channel, 'item'), ...childrenOf(root, 'item')] }
  }
  return undefined
}

function draftOf(open: () => XmlNode | undefined, { url: above, isExplicit, language }: ItemOptions): EpisodeDraft[] {
  const item = open()
  if (!item) return []
  const base = baseOf(item, above)
  const media = mediaOf(item, base)
  const url = media ? absoluteUrl(media.url, base) : ''
  if (!media || url === '') return []
  const released = dateOf(item)
  const guid = cut(textAt(item, 'guid', 'id', 'atom:id') || rdfAbout(item), GUID_MAX)
  // `finish` opens the item again, so that it need not be kept.
  return [
    {
      url,
      guid,
      released,
      isBlocked: isBlocked(item),
      finish: () => episodeOf(open() ?? {}, { url, guid, released, media, base, isExplicit, language }),
    },
  ]
}

interface ItemOptions extends MapOptions {
  readonly isExplicit: boolean
  readonly language: string
}

interface Known {
  readonly url: string
  readonly guid: string
  readonly released: number | undefined
  readonly media: XmlMedia
  readonly base: string
  readonly isExplicit: boolean
  readonly language: string
}

function episodeOf(item: XmlNode, { url, guid, released, media, base, ...feed }: Known): FeedEpisode {
  const scopes = mediaScopes(item)
  return {
    url,
    title: cut(
      firstOf([item, ...scopes], (node) => wordsAt(node, ...ITEM_TITLES)),
      TITLE_MAX,
    ),
    description: firstOf([item, ...scopes], (node) => notesAt(node, base, NOTES)),
    website: websiteOf(item, base) || permalinkOf(item, url),
    released,
    guid,
    duration: durationOf(item, media, scopes),
    size: parseSize(media.size),
    mimeType: mediaType(typeOfMedia(media)),
    imageUrl: firstUrl(picturesOf(item), base),
    chaptersUrl: absoluteUrl(attributeOf(childOf(item, 'podcast:chapters'), 'url'), base),
    ...transcriptOf(item, base, feed.language),
    season: ordinalAt(item, 'itunes:season', 'podcast:season'),
    number: ordinalAt(item, 'itunes:episode', 'podcast:episode'),
    isExplicit: isExplicit(item) ?? feed.isExplicit,
    chapters: chaptersOf(item, base),
  }
}

function firstOf(nodes: readonly XmlNode[], read: (node: XmlNode) => string): string {
  for (const node of nodes) {
    const text = read(node)
    if (text !== '') return text
  }
  return ''
}

function firstUrl(texts: readonly string[], base: string): string {
  for (const text of texts) {
    const url = absoluteUrl(text, base)
    if (url !== '') return url
  }
  return ''
}

function durationOf(item: XmlNode, media: XmlMedia, scopes: readonly XmlNode[]): number | undefined {
  const duration = parseDuration(textAt(item, 'itunes:duration')) ?? parseDuration(media.duration)
  if (duration !== undefined) return duration
  return scopes.map((scope) => parseDuration(attributeOf(scope, 'duration'))).find(Boolean)
}

/** Number of a season or an episode. */
function ordinalAt(item: XmlNode, ...names: readonly string[]): number | undefined {
  const text = textAt(item, ...names)
  return /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

function isExplicit(node: XmlNode): boolean | undefined {
  const text = textAt(node, 'itunes:explicit', 'googleplay:explicit').toLowerCase()
  return text === '' ? undefined : isYes(text) || text === 'explicit'
}

function chaptersOf(item: XmlNode, base: string): string {
  // An item has one list of chapters; a second one would repeat it.
  const chapters = childrenOf(childOf(item, 'psc:chapters') ?? {}, 'psc:chapter')
    .slice(0, CHAPTERS_READ)
    .flatMap((node): FeedChapter[] => {
      const start = chapterStart(attributeOf(node, 'start'))
      const title = cut(attributeOf(node, 'title'), TITLE_MAX)
      if (start === undefined || title === '') return []
      const picture = absoluteUrl(attributeOf(node, 'image'), base)
      const chapter = [start, title, absoluteUrl(attributeOf(node, 'href'), base)] as const
      return [picture === '' ? chapter : [...chapter, picture]]
    })
  return chapters.length === 0 ? '' : JSON.stringify(boundedChapters(chapters))
}

const XHTML_BASE = /^<[a-z]\w*\b[^<>]*\sxml:base\s*=\s*["']([^"'<>]*)["']/i

function notesAt(node: XmlNode, base: string, names: readonly string[]): string {
  for (const child of childrenOf(node, ...names)) {
    const html = htmlOf(child)
    if (html === '') continue
    const outer = baseOf(child, base)
    return sanitise(html, absoluteUrl(XHTML_BASE.exec(html)?.[1] ?? '', outer) || outer)
  }
  return ''
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

function websiteOf(node: XmlNode, base: string): string {
  const links = childrenOf(node, 'link', 'atom:link').filter(isPage)
  const addresses = (read: (link: XmlNode) => string) =>
    links.map((link) => absoluteUrl(read(link), baseOf(link, base)))
  return firstUrl([...addresses(textOf), ...addresses((link) => attributeOf(link, 'href'))], base)
}

function isPage(link: XmlNode): boolean {
  const rel = attributeOf(link, 'rel').toLowerCase()
  return (rel === '' || rel === 'alternate') && !/rss|atom|json/i.test(attributeOf(link, 'type'))
}

/** In RSS, a guid is a URL unless marked otherwise. The URL of the media file does not count as a page. */
function permalinkOf(item: XmlNode, mediaUrl: string): string {
  const guid = childrenOf(item, 'guid').find((node) => textOf(node) !== '')
  if (!guid || /^(?:false|no|0)$/i.test(attributeOf(guid, 'ispermalink'))) return ''
  const text = textOf(guid)
  const url = /^https?:\/\//i.test(text) ? absoluteUrl(text, '') : ''
  return url === mediaUrl || isPlayedName(url) ? '' : url
}

/** ID of an item in RSS 1.0, which is an attribute. */
function rdfAbout(item: XmlNode): string {
  const key = Object.keys(item).find((each) => each === '@about' || (each.startsWith('@') && each.endsWith(':about')))
  return key === undefined ? '' : attributeOf(item, key.slice(1))
}

function redirectOf(root: XmlNode): string {
  return textAt(childOf(root, 'redirect') ?? {}, 'newlocation')
}

function atomLink(node: XmlNode, rel: string): string {
  return attributeOf(
    childrenOf(node, 'atom:link', 'link').find((link) => attributeOf(link, 'rel').toLowerCase() === rel),
    'href',
  )
}

function authorOf(node: XmlNode): string {
  return personName(authorText(node))
}

function authorText(node: XmlNode): string {
  const named = childrenOf(node, 'author', 'atom:author')
    .map((author) => wordsAt(author, 'name', 'atom:name'))
    .find((name) => name !== '')
  const owner = childOf(node, 'itunes:owner')
  return (
    wordsAt(node, 'itunes:author', 'googleplay:author') ||
    named ||
    wordsAt(node, 'dc:creator', 'dc:author') ||
    wordsAt(node, 'author', 'managingeditor') ||
    (owner ? wordsAt(owner, 'itunes:name') : '') ||
    wordsAt(node, 'podcast:person', 'dc:publisher')
  )
}

function languageOf(channel: XmlNode, root: XmlNode): string {
  const text =
    textAt(channel, 'language', 'dc:language') || attributeOf(channel, 'xml:lang') || attributeOf(root, 'xml:lang')
  return languageTag(text)
}

function tagsOf(channel: XmlNode): string[] {
  const nodes = childrenOf(channel, ...TAG_LISTS)
  const subcategoriesOf = (categories: readonly XmlNode[]) =>
    categories.flatMap((node) => childrenOf(node, 'itunes:category'))
  const second = subcategoriesOf(nodes)
  const all = [...nodes, ...second, ...subcategoriesOf(second)]
  const keywords = wordsAt(channel, 'itunes:keywords', 'media:keywords').split(',')
  return [...all.map(tagOf), ...keywords]
}

function tagOf(node: XmlNode): string {
  return attributeOf(node, 'text') || attributeOf(node, 'label') || attributeOf(node, 'term') || wordsOf(node)
}

const WEEK = 7 * 86_400
const PERIODS: Readonly<Record<string, number>> = {
  hourly: 3600,
  daily: 86_400,
  weekly: WEEK,
  monthly: 30 * 86_400,
  yearly: 365 * 86_400,
}

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
