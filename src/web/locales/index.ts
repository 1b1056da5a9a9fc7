import { signal } from '@preact/signals'
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

/** The language chosen earlier in this browser, else the first of the browser's languages that we have, else English. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORAGE_KEY) ?? '', ...navigator.languages]
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(LOCALES, code)
}

/** Loads a language and shows everything in it. With `isChosen` this browser remembers it. */
export async function setLanguage(code: Language, isChosen = false): Promise<void> {
  const messages = await LOCALES[code].load()
  translator.value = createTranslator(messages.default, code)
  language.value = code
  document.documentElement.lang = code
  if (isChosen) localStorage.setItem(STORAGE_KEY, code)
}

/** Follows a language that is chosen in another tab. */
export function followLanguage(): void {
  addEventListener('storage', () => {
    const wanted = preferredLanguage()
    if (wanted !== language.value) void setLanguage(wanted)
  })
}
