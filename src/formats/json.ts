import { DomainError, invalid } from '../domain/errors.ts'

/**
 * The URLs of a JSON list (protocol.md D9): strings, or objects with a string `url` or else `feed`.
 * Throws invalid_json for unparsable text and validation_failed (field `body`) for anything else in it.
 */
export function readJsonList(text: string): string[] {
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

function readItem(item: unknown): string {
  if (typeof item === 'string') return item
  if (typeof item === 'object' && item !== null) {
    if ('url' in item && typeof item.url === 'string') return item.url
    if ('feed' in item && typeof item.feed === 'string') return item.feed
  }
  throw invalid('body', 'an item must be a feed URL or an object with "url" or "feed"')
}
