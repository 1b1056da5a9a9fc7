import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createTranslator, type Messages, type Translator } from '../../../src/web/locales/messages.ts'

const FOLDER = join(import.meta.dir, '../../../src/web/locales')

/** The contents of all locale files. */
export const LOCALES: ReadonlyMap<string, Messages> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))] as const),
)

/** A translator for a locale, to find its texts on a page. */
export function textsIn(locale: string): Translator['translate'] {
  const messages = LOCALES.get(locale)
  if (!messages) throw new Error(`there is no locale ${locale}`)
  return createTranslator(messages, locale).translate
}

/** The English texts. */
export const t = textsIn('en')
