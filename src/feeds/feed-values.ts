/** Whole Unix seconds of a date as found in feeds, or undefined. Never in the far future, which would keep it on top for ever. */
export function parseDate(text: string, latest: number): number | undefined {
  const tidy = text
    .trim()
    // Weekdays are often wrong or in the publisher's language, and say nothing.
    .replace(/^\p{L}+\.?,?\s+(?=\d)/u, '')
    .replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/i, '$1')
    .replace(/\b([A-Z][a-z]{2})[a-z]+\b/g, '$1')
    .replace(/\s([A-Z]{3,5})$/, (_, zone: string) => ` ${ZONES[zone] ?? 'GMT'}`)
    .replace(/(\d{2}:\d{2})\s*([+-]\d{2}):?(\d{2})$/, '$1 $2$3')
  const seconds = Math.floor(Date.parse(tidy) / 1000)
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined
  return Math.min(seconds, latest)
}

/** Zone names of RFC 2822 and of European publishers, as offsets. */
const ZONES: Readonly<Record<string, string>> = {
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
  CET: '+0100',
  CEST: '+0200',
  MEZ: '+0100',
  MESZ: '+0200',
  BST: '+0100',
  EET: '+0200',
  EEST: '+0300',
  JST: '+0900',
  AEST: '+1000',
  AEDT: '+1100',
}

/** Seconds of `3600`, `60:00`, `1:00:00` or `1:00:00.5`. */
export function parseDuration(text: string): number | undefined {
  if (!/^\d{1,7}(?:\.\d+)?$|^(?:\d{1,4}:)?\d{1,4}:\d{1,2}(?:\.\d+)?$/.test(text)) return undefined
  const seconds = Math.floor(text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0))
  return seconds > 0 ? seconds : undefined
}

/** A number of bytes; what is under a kilobyte is a placeholder. */
export function parseSize(text: string): number | undefined {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return size >= 1024 ? size : undefined
}

/** An absolute http(s) address, or `''`. */
export function absoluteUrl(text: string, base: string): string {
  if (text === '') return ''
  const url = URL.parse(text.trim(), base)
  return url && /^https?:$/.test(url.protocol) && url.href.length <= 2048 ? url.href : ''
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

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
