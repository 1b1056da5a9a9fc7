import { daysFromCivil, daysInMonth } from './civil-date.ts'
import { invalid } from './errors.ts'

/** A stretch of an episode that somebody heard, seconds from its beginning. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Days in the calendar of a person; both belong to the range. Counted since 1970. */
export interface DayRange {
  readonly from: number
  readonly to: number
  /** Minutes by which the person's clock is ahead of UTC. */
  readonly offset: number
}

/** As a request writes it. */
export interface RangeText {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly offset?: string | undefined
}

const DAY = 86_400
/** Nobody hears more than that without a device that reports; a longer stretch is a mistake. */
const STRETCH_MAX = 12 * 3600

const RANGE_DAYS_MAX = 400
const RANGE_DAYS = 30
/** Of all places on earth, and a little more. */
const OFFSET_MAX = 14 * 60

/** What a play action says that was heard; undefined if it says nothing, or nothing that can be true. */
export function heardStretch(started: number, position: number, total: number | undefined): Stretch | undefined {
  const seconds = position - started
  const longest = total === undefined || total <= 0 ? STRETCH_MAX : Math.min(total, STRETCH_MAX)
  return started >= 0 && seconds > 0 && seconds <= longest ? { from: started, to: position } : undefined
}

/** Seconds that lie in at least one of the stretches: what is told twice was heard once. */
export function unionSeconds(stretches: readonly Stretch[]): number {
  const [only] = stretches
  if (only && stretches.length === 1) return only.to - only.from
  let seconds = 0
  let end = Number.NEGATIVE_INFINITY
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    if (to <= end) continue
    seconds += to - Math.max(from, end)
    end = to
  }
  return seconds
}

/** The day a moment belongs to, counted since 1970. */
export function dayOf(at: number, offset: number): number {
  return Math.floor((at + offset * 60) / DAY)
}

/** The moments of a range: Unix seconds, the end excluded. */
export function momentsOf({ from, to, offset }: DayRange): { from: number; until: number } {
  return { from: from * DAY - offset * 60, until: (to + 1) * DAY - offset * 60 }
}

/** 0 is Monday. */
export function weekdayOf(day: number): number {
  // 1970 began on a Thursday.
  return (((day + 3) % 7) + 7) % 7
}

/** The last 30 days unless the text says otherwise. Throws `validation_failed` with the field to blame. */
export function parseDayRange(text: RangeText, now: number): DayRange {
  const offset = parseOffset(text.offset)
  const to = parseDay('to', text.to) ?? dayOf(now, offset)
  const from = parseDay('from', text.from) ?? to - RANGE_DAYS + 1
  if (from > to) throw invalid('from', 'from must not be after to')
  if (to - from >= RANGE_DAYS_MAX) throw invalid('from', `from and to must not be more than ${RANGE_DAYS_MAX} days`)
  return { from, to, offset }
}

function parseOffset(text: string | undefined): number {
  if (text === undefined || text === '') return 0
  // A space is what becomes of a plus in an address.
  if (!/^[-+ ]?\d{1,4}$/.test(text) || Math.abs(Number(text)) > OFFSET_MAX)
    throw invalid('offset', `offset must be minutes east of UTC, from -${OFFSET_MAX} to ${OFFSET_MAX}`)
  return Number(text)
}

function parseDay(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  const isDate = year !== undefined && month !== undefined && day !== undefined && month >= 1 && month <= 12 && day >= 1
  if (!isDate || day > daysInMonth(year, month)) throw invalid(field, `${field} must be a date like 2025-03-02`)
  return daysFromCivil(year, month, day)
}
