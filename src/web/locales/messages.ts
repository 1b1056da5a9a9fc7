import type english from './en.json'
import { formatNumber, formatOf } from './formats.ts'

/** Values for the `{name}` placeholders of a text. `n` selects the plural form. */
export type Values = Readonly<Record<string, string | number>>

type Path<T, P extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${P}${K}` : Path<T[K], `${P}${K}.`>
}[keyof T & string]

type PluralForm = Intl.LDMLPluralRule
type EntryKey = Path<typeof english>

/** A key of a text with plural forms: `home.selected` for `home.selected_one` and `home.selected_other`. */
export type PluralKey = EntryKey extends infer K ? (K extends `${infer Base}_other` ? Base : never) : never
/** A key of any other text. */
export type PlainKey = Exclude<EntryKey, `${PluralKey}_${PluralForm}`>

/**
 * Content of a locale's JSON file: all English keys. The compiler requires only `_other` of plural forms;
 * test/web/locales.test.ts requires all forms of the language.
 */
export type Messages = Complete<typeof english>
type Complete<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Complete<T[K]>
}

export interface Translator {
  /** Selects plural forms by `values.n`. */
  translate(key: PlainKey | PluralKey, values?: Values): string
  /** Looks up a key derived from server data, such as an error code. */
  find(key: string): string | undefined
}

/** Creates the translator of one locale. */
export function createTranslator(messages: Messages, locale: string): Translator {
  const texts = flatten(messages)

  function pluralForm(key: string, n: number): string {
    const rules = formatOf('plural', locale, () => new Intl.PluralRules(locale))
    return texts.get(`${key}_${rules.select(n)}`) ?? texts.get(`${key}_other`) ?? key
  }

  return {
    translate(key, values = {}) {
      const text = texts.get(key)
      if (text !== undefined) return interpolate(text, values)
      const n = Number(values['n'])
      return interpolate(pluralForm(key, n), { ...values, n: formatNumber(n, locale) })
    },
    find: (key) => texts.get(key),
  }
}

/** Flattens a nested object into `texts`: `{ home: { title: 'x' } }` becomes `home.title`. */
export function flatten(messages: object, texts = new Map<string, string>(), prefix = ''): Map<string, string> {
  for (const [key, value] of Object.entries(messages))
    if (typeof value === 'string') texts.set(prefix + key, value)
    else flatten(value, texts, `${prefix}${key}.`)
  return texts
}

/** Replaces each `{name}` that has a value. */
export function interpolate(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))
}
