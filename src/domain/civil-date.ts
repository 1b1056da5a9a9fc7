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
export function civilFromDays(days: number): CivilDate {
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
