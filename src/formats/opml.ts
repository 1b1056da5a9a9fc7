import { invalid } from '../domain/shared/errors.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/shared/limits.ts'
import type { ListedFeed, PodcastObject } from '../domain/shared/podcast.ts'
import { createXmlScan, escapeXml, type Lenience, piecesOf } from './xml-scan.ts'

export interface Outline {
  readonly depth: number
  /** Value of an attribute, named in lower case; `undefined` if blank. */
  get(lowerName: string): string | undefined
}

/** Reads OPML in pieces; returns completed outlines. Throws `validation_failed`, `payload_too_large`. */
export function createOutlineReader(lenience?: Lenience) {
  let outlines: Outline[] = []
  let isRoot = true
  const scan = createXmlScan((name, attributes, depth) => {
    const element = name.toLowerCase()
    const isOpml = element === 'opml' || (lenience !== undefined && element === 'outline')
    if (isRoot && !isOpml) throw invalid('body', 'the body is not an OPML document')
    isRoot = false
    if (element === 'outline') outlines.push({ depth, get: (lowerName) => findText(attributes, lowerName) })
  }, lenience)
  function takeOutlines(): readonly Outline[] {
    const read = outlines
    outlines = []
    return read
  }
  return {
    read(piece: string): readonly Outline[] {
      scan.read(piece)
      return takeOutlines()
    },
    end(): readonly Outline[] {
      scan.end()
      return takeOutlines()
    },
  }
}

function* outlinesOf(text: string): Generator<readonly Outline[]> {
  const reader = createOutlineReader()
  for (const piece of piecesOf(text)) yield reader.read(piece)
  yield reader.end()
}

/** Feed of an outline (docs/protocol.md#D10); `undefined` for episodes, links and lists. */
export function feedOf({ get }: Outline): ListedFeed | undefined {
  if (isEpisode(get) || isListSource(get)) return undefined
  const url = get('xmlurl') ?? (isLink(get) ? undefined : get('url'))
  return url === undefined ? undefined : { url, title: get('title') ?? get('text') }
}

function isLink(get: Outline['get']): boolean {
  return /^\s*(?:include|link)\s*$/i.test(get('type') ?? '')
}

function isListSource(get: Outline['get']): boolean {
  return get('type') === 'source' && get('sourcetype') !== undefined
}

export function isEpisode(get: Outline['get']): boolean {
  return get('type') === 'podcast-episode'
}

/** Yields the feeds of an OPML document. Throws the errors of `createOutlineReader`. */
export function* readOpml(text: string): Generator<readonly ListedFeed[]> {
  let count = 0
  for (const outlines of outlinesOf(text)) {
    const feeds = outlines.flatMap((outline) => feedOf(outline) ?? [])
    count += feeds.length
    if (count > FEEDS_PER_REQUEST) throw tooManyFeeds()
    yield feeds
  }
}

/** Matches attribute names in any case, since programs write xmlUrl, xmlurl and XMLURL. */
function findText(attributes: ReadonlyMap<string, string>, lowerName: string): string | undefined {
  for (const [name, value] of attributes) {
    if (name.length === lowerName.length && name.toLowerCase() === lowerName && value.trim() !== '') return value
  }
  return undefined
}

export interface OpmlFolder {
  readonly name: string
  /** Feed URLs. */
  readonly podcasts: readonly string[]
}

/**
 * Writes an OPML 2.0 document (docs/protocol.md#formats); `readOpml` returns the same URLs and titles. A podcast is
 * listed in the outline of each of its folders, or at the top level if it has none.
 */
export function writeOpml(
  podcasts: readonly PodcastObject[],
  {
    title,
    created,
    folders = [],
  }: { readonly title: string; readonly created: number; readonly folders?: readonly OpmlFolder[] | undefined },
): string {
  const filed = new Set(folders.flatMap((folder) => folder.podcasts))
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<opml version="2.0">',
    '  <head>',
    `    <title>${escapeXml(title)}</title>`,
    `    <dateCreated>${formatRfc2822(created)}</dateCreated>`,
    '  </head>',
    '  <body>',
    `${folders.map((folder) => writeFolder(folder, podcasts)).join('')}${podcasts
      .filter(({ url }) => !filed.has(url))
      .map((podcast) => writeOutline(podcast))
      .join('')}  </body>`,
    '</opml>',
    '',
  ].join('\n')
}

function writeFolder({ name, podcasts }: OpmlFolder, all: readonly PodcastObject[]): string {
  const urls = new Set(podcasts)
  const outlines = all.filter(({ url }) => urls.has(url)).map((podcast) => writeOutline(podcast, '      '))
  if (outlines.length === 0) return ''
  const title = escapeXml(name)
  return `    <outline text="${title}" title="${title}">\n${outlines.join('')}    </outline>\n`
}

function writeOutline(podcast: PodcastObject, indent = '    '): string {
  const title = escapeXml(podcast.title || podcast.url)
  const xmlUrl = escapeXml(podcast.url)
  const description = escapeXml(podcast.description)
  const htmlUrl = escapeXml(podcast.website)
  return `${indent}<outline type="rss" xmlUrl="${xmlUrl}" title="${title}" text="${title}" description="${description}" htmlUrl="${htmlUrl}"/>\n`
}

/** Replaces JavaScript's `GMT`, which is obsolete in RFC 2822. */
function formatRfc2822(seconds: number): string {
  return new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')
}
