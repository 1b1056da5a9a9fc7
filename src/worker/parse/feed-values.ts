import { sanitizeUrl } from '../../domain/shared/feed-url.ts'

/** Seconds of `3600`, `60:00`, `1:00:00` or `1:00:00.5`. */
export function parseDuration(text: string): number | undefined {
  if (!/^\d{1,7}(?:\.\d+)?$|^(?:\d{1,4}:)?\d{1,4}:\d{1,2}(?:\.\d+)?$/.test(text)) return undefined
  const seconds = Math.floor(text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0))
  return seconds > 0 ? seconds : undefined
}

/** Whole seconds of `12`, `01:02` or `1:02:03.500`; undefined for what is no time. */
export function chapterStart(text: string): number | undefined {
  return /^0+(?:[:.]0+)*$/.test(text) ? 0 : parseDuration(text.replace(/\.\d*$/, ''))
}

/** A number of bytes; what is under a kilobyte is a placeholder. */
export function parseSize(text: string): number | undefined {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return size >= 1024 ? size : undefined
}

/** An absolute http(s) address as clients that upload it have it stored (docs/protocol.md#D16), or `''`. */
export function absoluteUrl(text: string, base: string): string {
  if (text === '') return ''
  // Most are absolute and clean, and are known to be at a glance.
  const address = /^https?:\/\//i.test(text) ? text : URL.parse(text, base)?.href
  return (address === undefined ? undefined : sanitizeUrl(address)) ?? ''
}

/** `audio/mpeg` of `Audio/MPEG; charset=x`, or `''`. */
export function mediaType(text: string): string {
  return /^([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(?:;|$)/.exec(text)?.[1]?.toLowerCase() ?? ''
}

/** Lower-case, as `pt-br`, or `''`. */
export function languageTag(text: string): string {
  const tag = text.toLowerCase().replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/.test(tag) ? tag : ''
}

export function isYes(text: string): boolean {
  return /^(?:yes|true)$/i.test(text)
}

/** Each once, without empty and overlong ones. */
export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) {
    const text = tag.replaceAll(/\s+/g, ' ').trim()
    if (text !== '' && text.length <= 60 && !seen.has(text.toLowerCase())) seen.set(text.toLowerCase(), text)
  }
  return [...seen.values()].slice(0, 20)
}

/** At most `max` long; what was cut ends in an ellipsis. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${startOf(text, max - 1)}…`
}

/** At most `max` long, without half a character at the end. */
export function startOf(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '')
}

/**
 * Controls but for white space, and two that are no characters. Whether there is one is asked first: that is several
 * times as fast as to replace them where there is none.
 */
const UNSPEAKABLE = /[[\p{Cc}\ufffe\uffff]--[\t\n\r]]/v
const ALL_UNSPEAKABLE = new RegExp(UNSPEAKABLE, 'gv')

/** Without what neither XML nor JSON nor a page can hold, and entities bring in after all. */
export function withoutControls(text: string): string {
  return (UNSPEAKABLE.test(text) ? removeControls(text) : text).toWellFormed()
}

function removeControls(text: string): string {
  return text.replaceAll(ALL_UNSPEAKABLE, '')
}

/** Characters of a document that are looked at together. */
const PIECE = 256 * 1024

/** As `withoutControls`, for a document, piece by piece: what is left out of a text is remembered until its end. */
export function documentWithoutControls(text: string): string {
  if (!UNSPEAKABLE.test(text)) return text.toWellFormed()
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += PIECE) pieces.push(removeControls(text.slice(at, at + PIECE)))
  return pieces.join('').toWellFormed()
}

/** Text, where HTML is wanted. */
export function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
