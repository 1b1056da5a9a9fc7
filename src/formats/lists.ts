import { DomainError } from '../domain/errors.ts'
import type { ListedFeed } from '../domain/provisional-titles.ts'
import { readJsonList } from './json.ts'
import type { ListFormat } from './negotiate.ts'
import { readOpml } from './opml.ts'
import { readText } from './text.ts'

/**
 * The feeds of an uploaded list, as written, some at a time: blanks, duplicates and bad URLs are for the caller to drop. Whoever takes them is
 * to do nothing before the last ones have come.
 * Throws invalid_format for formats that are only written, since reading them as empty would unsubscribe everything
 * (protocol.md D11), `payload_too_large` for too many, and what the reader of the format throws.
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
