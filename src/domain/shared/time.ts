import { invalid } from './errors.ts'

const SECONDS_PER_DAY = 86_400
/** 0000-01-01T00:00:00 and 9999-12-31T23:59:59: what four digits of a year can say. */
const FIRST_SECOND = -62_167_219_200
const LAST_SECOND = 253_402_300_799

/** Greater numbers are milliseconds (docs/protocol.md#D44): as seconds they would lie beyond the year 5138. */
const MILLISECONDS_FROM = 1e11

const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

// A download streams actions by time, so one day comes many times in a row.
let lastDay = Number.NaN
let lastDayText = ''

function dayText(day: number): string {
  if (day === lastDay) return lastDayText
  const { year, month, day: dayOfMonth } = civilFromDays(day)
  lastDay = day
  lastDayText = `${String(year).padStart(4, '0')}-${TWO_DIGITS[month]}-${TWO_DIGITS[dayOfMonth]}T`
  return lastDayText
}

/**
 * Unix seconds as `YYYY-MM-DDTHH:MM:SS` in UTC, the only date form that all clients read (docs/protocol.md#time).
 * Fractions are cut towards the past. Seconds outside the years 0000 to 9999 are clamped to the first or last second of
 * these (and no number at all becomes 1970), because one bad date makes mygpoclient discard a whole download.
 */
export function formatTimestamp(seconds: number): string {
  const whole = Math.min(Math.max(Math.floor(seconds), FIRST_SECOND), LAST_SECOND) || 0
  const day = Math.floor(whole / SECONDS_PER_DAY)
  const rest = whole - day * SECONDS_PER_DAY
  const hour = Math.floor(rest / 3600)
  const minute = Math.floor(rest / 60) % 60
  return `${dayText(day)}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[rest % 60]}`
}

/** A time that may be unknown, which the API writes as an empty text. */
export function timestampOrEmpty(seconds: number | undefined): string {
  return seconds === undefined ? '' : formatTimestamp(seconds)
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/

const DIGITS = /^\d{1,20}$/

/**
 * The client's own time of an episode action in Unix seconds (docs/protocol.md#D44). `now` (Unix seconds) stands in for
 * undefined, null and ''.
 * Throws validation_failed for whatever is neither ISO 8601 nor non-negative Unix seconds or milliseconds.
 */
export function parseActionTimestamp(value: unknown, now: number): number {
  if (value === undefined || value === null) return now
  if (typeof value === 'number') return fromUnix(value)
  if (typeof value !== 'string') throw badTimestamp()
  const text = value.trim()
  if (text === '') return now
  return DIGITS.test(text) ? fromUnix(Number(text)) : fromIso(text)
}

function fromUnix(value: number): number {
  const seconds = Math.floor(value > MILLISECONDS_FROM ? value / 1000 : value)
  if (!(seconds >= 0 && seconds <= LAST_SECOND)) throw badTimestamp()
  return seconds + 0 // turns -0 into 0
}

function fromIso(text: string): number {
  const match = ISO.exec(text)
  if (match === null) throw badTimestamp()
  const [, year, month, day, hour, minute, second = 0, sign, offsetHours = 0, offsetMinutes = 0] = match
  const date = fromDate(Number(year), Number(month), Number(day))
  const time = fromClock(Number(hour), Number(minute), Number(second))
  // No zone means UTC: the classic form has none.
  const offset = fromClock(Number(offsetHours), Number(offsetMinutes), 0)
  const seconds = date + time - (sign === '-' ? -offset : offset)
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw badTimestamp()
  return seconds
}

function fromDate(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) throw badTimestamp()
  return daysFromCivil(year, month, day) * SECONDS_PER_DAY
}

/** A leap second (60) counts as the first second of the next minute, as Unix time does. */
function fromClock(hour: number, minute: number, second: number): number {
  if (hour > 23 || minute > 59 || second > 60) throw badTimestamp()
  return hour * 3600 + minute * 60 + second
}

function badTimestamp() {
  return invalid('timestamp', 'timestamp must be like 2025-03-02T10:00:00 (UTC) or Unix seconds')
}

const SINCE = /^(\d+)(?:\.\d*)?$/

/**
 * The query parameter `since` in whole seconds (docs/protocol.md#D15): missing or blank is 0, decimals are floored, too big
 * is the biggest safe integer. Plain decimal notation only: `1e3`, `0x10`, `NaN`, `Infinity` and signs are refused with
 * validation_failed.
 */
export function parseSince(raw: string | undefined): number {
  const text = raw?.trim() ?? ''
  if (text === '') return 0
  const whole = SINCE.exec(text)?.[1]
  if (whole === undefined) throw invalid('since', 'since must be a non-negative number of seconds')
  return Math.min(Number(whole), Number.MAX_SAFE_INTEGER)
}

/**
 * Days of the proleptic Gregorian calendar by integer arithmetic: no `Date`, so no time zone, no two-digit year trap.
 * Years are counted from March, which puts the leap day last; an era is 400 years.
 */
const DAYS_PER_ERA = 146_097
const DAYS_TO_EPOCH = 719_468

interface CivilDate {
  readonly year: number
  /** 1 to 12 */
  readonly month: number
  /** 1 to 31 */
  readonly day: number
}

/** Days since 1970-01-01, negative before. Any day number works; use `daysInMonth` to refuse a 30 February. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH
}

/** The date of a day counted since 1970-01-01. */
function civilFromDays(days: number): CivilDate {
  const shifted = days + DAYS_TO_EPOCH
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1 }
}

/** Number of days of a month (1 to 12). */
export function daysInMonth(year: number, month: number): number {
  const next = month === 12 ? daysFromCivil(year + 1, 1, 1) : daysFromCivil(year, month + 1, 1)
  return next - daysFromCivil(year, month, 1)
}
