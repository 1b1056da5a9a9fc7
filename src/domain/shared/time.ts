import { invalid } from './errors.ts'

/** Unix seconds before which the clock has not been set yet, since this server did not exist then. */
export const PLAUSIBLE_SINCE = Date.UTC(2025, 0, 1) / 1000

const SECONDS_PER_DAY = 86_400
/** 0000-01-01T00:00:00 and 9999-12-31T23:59:59, the limits of a year with four digits. */
const FIRST_SECOND = -62_167_219_200
const LAST_SECOND = 253_402_300_799

/** Greater numbers are milliseconds (docs/protocol.md#D44): as seconds they would lie beyond the year 5138. */
const MILLISECONDS_FROM = 1e11

const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

// Downloads are ordered by time, so the same day comes many times in a row.
let lastDay = Number.NaN
let lastDayText = ''

function dayText(day: number): string {
  if (day === lastDay) return lastDayText
  lastDay = day
  lastDayText = new Date(1000 * SECONDS_PER_DAY * day).toISOString().slice(0, 11)
  return lastDayText
}

/** Unix seconds as `YYYY-MM-DDTHH:MM:SS` in UTC (docs/protocol.md#time), clamped to the years 0000 to 9999. */
export function formatTimestamp(seconds: number): string {
  const whole = Math.min(Math.max(Math.floor(seconds), FIRST_SECOND), LAST_SECOND) || 0
  const day = Math.floor(whole / SECONDS_PER_DAY)
  const rest = whole - day * SECONDS_PER_DAY
  const hour = Math.floor(rest / 3600)
  const minute = Math.floor(rest / 60) % 60
  return `${dayText(day)}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[rest % 60]}`
}

export function timestampOrEmpty(seconds: number | undefined): string {
  return seconds === undefined ? '' : formatTimestamp(seconds)
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/

const DIGITS = /^\d{1,20}$/

/** An action's time in Unix seconds (docs/protocol.md#D44); `now` if missing. Throws `validation_failed`. */
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

// Uploads are usually ordered by time, too.
let lastIsoDay = ''
let lastIsoSeconds = 0

/** Parses `YYYY-MM-DDTHH:MM:SS` on the same day as the last timestamp; undefined for anything else. */
function fromLastDay(text: string): number | undefined {
  if (text.length !== 19 || !text.startsWith(lastIsoDay) || lastIsoDay === '') return undefined
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)]
  const isClock = text.charCodeAt(13) === COLON && text.charCodeAt(16) === COLON
  return isClock && hour < 24 && minute < 60 && second < 60
    ? lastIsoSeconds + hour * 3600 + minute * 60 + second
    : undefined
}

const COLON = 0x3a
const ZERO = 0x30

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function fromIso(text: string): number {
  const cached = fromLastDay(text)
  if (cached !== undefined) return cached
  const match = ISO.exec(text)
  if (match === null) throw badTimestamp()
  const [, year, month, day, hour, minute, second = 0, sign, offsetHours = 0, offsetMinutes = 0] = match
  const date = fromDate(Number(year), Number(month), Number(day))
  const time = fromClock(Number(hour), Number(minute), Number(second))
  // Without a zone, as in the classic form, the time is in UTC.
  const offset = fromClock(Number(offsetHours), Number(offsetMinutes), 0)
  const seconds = date + time - (sign === '-' ? -offset : offset)
  lastIsoDay = text.slice(0, 11)
  lastIsoSeconds = date
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

/** `since` in whole seconds (docs/protocol.md#D15), in plain decimal notation. Throws `validation_failed`. */
export function parseSince(raw: string | undefined): number {
  const text = raw?.trim() ?? ''
  if (text === '') return 0
  const whole = SINCE.exec(text)?.[1]
  if (whole === undefined) throw invalid('since', 'since must be a non-negative number of seconds')
  return Math.min(Number(whole), Number.MAX_SAFE_INTEGER)
}

const DAYS_PER_ERA = 146_097
const DAYS_TO_1970 = 719_468

export function daysFromCivil(year: number, month: number, day: number): number {
  // Counts years from March, so that the leap day comes last. `Date` would take ten times as long.
  const years = month > 2 ? year : year - 1
  const era = Math.floor(years / 400)
  const ofEra = years - era * 400
  const months = month > 2 ? month - 3 : month + 9
  const ofYear = Math.floor((153 * months + 2) / 5) + day - 1
  const days = ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear
  return era * DAYS_PER_ERA + days - DAYS_TO_1970
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)
}
