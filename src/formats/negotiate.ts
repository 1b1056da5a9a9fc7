import { DomainError } from '../domain/shared/errors.ts'

/** Formats of private podcast lists. Pages of other sites could read JSONP (docs/protocol.md#D111). */
export const PRIVATE_FORMATS = ['json', 'txt', 'opml', 'xml'] as const
/** Formats of public podcast lists (docs/protocol.md#formats). */
export const LIST_FORMATS = ['json', 'jsonp', 'txt', 'opml', 'xml'] as const

export type PrivateFormat = (typeof PRIVATE_FORMATS)[number]
export type ListFormat = (typeof LIST_FORMATS)[number]

interface SplitSegment {
  readonly name: string
  readonly suffix: string
}

/**
 * Splits the last path segment (already percent-decoded) at its last dot (docs/protocol.md#D2): `my.phone.JSON` becomes
 * `my.phone` and `json`. Never fails: without a dot, or with nothing after the last one, the whole segment is the name
 * (`ida.` may be a device); `.json` has an empty name. Name, dot and suffix joined give the segment, except for case.
 */
export function splitSuffix(segment: string): SplitSegment {
  const dot = segment.lastIndexOf('.')
  if (dot === -1 || dot === segment.length - 1) return { name: segment, suffix: '' }
  return { name: segment.slice(0, dot), suffix: segment.slice(dot + 1).toLowerCase() }
}

export const parseListFormat = (suffix: string): ListFormat => parseFormat(suffix, LIST_FORMATS)
export const parsePrivateFormat = (suffix: string): PrivateFormat => parseFormat(suffix, PRIVATE_FORMATS)

function parseFormat<F extends ListFormat>(suffix: string, formats: readonly F[]): F {
  const word = suffix.toLowerCase()
  const format = formats.find((candidate) => candidate === word)
  if (format === undefined) throw new DomainError('invalid_format', `format must be one of ${formats.join(', ')}`)
  return format
}
