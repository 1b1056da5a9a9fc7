import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { withWindowsCharacters } from '../../platform/decode-text.ts'

/** Whole seconds of `3600`, `60:00`, `1:00:00.5`, `PT1H` or `1 h 5 min`; undefined if there are none. */
export function parseDuration(text: string): number | undefined {
  if (text.length > DURATION_MAX) return undefined
  const seconds = clockSeconds(text) ?? unitSeconds(text) ?? 0
  return seconds > 0 ? seconds : undefined
}

const DURATION_MAX = 60

/** Hours, minutes and seconds; text after a third colon is ignored, as Apple does. */
const CLOCK = /^(?:(\d{1,4}(?::\d{1,2}){2})(?::[\d.,:]*)?|(?:\d{1,4}:)?\d{1,4}:\d{1,2}|\d{1,7}(?!,))(?:[.,]\d+)?$/

function clockSeconds(text: string): number | undefined {
  const match = CLOCK.exec(text)
  if (!match) return undefined
  const [digits] = (match[1] ?? text).split(/[.,]/, 1)
  return (digits ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

const SECONDS_OF_UNIT = new Map(
  Object.entries({
    3600: 'h hr hrs hour hours std',
    60: 'm mn min mins minute minutes minuten',
    1: 's sec secs second seconds sek',
  }).flatMap(([seconds, names]) => names.split(' ').map((name) => [name, Number(seconds)] as const)),
)

/** Parses `PT45M30S` (ISO 8601), and `1 hour, 5 minutes` in its common abbreviations, largest unit first. */
function unitSeconds(text: string): number | undefined {
  const amounts = text.toLowerCase().replace(/^p(?:0+[ymwd])*t/, '')
  let seconds = 0
  let unit = Number.POSITIVE_INFINITY
  let end = 0
  for (const { 0: part, 1: amount = '', 2: name = '', index } of amounts.matchAll(
    /(\d{1,7}(?:[.,]\d{1,9})?)\s*([a-z]*)[.,]*\s*/g,
  )) {
    // The minutes of `1h30` need no unit.
    const next = SECONDS_OF_UNIT.get(name) ?? (name === '' && unit === 3600 ? 60 : undefined)
    if (next === undefined || next >= unit || index !== end) return undefined
    seconds += Number(amount.replace(',', '.')) * next
    unit = next
    end += part.length
  }
  return end === amounts.length ? Math.floor(seconds) : undefined
}

/** Whole seconds of `12`, `01:02` or `1:02:03.500`; `undefined` for other text. */
export function chapterStart(text: string): number | undefined {
  return /^0+(?:[:.,]0+)*s?$/.test(text) ? 0 : parseDuration(text.replace(/[.,]\d*$/, ''))
}

/** Parses a number of bytes. Anything below a kilobyte is a placeholder. */
export function parseSize(text: string): number | undefined {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return size >= 1024 ? size : undefined
}

/** Absolute http(s) URL, sanitised like uploaded ones (docs/protocol.md#D16), or `''`. */
export function absoluteUrl(text: string, base: string): string {
  if (text === '') return ''
  // Skip parsing here for absolute addresses, which are the most common.
  const address = /^https?:\/\//i.test(text) ? text : URL.parse(text, base)?.href
  return (address === undefined ? undefined : sanitizeUrl(address)) ?? ''
}

/** `audio/mpeg` of `Audio/MPEG; charset=x`, or `''`. */
export function mediaType(text: string): string {
  return /^([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(?:;|$)/.exec(text)?.[1]?.toLowerCase() ?? ''
}

export function languageTag(text: string): string {
  const tag = text.toLowerCase().replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/.test(tag) ? tag : ''
}

export function isYes(text: string): boolean {
  return /^(?:yes|true)$/i.test(text)
}

const EMAIL = '[^\\s@<>()\\[\\]"]{1,64}@[^\\s@<>()\\[\\]"]{1,255}'
const ENCLOSED_EMAIL = new RegExp(`\\s?[<([]\\s?(?:mailto:)?${EMAIL}\\s?[>)\\]]`, 'gi')
const EMAIL_OF_NAME = new RegExp(`${EMAIL}\\s?\\(([^()]+)\\)`, 'g')
const NAME_MAX = 1000

/** The name in `Ida Holm <ida@harbour.example>` or `ida@harbour.example (Ida Holm)`; any other text as it is. */
export function personName(text: string): string {
  if (!text.includes('@')) return text
  const name = startOf(text, NAME_MAX).replaceAll(EMAIL_OF_NAME, '$1').replaceAll(ENCLOSED_EMAIL, '').trim()
  return name.replace(/^"([^"]+)"$/, '$1').trim() || text
}

export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) {
    const text = tag.replaceAll(/\s+/g, ' ').trim()
    if (text !== '' && text.length <= 60 && !seen.has(text.toLowerCase())) seen.set(text.toLowerCase(), text)
  }
  return [...seen.values()].slice(0, 20)
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${startOf(text, max - 1)}…`
}

/** Returns at most `max` code units, without half a surrogate pair at the end. */
export function startOf(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '')
}

/** Control characters; testing first is several times faster than replacing. */
const UNSPEAKABLE = /[[\p{Cc}\ufffe\uffff]--[\t\n\r]]/v
const ALL_UNSPEAKABLE = new RegExp(UNSPEAKABLE, 'gv')

/** Removes characters that XML, JSON and pages cannot contain, but that entities may introduce. */
export function withoutControls(text: string): string {
  return (UNSPEAKABLE.test(text) ? removeControls(text) : text).toWellFormed()
}

function removeControls(text: string): string {
  return withWindowsCharacters(text).replaceAll(ALL_UNSPEAKABLE, '')
}

const PIECE = 256 * 1024

/** `withoutControls` for a document. Works in pieces, because replacing keeps every match in memory until the end. */
export function documentWithoutControls(text: string): string {
  if (!UNSPEAKABLE.test(text)) return text.toWellFormed()
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += PIECE) pieces.push(removeControls(text.slice(at, at + PIECE)))
  return pieces.join('').toWellFormed()
}

export function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
