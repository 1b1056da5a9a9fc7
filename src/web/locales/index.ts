import { signal } from '@preact/signals'
import { formatNumber, formatOf } from './formats.ts'
import {
  createTranslator,
  type Messages,
  type PlainKey,
  type PluralKey,
  type Translator,
  type Values,
} from './messages.ts'

export type { PlainKey }

interface Locale {
  /** What the language is called by those who speak it. */
  readonly name: string
  readonly load: () => Promise<{ readonly default: Messages }>
}

/** The languages of the client, in the order in which they are offered. This is the one place that lists them. */
const LOCALES = {
  en: { name: 'English', load: () => import('./en.json') },
  de: { name: 'Deutsch', load: () => import('./de.json') },
  fr: { name: 'Français', load: () => import('./fr.json') },
  es: { name: 'Español', load: () => import('./es.json') },
  it: { name: 'Italiano', load: () => import('./it.json') },
} satisfies Readonly<Record<string, Locale>>

export type Language = keyof typeof LOCALES

export const LANGUAGES = Object.entries(LOCALES).map(([code, { name }]) => ({ code: code as Language, name }))

const STORAGE_KEY = 'podstep.language'

export const language = signal<Language>('en')
const translator = signal<Translator | undefined>(undefined)

/** The text for a key in the current language. A component that calls it renders again when the language changes. */
export function t(key: PlainKey, values?: Values): string
export function t(key: PluralKey, values: Values & { readonly n: number }): string
export function t(key: PlainKey | PluralKey, values?: Values): string {
  return current().translate(key, values)
}

/** The text for a key that may not exist, such as one for an error code. */
export function findText(key: string): string | undefined {
  return current().find(key)
}

function current(): Translator {
  if (!translator.value) throw new Error('no language is loaded yet')
  return translator.value
}

/** The language chosen earlier in this browser, else the first of the browser's that we have, else English. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORAGE_KEY) ?? '', ...navigator.languages]
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LOCALES, code)
}

/** Loads a language and shows everything in it. With `isChosen` this browser remembers it. */
export async function setLanguage(code: Language, isChosen = false): Promise<void> {
  const { default: messages } = await LOCALES[code].load()
  translator.value = createTranslator(messages, code)
  language.value = code
  // Browsers style everything again whenever it is set, also to what it is.
  if (document.documentElement.lang !== code) document.documentElement.lang = code
  if (isChosen) localStorage.setItem(STORAGE_KEY, code)
}

/** Follows a language that is chosen in another tab. */
export function followLanguage(): void {
  addEventListener('storage', () => {
    const wanted = preferredLanguage()
    if (wanted !== language.value) void setLanguage(wanted)
  })
}

/** A number with the separators of the current language. */
export function number(value: number): string {
  return formatNumber(value, language.value)
}

/** A time of the server, which is UTC without saying so. '' for ''. */
export function date(timestamp: string, style: 'date' | 'time' = 'date'): string {
  if (timestamp === '') return ''
  const options: Intl.DateTimeFormatOptions =
    style === 'date' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' }
  const { value: locale } = language
  return formatOf(style, locale, () => new Intl.DateTimeFormat(locale, options)).format(new Date(`${timestamp}Z`))
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
  return timestamp === '' ? '' : relative(secondsUntil(timestamp), language.value, t)
}

/** How far away a time to come is: `in 2 hours`. What is already due comes within a minute. */
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
 * A distance in time: `2 hours ago`, `in 5 minutes`. Seconds are not counted: the last minute is “just now”, the next
 * one is one minute. From 24 hours on the past is counted in days of the calendar. `seconds` are negative for the past, which is on each card of Home and has texts of its own
 * therefore (formats.ts).
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

/** Midnights between then and now, in the time zone of the browser. */
function daysBack(seconds: number, now: Date): number {
  const startOf = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
  return Math.round((startOf(now) - startOf(new Date(now.getTime() + seconds * 1000))) / (DAY * 1000))
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

/** How long to wait: `17 seconds`, `10 minutes`, `2 hours`. It is never less than the seconds given. */
export function waitingTime(seconds: number): string {
  const [unit, size] = WAITS.find(([, each]) => seconds >= each * 2) ?? (['second', 1] as const)
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(language.value, options).format(Math.ceil(seconds / size))
}

const WAITS = [
  ['hour', 3600],
  ['minute', 60],
] as const

/** How long an episode is, or what is left of it: `1 h 24 min`, `4 min`. Seconds count below a minute only. */
export function duration(seconds: number): string {
  if (seconds < 60) return t('common.duration.seconds', { n: Math.round(Math.max(0, seconds)) })
  const minutes = Math.round(seconds / 60)
  const [h, m] = [Math.floor(minutes / 60), minutes % 60]
  if (h === 0) return t('common.duration.minutes', { n: minutes })
  return m === 0 ? t('common.duration.hours', { n: number(h) }) : t('common.duration.hoursMinutes', { h: number(h), m })
}

/** What is left of an episode: `4 min left`. */
export function timeLeft(seconds: number): string {
  return t('common.duration.left', { time: duration(seconds) })
}

/** A length of time by its two largest units: `3 days, 4 hours`. */
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

/** The `lang` attribute for a text in the language that a feed claims, such as `pt-br`; undefined if none. */
export function langAttribute(claimed: string): string | undefined {
  const code = /^[a-z]{2}(?=-|$)/i.exec(claimed)?.[0].toLowerCase()
  return code !== undefined && isKnownLanguage(code) ? code : undefined
}

const knownLanguages = new Map<string, boolean>()

/** Whether browsers know where and in which script it is written. Their names of languages take much longer to load. */
function isKnownLanguage(code: string): boolean {
  const known = knownLanguages.get(code) ?? new Intl.Locale(code).maximize().script !== undefined
  knownLanguages.set(code, known)
  return known
}
