import { invalid } from './errors.ts'

const DECIMAL = /^-?\d+(?:\.\d*)?$/

/** `HH:MM:SS` or `MM:SS`, as API version 1 wrote positions. */
const CLOCK = /^(?:(\d{1,6}):)?(\d{1,6}):(\d\d?)$/

/**
 * A position or length in whole seconds (protocol.md D43); undefined if absent: missing, null, blank or negative
 * (AntennaPod's -1).
 * Decimals are floored. Throws validation_failed on `field` for other types, unreadable text and numbers beyond safe
 * integers.
 */
export function parseSeconds(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined
  const seconds = typeof value === 'string' ? fromText(value.trim()) : value
  if (seconds === undefined) return undefined
  if (typeof seconds !== 'number') throw badSeconds(field)
  if (seconds < 0) return undefined
  const whole = Math.floor(seconds) + 0 // turns -0 into 0
  if (!Number.isSafeInteger(whole)) throw badSeconds(field)
  return whole
}

/** NaN for unreadable text, which no safe integer is. */
function fromText(text: string): number | undefined {
  if (text === '') return undefined
  if (DECIMAL.test(text)) return Number(text)
  const match = CLOCK.exec(text)
  if (match === null) return Number.NaN
  const [, hours = 0, minutes, seconds] = match
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function badSeconds(field: string) {
  return invalid(field, `${field} must be a number of seconds`)
}
