import { signal } from '@preact/signals'
import { relative } from './ago.ts'
import type { Text } from './en.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', it: 'Italiano' } as const
export type Language = keyof typeof LANGUAGES

const KEY = 'podstep.language'

export const language = signal<Language>('en')
const loaded = signal<Text | undefined>(undefined)

/** All texts in the language of the person. Reading it in a component makes that follow a change. */
export function t(): Text {
  if (!loaded.value) throw new Error('no language is loaded yet')
  return loaded.value
}

const FILES: Record<Language, () => Promise<{ default: Text }>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  it: () => import('./it.ts'),
}

/** The one chosen before, else the first of the browser's that we speak. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text)
}

export async function speak(wanted: Language, isChosen = false): Promise<void> {
  const file = await FILES[wanted]()
  loaded.value = file.default
  language.value = wanted
  document.documentElement.lang = wanted
  if (isChosen) localStorage.setItem(KEY, wanted)
}

/** Speaks what is chosen in another tab, too. */
export function followLanguage(): void {
  addEventListener('storage', () => {
    const wanted = preferredLanguage()
    if (wanted !== language.value) void speak(wanted)
  })
}

export { fill, plural } from './fill.ts'

/** Numbers as people of the language write them. */
export function number(value: number): string {
  return new Intl.NumberFormat(language.value).format(value)
}

/** `timestamp` as the server writes it: UTC, without saying so. '' for ''. */
export function date(timestamp: string, style: 'date' | 'time' = 'date'): string {
  if (timestamp === '') return ''
  const options: Intl.DateTimeFormatOptions =
    style === 'date' ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' }
  return new Intl.DateTimeFormat(language.value, options).format(new Date(`${timestamp}Z`))
}

/** How long ago, in words that follow a sentence. '' for ''. */
export function ago(timestamp: string): string {
  return timestamp === '' ? '' : relative(secondsUntil(timestamp), language.value, t().common.justNow)
}

/** As `ago`, for what is still to come: what is due comes within a minute. */
export function until(timestamp: string): string {
  return relative(Math.max(1, secondsUntil(timestamp)), language.value, t().common.justNow)
}

function secondsUntil(timestamp: string): number {
  return (Date.parse(`${timestamp}Z`) - Date.now()) / 1000
}

/** Days of the calendar from the first to the last, both as `YYYY-MM-DD`, as short as people write them: `Nov 10 – 16`. */
export function days(from: string, to: string, hasYear = false): string {
  const format = new Intl.DateTimeFormat(language.value, {
    day: 'numeric',
    month: 'short',
    ...(hasYear && { year: 'numeric' }),
    timeZone: 'UTC',
  })
  return format.formatRange(Date.parse(from), Date.parse(to))
}
