import { DomainError, invalid } from '../domain/shared/errors.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/shared/limits.ts'
import type { ListedFeed } from '../domain/shared/podcast.ts'
import { readItems } from './json-items.ts'
import type { ListFormat } from './negotiate.ts'
import { readOpml } from './opml.ts'

/** Yields the feeds of an uploaded list. Throws `invalid_format` for write-only formats (D11), `payload_too_large`. */
export function* readList(format: ListFormat, text: string): Generator<readonly ListedFeed[]> {
  switch (format) {
    case 'json':
      return yield* readJsonList(text)
    case 'txt':
      return yield readText(text).map((url) => ({ url }))
    case 'opml':
      return yield* readOpml(text)
    case 'jsonp':
    case 'xml':
      throw new DomainError('invalid_format', 'a list can be uploaded as json, txt or opml')
  }
}

const LINES_MAX = 5 * FEEDS_PER_REQUEST

/** URLs of a text list (docs/protocol.md#D8). Throws `payload_too_large`. */
function readText(text: string): string[] {
  const urls: string[] = []
  let lines = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const line = text.slice(start, end).trim()
    if (line !== '' && !line.startsWith('#')) urls.push(line)
    if (++lines > LINES_MAX || urls.length > FEEDS_PER_REQUEST) throw tooManyFeeds()
    start = end + 1
  }
  return urls
}

export function writeUrls(urls: readonly string[]): string {
  return urls.map((url) => `${url}\n`).join('')
}

const LIMITS = { items: FEEDS_PER_REQUEST, values: 15 * FEEDS_PER_REQUEST }

/** Feeds of a JSON list (docs/protocol.md#D9): strings or objects. Throws as `readItems`, `validation_failed`. */
function* readJsonList(text: string): Generator<ListedFeed[]> {
  for (const items of readItems(Buffer.from(text.replace(/^\ufeff/, '')), { limits: LIMITS, tooMany: tooManyFeeds }))
    yield items.map(readItem)
}

function readItem(item: unknown): ListedFeed {
  if (typeof item === 'string') return { url: item }
  if (typeof item === 'object' && item !== null) {
    const title = 'title' in item && typeof item.title === 'string' ? item.title : undefined
    if ('url' in item && typeof item.url === 'string') return { url: item.url, title }
    if ('feed' in item && typeof item.feed === 'string') return { url: item.feed, title }
  }
  throw invalid('body', 'an item must be a feed URL or an object with "url" or "feed"')
}

const FUNCTION_NAME = /^[A-Za-z0-9_]+$/

/** `name(json)` for jsonp (docs/protocol.md#formats). Throws `validation_failed` for an unsafe name. */
export function writeJsonp(name: string | undefined, value: unknown): string {
  if (name === undefined || !FUNCTION_NAME.test(name)) {
    throw invalid('jsonp', 'jsonp must name a function: letters, digits and "_"')
  }
  // Before ES2019, these are line ends in scripts, but not in JSON.
  const json = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `${name}(${json})`
}
