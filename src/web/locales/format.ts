import { language, t } from './index.ts'

/** A number with the separators of the current language. */
export function number(value: number): string {
  return new Intl.NumberFormat(language.value).format(value)
}

/** A time of the server, which is UTC without saying so. '' for ''. */
export function date(timestamp: string, style: 'date' | 'time' = 'date'): string {
  if (timestamp === '') return ''
  const options: Intl.DateTimeFormatOptions =
    style === 'date' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' }
  return new Intl.DateTimeFormat(language.value, options).format(new Date(`${timestamp}Z`))
}

/** A range of days, both as `YYYY-MM-DD`, as short as the language allows: `Nov 10 – 16`. */
export function days(from: string, to: string, hasYear = false): string {
  const format = new Intl.DateTimeFormat(language.value, {
    day: 'numeric',
    month: 'short',
    ...(hasYear && { year: 'numeric' }),
    timeZone: 'UTC',
  })
  return format.formatRange(Date.parse(from), Date.parse(to))
}

/** How long ago a time of the server was, to follow a sentence: `2 hours ago`. '' for ''. */
export function ago(timestamp: string): string {
  return timestamp === '' ? '' : relative(secondsUntil(timestamp), language.value, t('common.justNow'))
}

/** How far away a time to come is: `in 2 hours`. What is already due comes within a minute. */
export function until(timestamp: string): string {
  return relative(Math.max(1, secondsUntil(timestamp)), language.value, t('common.justNow'))
}

function secondsUntil(timestamp: string): number {
  return (Date.parse(`${timestamp}Z`) - Date.now()) / 1000
}

const MINUTE = 60

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', MINUTE],
]

/**
 * A distance in time: `2 hours ago`, `in 5 minutes`. Seconds are not counted: the last minute is `justNow`, the next one is one minute.
 * `seconds` are negative for the past.
 */
export function relative(seconds: number, locale: string, justNow: string): string {
  if (seconds <= 0 && seconds > -MINUTE) return justNow
  const away = seconds > 0 ? Math.max(seconds, MINUTE) : seconds
  const [unit, size] = UNITS.find(([, each]) => Math.abs(away) >= each) ?? ['minute', MINUTE]
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(away / size), unit)
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size such as `18 MB`, in steps of 1,024 as operating systems show it. */
export function bytes(count: number, locale: string): string {
  const step = Math.min(SIZES.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10))
  const amount = count / 1024 ** step
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: SIZES[step] ?? 'byte',
    maximumFractionDigits: step > 0 && amount < 10 ? 1 : 0,
  }).format(amount)
}

const SPANS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A length of time by its two largest units: `3 days, 4 hours`. */
export function duration(seconds: number, locale: string): string {
  const first = SPANS.findIndex(([, size]) => seconds >= size)
  const spans = SPANS.slice(first === -1 ? SPANS.length - 1 : first).slice(0, 2)
  let rest = Math.floor(seconds)
  const parts = spans.flatMap(([unit, size], index) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
    return index > 0 && count === 0 ? [] : [format.format(count)]
  })
  return new Intl.ListFormat(locale, { type: 'unit' }).format(parts)
}

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The `lang` attribute for a text in the language that a feed claims, such as `pt-br`; undefined if there is no such language. */
export function langAttribute(claimed: string): string | undefined {
  const code = /^[a-z]{2}(?=-|$)/i.exec(claimed)?.[0].toLowerCase()
  return code === undefined || names.of(code) === undefined ? undefined : code
}
