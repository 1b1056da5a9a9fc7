import { fold } from '../shared/text.ts'

export type Terms = readonly Term[]

export interface Term {
  readonly text: string
  readonly isPrefix: boolean
}

export interface QueryWord {
  readonly alternatives: readonly Terms[]
}

/** Characters between words that may also be written as one, such as hyphens, dots, `·`, `・` and invisible ones. */
const JOINT = "['.\\-&_/·・\\u05be\\u200b\\u200c\\u2010-\\u2013]"
const JOINTS = new RegExp(JOINT)
/** Words joined by single characters: `sci-fi`, `l'amour`, `R.E.M`, `npr.org`. */
const CHAIN = new RegExp(`[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*(?:${JOINT}[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*)*`, 'gu')
/** Elided article or possessive, as in `l'amour` and `harbour's`. */
const ELIDED = /^\p{L}'(?=\p{L}{2})|(?<=\p{L}{2})'s$/gu

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu

/** Arabic and Hebrew articles, with or without attached particles. The rest is indexed as another word. */
const ARTICLE = /^(?:[وفبك]?ال|لل|ו?ה)(?=.{3})/u

/** Longer words are cut, in the index and in queries. */
const WORD_MAX = 32
const QUERY_MAX = 500
const QUERY_WORDS_MAX = 12
const QUERY_PAIRS_MAX = 16

export function indexWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const [chain] of fold(text).matchAll(CHAIN)) {
    const parts = chain.split(JOINTS)
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
      words.add(cut(text.replace(ARTICLE, '')))
    }
  }
}

export function queryWords(query: string): QueryWord[] {
  const chains = new Set([...fold(query.slice(0, QUERY_MAX)).matchAll(CHAIN)].map(([chain]) => chain))
  return [...chains].slice(0, QUERY_WORDS_MAX).map((chain) => ({ alternatives: alternativesOf(chain) }))
}

function alternativesOf(chain: string): Terms[] {
  const parts = chain.replaceAll(ELIDED, '').split(JOINTS)
  const apart = parts.flatMap((part, at) => termsOf(part, at < parts.length - 1))
  if (!JOINTS.test(chain) || chain.length > WORD_MAX) return [apart]
  return [apart, termsOf(chain.split(JOINTS).join(''))]
}

/** `isEnded` means that another part follows, so a single letter is not a prefix, as in `R.E.M`. */
function termsOf(part: string, isEnded = false): Term[] {
  return pieces(part).flatMap(({ text, isUnspaced }): Term[] => {
    const isSingle = [...text].length === 1
    // Pairs match exactly. A single character matches any pair that begins with it.
    return isUnspaced && !isSingle
      ? pairs(text, false)
          .slice(0, QUERY_PAIRS_MAX)
          .map((pair) => ({ text: pair, isPrefix: false }))
      : [{ text: cut(text.replace(ARTICLE, '')), isPrefix: isUnspaced || !(isEnded && isSingle) }]
  })
}

/** Key that is equal for titles that differ only in spaces and punctuation; `''` for a title of punctuation only. */
export function wholeTitle(title: string): string {
  return [...fold(title.slice(0, QUERY_MAX)).replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '')].slice(0, WORD_MAX).join('')
}

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

function pairs(text: string, withLast: boolean): string[] {
  const characters = [...text]
  const all = characters.map((character, index) => character + (characters[index + 1] ?? ''))
  return withLast ? all : all.slice(0, -1)
}

function cut(word: string): string {
  return word.length <= WORD_MAX ? word : [...word].slice(0, WORD_MAX).join('')
}
