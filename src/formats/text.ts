import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/request-limits.ts'
import type { ListWriter } from './list-writer.ts'

/** With blank lines and comments. */
const LINES_MAX = 5 * FEEDS_PER_REQUEST

/**
 * The URLs of a text list, one per line (protocol.md D8): LF or CRLF, blank lines and `#` comments left out, a BOM
 * ignored. Throws payload_too_large for too many, and for far too many lines.
 */
export function readText(text: string): string[] {
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

/** One URL per line, each line ended by LF; nothing at all for no URLs. */
export const textWriter: ListWriter<string> = {
  before: '',
  write: (urls) => urls.map((url) => `${url}\n`).join(''),
  after: '',
}
