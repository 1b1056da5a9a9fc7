import type { Database } from 'bun:sqlite'

/** Letters of one script are neighbours among the code points. */
const SCRIPT_SIZE = 0x100
/** Greater than every letter. */
const LAST = '\u{10ffff}'

export type Vocabulary = ReturnType<typeof prepareVocabulary>

/** The words of all podcasts, sorted, which makes them a tree to climb letter by letter. */
export function prepareVocabulary(db: Database) {
  const next = db.prepare<{ word: string }, [string, string]>(
    'SELECT word FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT 1',
  )
  const some = db.prepare<{ word: string }, [string, string, number]>(
    'SELECT word FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT ?3',
  )
  return {
    /** Whether any word begins so. */
    isBeginning: (text: string): boolean => next.get(text, text + LAST) !== null,

    /** The letters that words beginning so go on with, of the script of the letter `like`. */
    lettersAfter(beginning: string, like: string): string[] {
      const code = like.codePointAt(0) ?? 0
      const script = code - (code % SCRIPT_SIZE)
      const end = beginning + String.fromCodePoint(script + SCRIPT_SIZE)
      const letters: string[] = []
      let from = beginning + String.fromCodePoint(script)
      for (;;) {
        const letter = next.get(from, end)?.word.codePointAt(beginning.length)
        if (letter === undefined) return letters
        letters.push(String.fromCodePoint(letter))
        from = beginning + String.fromCodePoint(letter + 1)
      }
    },

    /** The words that begin so; undefined if they are more than `most`. */
    beginningWith(text: string, most: number): string[] | undefined {
      const words = some.all(text, text + LAST, most + 1).map(({ word }) => word)
      return words.length > most ? undefined : words
    },
  }
}
