import type { FeedDocument, FeedEpisode } from '../domain/feed-document.ts'
import { absoluteUrl, cut, distinctTags, isYes, parseDate, parseDuration, parseSize } from './feed-values.ts'
import { sanitise } from './sanitise.ts'
import { attributeOf, childOf, childrenOf, htmlAt, textAt, textOf, type XmlNode } from './xml-tree.ts'

/** Where things are in one family of formats. */
interface Family {
  readonly items: readonly XmlNode[]
  readonly channel: XmlNode
}

export interface MapOptions {
  /** Of the feed; relative addresses start there. */
  readonly url: string
  readonly maxEpisodes: number
  /** Unix seconds; no episode is from the future. */
  readonly now: number
}

const TITLE_MAX = 500
const TAG_LISTS = ['category', 'itunes:category', 'googleplay:category', 'media:category', 'dc:subject']

/** RSS in all versions, RDF and Atom; undefined for any other root. */
export function mapXmlFeed(name: string, root: XmlNode, options: MapOptions): FeedDocument | undefined {
  const family = familyOf(name, root)
  if (!family) return undefined
  const { channel } = family
  const website = absoluteUrl(linkOf(channel), options.url)
  return {
    title: cut(textAt(channel, 'title', 'itunes:title'), TITLE_MAX),
    author: cut(authorOf(channel), TITLE_MAX),
    description: sanitise(
      htmlAt(channel, 'description', 'itunes:summary', 'subtitle', 'itunes:subtitle', 'googleplay:description'),
    ),
    website,
    logoUrl: absoluteUrl(imageOf(channel), options.url),
    language: languageOf(channel, root),
    tags: distinctTags(tagsOf(channel)),
    guid: textAt(channel, 'podcast:guid'),
    isBlocked: ['itunes:block', 'googleplay:block'].some((each) => isYes(textAt(channel, each))),
    isLocked: isYes(textAt(channel, 'podcast:locked')),
    newFeedUrl: absoluteUrl(textAt(channel, 'itunes:new-feed-url'), options.url),
    selfUrl: absoluteUrl(atomLink(channel, 'self'), options.url),
    fundingUrl: absoluteUrl(attributeOf(childOf(channel, 'podcast:funding'), 'url'), options.url),
    ttlSeconds: ttlOf(channel),
    episodes: newestFirst(family.items.flatMap((item) => episodeOf(item, options)))
      .slice(0, options.maxEpisodes)
      .map(finish),
  }
}

function familyOf(name: string, root: XmlNode): Family | undefined {
  const [channel] = childrenOf(root, 'channel')
  if (name === 'rss' || name === 'rdf:rdf' || name === 'rdf') {
    if (!channel) return undefined
    // RDF has its items beside the channel, and broken feeds too.
    return { channel, items: [...childrenOf(channel, 'item'), ...childrenOf(root, 'item')] }
  }
  return name === 'feed' || name === 'atom:feed' ? { channel: root, items: childrenOf(root, 'entry') } : undefined
}

/** An item without a media file is no episode. Its description is sanitised later, if it is kept. */
function episodeOf(item: XmlNode, { url: base, now }: MapOptions): FeedEpisode[] {
  const media = mediaOf(item)
  const url = absoluteUrl(media.url, base)
  if (url === '') return []
  const dates = ['pubdate', 'published', 'dc:date', 'updated', 'issued', 'created']
  return [
    {
      url,
      title: cut(textAt(item, 'title', 'itunes:title', 'media:title'), TITLE_MAX),
      description: htmlAt(
        item,
        'content:encoded',
        'content',
        'description',
        'itunes:summary',
        'summary',
        'itunes:subtitle',
      ),
      website: absoluteUrl(linkOf(item), base),
      released: parseDate(textAt(item, ...dates), now),
      guid: cut(textAt(item, 'guid', 'id'), 1000),
      duration: parseDuration(
        textAt(item, 'itunes:duration') || attributeOf(childOf(item, 'media:content'), 'duration'),
      ),
      size: parseSize(media.size),
      mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(media.type) ? media.type.toLowerCase() : '',
      imageUrl: absoluteUrl(imageOf(item), base),
      chaptersUrl: absoluteUrl(attributeOf(childOf(item, 'podcast:chapters'), 'url'), base),
      transcriptUrl: absoluteUrl(attributeOf(childOf(item, 'podcast:transcript'), 'url'), base),
    },
  ]
}

function finish(episode: FeedEpisode): FeedEpisode {
  return { ...episode, description: sanitise(episode.description) }
}

interface Media {
  readonly url: string
  readonly type: string
  readonly size: string
}

function mediaOf(item: XmlNode): Media {
  const enclosures = childrenOf(item, 'enclosure').map((node) => ({
    url: attributeOf(node, 'url'),
    type: attributeOf(node, 'type'),
    size: attributeOf(node, 'length'),
  }))
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
  const all = [...enclosures, ...links, ...contents].filter(({ url }) => url !== '')
  // Pictures are enclosed, too.
  return (
    all.find(({ type }) => /^(audio|video)\//i.test(type)) ??
    all.find(({ type }) => !/^image\//i.test(type)) ?? { url: '', type: '', size: '' }
  )
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
    .map((author) => textAt(author, 'name'))
    .find((name) => name !== '')
  const owner = childOf(node, 'itunes:owner')
  return (
    textAt(node, 'itunes:author', 'googleplay:author') ||
    named ||
    textAt(node, 'dc:creator') ||
    textAt(node, 'author', 'managingeditor').replace(/^\S+@\S+\s+\((.+)\)$/, '$1') ||
    (owner ? textAt(owner, 'itunes:name') : '')
  )
}

function languageOf(channel: XmlNode, root: XmlNode): string {
  const text =
    textAt(channel, 'language', 'dc:language') || attributeOf(channel, 'xml:lang') || attributeOf(root, 'xml:lang')
  const tag = text.toLowerCase().replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/.test(tag) ? tag : ''
}

function tagsOf(channel: XmlNode): string[] {
  const nodes = childrenOf(channel, ...TAG_LISTS)
  const all = [...nodes, ...nodes.flatMap((node) => childrenOf(node, 'itunes:category'))]
  const keywords = textAt(channel, 'itunes:keywords', 'media:keywords').split(',')
  return [...all.map((node) => attributeOf(node, 'text') || attributeOf(node, 'term') || textOf(node)), ...keywords]
}

/** RSS counts in minutes; the syndication module says how often in which period. */
function ttlOf(channel: XmlNode): number | undefined {
  const minutes = Number(textAt(channel, 'ttl'))
  return Number.isFinite(minutes) && minutes > 0 ? Math.min(minutes, 7 * 24 * 60) * 60 : undefined
}

export function newestFirst(episodes: readonly FeedEpisode[]): FeedEpisode[] {
  const distinct = [...new Map(episodes.toReversed().map((episode) => [episode.url, episode])).values()].toReversed()
  return distinct.toSorted((a, b) => (b.released ?? -1) - (a.released ?? -1))
}
