import { signal } from '@preact/signals'
import type { Language } from '../../domain/shared/languages.ts'
import { formatNumber, formatOf } from './formats.ts'
import {
  createTranslator,
  type Messages,
  type PlainKey,
  type PluralKey,
  type Translator,
  type Values,
} from './messages.ts'

export type { Language, PlainKey }

interface Locale {
  /** Name of the language in that language. */
  readonly name: string
  readonly load: () => Promise<{ readonly default: Messages }>
}

/** Languages of the client, in display order. */
const LOCALES: Readonly<Record<Language, Locale>> = {
  en: { name: 'English', load: () => import('./en.json') },
  de: { name: 'Deutsch', load: () => import('./de.json') },
  fr: { name: 'Français', load: () => import('./fr.json') },
  es: { name: 'Español', load: () => import('./es.json') },
  it: { name: 'Italiano', load: () => import('./it.json') },
}

export const LANGUAGES = Object.entries(LOCALES).map(([code, { name }]) => ({ code: code as Language, name }))

const STORAGE_KEY = 'podstep.language'

export const language = signal<Language>('en')
const translator = signal<Translator | undefined>(undefined)

/** Returns the text for a key in the current language. Components that call it re-render when the language changes. */
export function t(key: PlainKey, values?: Values): string
export function t(key: PluralKey, values: Values & { readonly n: number }): string
export function t(key: PlainKey | PluralKey, values?: Values): string {
  return current().translate(key, values)
}

/** Returns the text for a key that may not exist, such as one derived from an error code. */
export function findText(key: string): string | undefined {
  return current().find(key)
}

function current(): Translator {
  if (!translator.value) throw new Error('no language is loaded yet')
  return translator.value
}

/** Returns the language chosen in this browser, else the first supported one of the browser's list, else English. */
export function preferredLanguage(): Language {
  const candidates = [localStorage.getItem(STORAGE_KEY) ?? '', ...navigator.languages]
  return candidates.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LOCALES, code)
}

/** Loads a language and switches to it. `isChosen` stores the choice in this browser. */
export async function setLanguage(code: Language, isChosen = false): Promise<void> {
  const { default: messages } = await LOCALES[code].load()
  translator.value = createTranslator(messages, code)
  language.value = code
  // Browsers recalculate all styles on assignment, even if the value stays the same.
  if (document.documentElement.lang !== code) document.documentElement.lang = code
  if (isChosen) localStorage.setItem(STORAGE_KEY, code)
}

/** Switches the language when the user does so in another tab. */
export function followLanguage(): void {
  addEventListener('storage', () => {
    const preferred = preferredLanguage()
    if (preferred !== language.value) void setLanguage(preferred)
  })
}

/** Formats a number with the separators of the current language. */
export function number(value: number): string {
  return formatNumber(value, language.value)
}

/** Formats a timestamp of the server: UTC without a zone suffix. Returns '' for ''. */
export function date(timestamp: string, style: 'date' | 'time' = 'date'): string {
  if (timestamp === '') return ''
  const options: Intl.DateTimeFormatOptions =
    style === 'date' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' }
  const { value: locale } = language
  return formatOf(style, locale, () => new Intl.DateTimeFormat(locale, options)).format(new Date(`${timestamp}Z`))
}

/** Formats a range of days, given as `YYYY-MM-DD`, as short as the language allows: `Nov 10 – 16`. */
export function days(from: string, to: string, hasYear = false): string {
  const format = new Intl.DateTimeFormat(language.value, {
    day: 'numeric',
    month: 'short',
    ...(hasYear && { year: 'numeric' }),
    timeZone: 'UTC',
  })
  return format.formatRange(Date.parse(from), Date.parse(to))
}

/** Formats a past server timestamp for use in a sentence: `2 hours ago`. Returns '' for ''. */
export function ago(timestamp: string): string {
  return timestamp === '' ? '' : relative(secondsUntil(timestamp), language.value, t)
}

