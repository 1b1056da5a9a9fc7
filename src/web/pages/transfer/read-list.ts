import { DomainError } from '../../../domain/shared/errors.ts'
import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'
import { scanXml } from '../../../formats/xml-scan.ts'

/** One entry of a list, as it stands there. */
interface Entry {
  readonly address: string
  /** '' if the list has none. */
  readonly title: string
}

export interface ImportList {
  readonly entries: readonly Entry[]
  /** There may have been more. */
  readonly isDamaged: boolean
}

/** Control characters, but for those between lines and pages: no text has them, pictures and archives do. */
const NO_TEXT = /[^\P{Cc}\t\n\v\f\r\u0085]/u

/**
 * The entries of an OPML document, or of a text with an address per line where lines that start with `#` are remarks (docs/protocol.md#D8,
 * D10). Undefined if it is neither: markup of another kind, no text, or a text without a single address.
 */
export function readList(text: string): ImportList | undefined {
  if (NO_TEXT.test(text)) return undefined
  return text.trimStart().startsWith('<') ? readOutlines(text) : readLines(text)
}

/** What stands in a document before it stops being XML: the rest of it cannot be told from text. */
function readOutlines(text: string): ImportList | undefined {
  const entries: Entry[] = []
  let isOpml = false
  let isDamaged = false
  const scan = scanXml(text, (name, attributes) => {
    const element = name.toLowerCase()
    isOpml ||= element === 'opml'
    if (element === 'outline') entries.push(...entryOf(attributes))
  })
  try {
    while (!scan.next().done);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    isDamaged = true
  }
  return isOpml ? { entries, isDamaged } : undefined
}

function readLines(text: string): ImportList | undefined {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.length > 0 && !lines.some((line) => sanitizeUrl(line) !== undefined)) return undefined
  return { entries: lines.map((address) => ({ address, title: '' })), isDamaged: false }
}

/** Outlines without an address only hold others together. */
function entryOf(attributes: ReadonlyMap<string, string>): Entry[] {
  const named = new Map([...attributes].map(([name, value]) => [name.toLowerCase(), value.trim()]))
  const address = named.get('xmlurl') || named.get('url')
  return address ? [{ address, title: named.get('title') || named.get('text') || '' }] : []
}

/** What would become of an entry: added; on the device already; in the list before; no address of a feed. */
export type EntryState = 'new' | 'known' | 'duplicate' | 'invalid'

export const STATES: readonly EntryState[] = ['new', 'known', 'duplicate', 'invalid']

export interface Row {
  readonly state: EntryState
  /** As the server would keep it; as it was found if it is invalid. */
  readonly url: string
  readonly title: string
}

/** What an import would do, without asking anybody. `isKnown` tells whether the device has a feed. */
export function dryRun(entries: readonly Entry[], isKnown: (url: string) => boolean): Row[] {
  const seen = new Set<string>()
  return entries.map(({ address, title }) => {
    const url = sanitizeUrl(address)
    if (url === undefined) return { state: 'invalid', url: address, title }
    const state = seen.has(url) ? 'duplicate' : isKnown(url) ? 'known' : 'new'
    seen.add(url)
    return { state, url, title }
  })
}

/** How many there are of each. */
export function countStates(rows: readonly Row[]): Readonly<Record<EntryState, number>> {
  const counts = { new: 0, known: 0, duplicate: 0, invalid: 0 }
  for (const { state } of rows) counts[state]++
  return counts
}
