import { fold } from './fold.ts'

/** A way to meet a word of a query: all of its terms. */
export type Terms = readonly Term[]

export interface Term {
  readonly text: string
  /** Whether longer words that begin so will do. */
  readonly isPrefix: boolean
}

export interface QueryWord {
  /** Any of them will do: `sci-fi` is met by `sci` and `fi`, or by `scifi`. */
  readonly ways: readonly Terms[]
}

/** Words in a row that one sign joins: `sci-fi`, `l'amour`, `R.E.M`, `npr.org`. */
const CHAIN = /[\p{L}\p{M}\p{N}]+(?:['’.\-&_][\p{L}\p{M}\p{N}]+)*/gu
const JOINT = /['’.\-&_]/

/** Scripts that put no space between words, or hang much onto them. A part of a title is found by its pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu

const ARABIC_ARTICLE = 'ال'

/** Longer ones are no words; what is cut off is cut off of queries too. */
const WORD_MAX = 32
const QUERY_MAX = 500
const QUERY_WORDS_MAX = 12

/** No letter of any language, so that it marks the one term that is a whole title. */
const WHOLE = '\ue000'

/** The words a text is found by, each once. */
export function indexWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const [chain] of fold(text).matchAll(CHAIN)) {
    const parts = chain.split(JOINT)
    for (const part of parts) addPart(words, part)
    if (parts.length > 1 && chain.length <= WORD_MAX) addPart(words, parts.join(''))
  }
  return words
}

function addPart(words: Set<string>, part: string): void {
  for (const { text, isUnspaced } of pieces(part)) {
    if (isUnspaced) for (const pair of pairs(text, true)) words.add(pair)
    else {
      words.add(cut(text))
      if (text.startsWith(ARABIC_ARTICLE) && text.length > 4) words.add(cut(text.slice(ARABIC_ARTICLE.length)))
    }
  }
}

/** What a query asks for, in order. Has no words if there is none in it. */
export function queryWords(query: string): QueryWord[] {
  const words: QueryWord[] = []
  for (const [chain] of fold(query.slice(0, QUERY_MAX)).matchAll(CHAIN)) {
    if (words.length === QUERY_WORDS_MAX) break
    const parts = chain.split(JOINT)
    // The `l` of `l'amour` says nothing.
    const telling = parts.filter(({ length }) => length > 1)
    const apart = (telling.length > 0 ? telling : parts).flatMap(termsOf)
    const ways = [apart]
    if (parts.length > 1) ways.push(termsOf(parts.join('')))
    words.push({ ways })
  }
  return words
}

function termsOf(part: string): Term[] {
  return pieces(part).flatMap(({ text, isUnspaced }): Term[] => {
    // Pairs are met as they are; with one character alone any pair will do that begins with it.
    const isWord = !isUnspaced || [...text].length === 1
    return isWord
      ? [{ text: cut(text), isPrefix: true }]
      : pairs(text, false).map((pair) => ({ text: pair, isPrefix: false }))
  })
}

/** The term under which a podcast of exactly this title is found, whatever the spaces and signs in it. */
export function wholeTitle(title: string): string {
  return (
    WHOLE + [...fold(title.slice(0, QUERY_MAX)).replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '')].slice(0, WORD_MAX).join('')
  )
}

/** Whether it is a word that somebody may mistype: not one of the pairs that stand for a script without spaces. */
export function isSpelled(word: string): boolean {
  return word.search(UNSPACED) === -1
}

function pieces(part: string): { readonly text: string; readonly isUnspaced: boolean }[] {
  const found: { text: string; isUnspaced: boolean }[] = []
  let end = 0
  const add = (text: string, isUnspaced: boolean) => {
    if (text !== '') found.push({ text, isUnspaced })
  }
  for (const { 0: text, index } of part.matchAll(UNSPACED)) {
    add(part.slice(end, index), false)
    add(text, true)
    end = index + text.length
  }
  add(part.slice(end), false)
  return found
}

/** Each character with the next one; the last stands alone where a search for it is to find it too. */
function pairs(text: string, withLast: boolean): string[] {
  const characters = [...text]
  const all = characters.map((character, index) => character + (characters[index + 1] ?? ''))
  return withLast ? all : all.slice(0, -1)
}

function cut(word: string): string {
  return word.length <= WORD_MAX ? word : [...word].slice(0, WORD_MAX).join('')
}
