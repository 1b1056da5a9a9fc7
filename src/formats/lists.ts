import { DomainError, invalid } from '../domain/shared/errors.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/shared/limits.ts'
import type { ListedFeed } from '../domain/shared/podcast.ts'
import { readItems } from './json-items.ts'
import type { ListFormat } from './negotiate.ts'
import { readOpml } from './opml.ts'

/**
 * The feeds of an uploaded list, as written, some at a time: the caller drops blanks, duplicates and bad URLs, and
 * changes nothing before the last ones have come.
 * Throws invalid_format for formats that are only written, since reading them as empty would unsubscribe everything
 * (docs/protocol.md#D11), `payload_too_large` for too many, and what the reader of the format throws.
 */
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

/** With blank lines and comments. */
const LINES_MAX = 5 * FEEDS_PER_REQUEST

/**
 * The URLs of a text list, one per line (docs/protocol.md#D8): LF or CRLF, blank lines and `#` comments left out, a BOM
 * ignored. Throws payload_too_large for too many, and for far too many lines.
 */
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

/** With the dozen members of podcast objects as other servers write them. */
const LIMITS = { items: FEEDS_PER_REQUEST, values: 15 * FEEDS_PER_REQUEST }

/**
 * The feeds of a JSON list (docs/protocol.md#D9): strings, or objects with a string `url` or else `feed`, and perhaps a
 * `title`. Throws what `readItems` throws, and validation_failed (field `body`) for anything else in it.
 */
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

/**
 * `name(json)` for suffix jsonp (docs/protocol.md#formats); `name` comes from the query parameter `jsonp`. Throws
 * validation_failed (field `jsonp`) if it is missing or has other characters than ASCII letters, digits and `_`.
 */
export function writeJsonp(name: string | undefined, value: unknown): string {
  if (name === undefined || !FUNCTION_NAME.test(name)) {
    throw invalid('jsonp', 'jsonp must name a function: letters, digits and "_"')
  }
  // Line ends in scripts older than ES2019, though not in JSON.
  const json = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `${name}(${json})`
}
