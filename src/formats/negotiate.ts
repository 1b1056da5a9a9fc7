import { DomainError } from '../domain/shared/errors.ts'

export const LIST_FORMATS = ['json', 'jsonp', 'txt', 'opml', 'xml'] as const

/** The formats of podcast lists (docs/protocol.md#formats). */
export type ListFormat = (typeof LIST_FORMATS)[number]

interface SplitSegment {
  readonly name: string
  /** Lower-case, without the dot; '' if there is none. */
  readonly suffix: string
}

/**
 * Cuts the last path segment (already percent-decoded) at its last dot (docs/protocol.md#D2): `my.phone.JSON` is
 * `my.phone` and `json`. Total: without a dot, or with nothing behind the last one, all of it is the name (`ida.` may
 * be a device); `.json` is an empty name. Name, dot and suffix put together always give the segment but for case.
 */
export function splitSuffix(segment: string): SplitSegment {
  const dot = segment.lastIndexOf('.')
  if (dot === -1 || dot === segment.length - 1) return { name: segment, suffix: '' }
  return { name: segment.slice(0, dot), suffix: segment.slice(dot + 1).toLowerCase() }
}

/** The list format a suffix stands for, in any letter case; throws invalid_format. */
export function parseListFormat(suffix: string): ListFormat {
  const word = suffix.toLowerCase()
  const format = LIST_FORMATS.find((known) => known === word)
  if (format === undefined) throw new DomainError('invalid_format', `format must be one of ${LIST_FORMATS.join(', ')}`)
  return format
}
