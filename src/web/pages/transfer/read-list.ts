import { DomainError } from '../../../domain/shared/errors.ts'
import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'
import { createOutlineReader, feedOf, type Outline } from '../../../formats/opml.ts'
import { piecesOf } from '../../../formats/xml-scan.ts'

/** An entry of a list, as it is in the file. */
interface Entry {
  readonly address: string
  /** '' if the list has none. */
  readonly title: string
}

export interface ImportList {
  readonly entries: readonly Entry[]
  /** Whether entries may be missing. */
  readonly isDamaged: boolean
}

/** A list with the name of the file it was read from. */
export interface ChosenFile extends ImportList {
  readonly name: string
}

/** Control characters other than white space. Texts do not contain them, pictures and archives do. */
const NO_TEXT = /[^\P{Cc}\t\n\v\f\r\u0085]/u

/**
 * The entries of an OPML document (docs/protocol.md#D10), or of a text with a URL per line (docs/protocol.md#D8).
 * Undefined for any other markup, for binary files, and for texts without a single URL.
 */
export function readList(text: string): ImportList | undefined {
  if (text.trimStart().startsWith('<')) return readOutlines(text)
  return NO_TEXT.test(text) ? undefined : readLines(text)
}

/** Undefined for documents that are no OPML. What has more outlines than a list may have is read up to there. */
function readOutlines(text: string): ImportList | undefined {
  const endless = new Map<string, number>()
  for (;;) {
    const known = endless.size
    const list = readOnce(text, endless)
    if (endless.size === known) return list
  }
}

function readOnce(text: string, endless: Map<string, number>): ImportList | undefined {
  const entries: Entry[] = []
  let isDamaged = false
  const onDamage = () => {
    isDamaged = true
  }
  const reader = createOutlineReader({ onDamage, endless })
  try {
    for (const piece of piecesOf(text)) entries.push(...reader.read(piece).flatMap(entryOf))
    entries.push(...reader.end().flatMap(entryOf))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.code === 'validation_failed') return undefined
    isDamaged = true
  }
  return { entries, isDamaged }
}

function readLines(text: string): ImportList | undefined {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.length > 0 && !lines.some((line) => sanitizeUrl(line) !== undefined)) return undefined
  return { entries: lines.map((address) => ({ address, title: '' })), isDamaged: false }
}

/** Outlines without a URL are only groups. */
function entryOf(outline: Outline): Entry[] {
  const feed = feedOf(outline)
  return feed ? [{ address: feed.url.trim(), title: (feed.title ?? '').trim() }] : []
}

/** `known` entries are on the device; `duplicate` ones are earlier in the list; `invalid` ones have no feed URL. */
export type EntryState = 'new' | 'known' | 'duplicate' | 'invalid'

export const STATES: readonly EntryState[] = ['new', 'known', 'duplicate', 'invalid']

export interface Row {
  readonly state: EntryState
  /** As the server would store it; as it is in the file if it is invalid. */
  readonly url: string
  readonly title: string
}

/** What an import would do. `isKnown` tells whether the device has a feed. */
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

/** The number of rows in each state. */
export function countStates(rows: readonly Row[]): Readonly<Record<EntryState, number>> {
  const counts = { new: 0, known: 0, duplicate: 0, invalid: 0 }
  for (const { state } of rows) counts[state]++
  return counts
}
