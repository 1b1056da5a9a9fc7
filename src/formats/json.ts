import { invalid } from '../domain/errors.ts'
import type { ListedFeed } from '../domain/provisional-titles.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/request-limits.ts'
import { readItems } from './json-items.ts'

/** With the dozen members of podcast objects as other servers write them. */
const LIMITS = { items: FEEDS_PER_REQUEST, values: 15 * FEEDS_PER_REQUEST }

/**
 * The feeds of a JSON list (protocol.md D9): strings, or objects with a string `url` or else `feed`, and perhaps a `title`. Throws what
 * `readItems` throws, and validation_failed (field `body`) for anything else in it.
 */
export function* readJsonList(text: string): Generator<ListedFeed[]> {
  for (const items of readItems(text, { limits: LIMITS, tooMany: tooManyFeeds })) yield items.map(readItem)
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
