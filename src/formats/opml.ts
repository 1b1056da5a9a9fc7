import { invalid } from '../domain/shared/errors.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/shared/limits.ts'
import type { PodcastObject } from '../domain/shared/podcast.ts'
import type { ListedFeed } from '../domain/sync/provisional-titles.ts'
import type { ListWriter } from './list-writer.ts'
import { escapeXml, scanXml } from './xml-scan.ts'

/**
 * The feeds of an OPML document in order, some at a time (docs/protocol.md#D10): of every `outline` at any depth its
 * `xmlUrl`, or else its `url`, with its `title`, or else its `text`. No outlines at all is an empty list. Throws
 * validation_failed (field `body`) if it is not well-formed or its root is not `opml`, payload_too_large.
 */
export function* readOpml(text: string): Generator<readonly ListedFeed[]> {
  let feeds: ListedFeed[] = []
  let count = 0
  const scan = scanXml(text, (name, attributes, depth) => {
    const element = name.toLowerCase()
    if (depth === 0 && element !== 'opml') throw invalid('body', 'the body is not an OPML document')
    if (element !== 'outline') return
    const url = findText(attributes, 'xmlurl') ?? findText(attributes, 'url')
    if (url === undefined) return
    if (++count > FEEDS_PER_REQUEST) throw tooManyFeeds()
    feeds.push({ url, title: findText(attributes, 'title') ?? findText(attributes, 'text') })
  })
  while (!scan.next().done) {
    yield feeds
    feeds = []
  }
  yield feeds
}

/** Attribute names in any case: programs write xmlUrl, xmlurl and XMLURL. */
function findText(attributes: ReadonlyMap<string, string>, lowerName: string): string | undefined {
  for (const [name, value] of attributes) {
    if (name.length === lowerName.length && name.toLowerCase() === lowerName && value.trim() !== '') return value
  }
  return undefined
}

/** An OPML 2.0 document (docs/protocol.md#formats); `readOpml` gives its URLs and titles back. */
export function opmlWriter({ title, created }: { title: string; created: number }): ListWriter<PodcastObject> {
  return {
    before: [
      '<?xml version="1.0" encoding="utf-8"?>',
      '<opml version="2.0">',
      '  <head>',
      `    <title>${escapeXml(title)}</title>`,
      `    <dateCreated>${formatRfc2822(created)}</dateCreated>`,
      '  </head>',
      '  <body>',
      '',
    ].join('\n'),
    write: (podcasts) => podcasts.map(writeOutline).join(''),
    after: '  </body>\n</opml>\n',
  }
}

function writeOutline(podcast: PodcastObject): string {
  const title = escapeXml(podcast.title || podcast.url)
  const xmlUrl = escapeXml(podcast.url)
  const description = escapeXml(podcast.description)
  const htmlUrl = escapeXml(podcast.website)
  return `    <outline type="rss" xmlUrl="${xmlUrl}" title="${title}" text="${title}" description="${description}" htmlUrl="${htmlUrl}"/>\n`
}

/** The name `GMT`, which JavaScript writes, is obsolete in RFC 2822. */
function formatRfc2822(seconds: number): string {
  return new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')
}
