import { DomainError, invalid } from '../domain/errors.ts'
import type { ListedFeed } from '../domain/provisional-titles.ts'

/**
 * The feeds of a JSON list (protocol.md D9): strings, or objects with a string `url` or else `feed`, and perhaps a `title`.
 * Throws invalid_json for unparsable text and validation_failed (field `body`) for anything else in it.
 */
export function readJsonList(text: string): ListedFeed[] {
  const list = parseJson(text)
  if (!Array.isArray(list)) throw invalid('body', 'a list of feed URLs must be an array')
  return list.map(readItem)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    // Also what nesting too deep for the parser's stack ends in.
    throw new DomainError('invalid_json', 'the body is not valid JSON')
  }
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