/** Formats a future server timestamp: `in 2 hours`. Times already past read as in one minute. */
export function until(timestamp: string): string {
  return relative(Math.max(1, secondsUntil(timestamp)), language.value, t)
}

function secondsUntil(timestamp: string): number {
  return (Date.parse(`${timestamp}Z`) - Date.now()) / 1000
}

const MINUTE = 60
const DAY = 86_400

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', DAY],
  ['hour', 3600],
  ['minute', MINUTE],
] as const

/**
 * Formats a time relative to now: `2 hours ago`, `in 5 minutes`. Negative `seconds` are in the past. The smallest unit
 * is the minute: the last one is “just now”, the next one is one minute. From 24 hours ago, counts calendar days. Past
 * times appear on each card of Home, so they use translated texts instead of the slower `Intl` (formats.ts).
 */
export function relative(seconds: number, locale: string, text: Translator['translate'], now = new Date()): string {
  if (seconds <= 0 && seconds > -MINUTE) return text('common.justNow')
  const away = Math.max(seconds <= -DAY ? daysBack(seconds, now) * DAY : Math.abs(seconds), MINUTE)
  const [unit, size] = UNITS.find(([, each]) => away >= each) ?? (['minute', MINUTE] as const)
  const n = Math.round(away / size)
  if (seconds <= 0) return unit === 'day' && n === 2 ? text('common.ago.twoDays') : text(`common.ago.${unit}`, { n })
  const format = formatOf('relative', locale, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  return format.format(n, unit)
}

/** Number of midnights between then and now, in the browser's time zone. */
function daysBack(seconds: number, now: Date): number {
  const startOf = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
  return Math.round((startOf(now) - startOf(new Date(now.getTime() + seconds * 1000))) / (DAY * 1000))
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Formats a size such as `18 MB`. Units are powers of 1,024, as in operating systems. */
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

/** Formats a waiting time: `17 seconds`, `10 minutes`, `2 hours`. Rounds up. */
export function waitingTime(seconds: number): string {
  const [unit, size] = WAITS.find(([, each]) => seconds >= each * 2) ?? (['second', 1] as const)
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(language.value, options).format(Math.ceil(seconds / size))
}

const WAITS = [
  ['hour', 3600],
  ['minute', 60],
] as const

/** Formats the length of an episode or the rest of it: `1 h 24 min`, `4 min`. Shows seconds only below a minute. */
export function duration(seconds: number): string {
  if (seconds < 60) return t('common.duration.seconds', { n: Math.round(Math.max(0, seconds)) })
  const minutes = Math.round(seconds / 60)
  const [h, m] = [Math.floor(minutes / 60), minutes % 60]
  if (h === 0) return t('common.duration.minutes', { n: minutes })
  return m === 0 ? t('common.duration.hours', { n: number(h) }) : t('common.duration.hoursMinutes', { h: number(h), m })
}

/** Formats the rest of an episode: `4 min left`. */
export function timeLeft(seconds: number): string {
  return t('common.duration.left', { time: duration(seconds) })
}

/** Formats a length of time in its two largest units: `3 days, 4 hours`. */
export function longDuration(seconds: number, locale: string): string {
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

/** Returns the `lang` attribute for a language that a feed declares, such as `pt-br`; undefined if unknown. */
export function langAttribute(claimed: string): string | undefined {
  const code = /^[a-z]{2}(?=-|$)/i.exec(claimed)?.[0].toLowerCase()
  return code !== undefined && isKnownLanguage(code) ? code : undefined
}

const knownLanguages = new Map<string, boolean>()

/** Whether the browser knows the script of a language. `Intl.DisplayNames` would take much longer to load. */
function isKnownLanguage(code: string): boolean {
  const known = knownLanguages.get(code) ?? new Intl.Locale(code).maximize().script !== undefined
  knownLanguages.set(code, known)
  return known
}
