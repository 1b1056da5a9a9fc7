import { type BenchTexts, type Chance, CJK_EVERY, pick } from './directory-text.ts'

export interface QueryGroup {
  readonly name: string
  readonly queries: readonly string[]
  /** Milliseconds that hardly any may take. */
  readonly wanted: number
}

const PREFIX_MS = 10
const TYPO_MS = 30
const EACH = 100

/** What people type, and what is hardest to answer, each kind apart. */
export function createQueries({ words, common, podcast }: BenchTexts, podcasts: number, chance: Chance): QueryGroup[] {
  const many = (make: () => string, count = EACH) => Array.from({ length: count }, make)
  const below = (count: number) => Math.floor(chance() * count)
  const anyPodcast = () => podcast(1 + below(podcasts))
  const commonWord = () => words[below(common)] ?? ''
  const rareWord = () => words[20_000 + below(100_000)] ?? ''
  const saidWord = () => pick(anyPodcast().description.split(' '), chance)
  const begun = (word: string) => word.slice(0, Math.max(3, word.length - 1 - below(3)))

  /** A word with more than one letter of the kind that people mistype. */
  function longWord(): string {
    for (;;) {
      const word = pick(anyPodcast().title.toLowerCase().split(' '), chance)
      if (/^[a-z]{6,}$/.test(word) && words.indexOf(word) > common) return word
    }
  }

  function mistyped(change: (letters: string[], at: number) => void): string {
    const letters = [...longWord()]
    change(letters, below(letters.length - 1))
    return letters.join('')
  }

  function ofOnePodcast(count: number): string {
    const { title, description } = anyPodcast()
    const [first = ''] = title.split(' ')
    const rest = many(() => pick(description.split(' '), chance), count - 1)
    return [begun(first), ...rest.map((word) => (chance() < 0.5 ? begun(word) : word))].join(' ')
  }

  const prefix = (name: string, queries: readonly string[]): QueryGroup => ({ name, queries, wanted: PREFIX_MS })
  const typo = (name: string, queries: readonly string[]): QueryGroup => ({ name, queries, wanted: TYPO_MS })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const anyLetter = () => pick(letters, chance)

  return [
    prefix('one letter', letters),
    prefix(
      'three letters',
      many(() => saidWord().slice(0, 3)),
    ),
    prefix('a common word', words.slice(0, EACH)),
    prefix('a common word, begun', words.slice(0, common).map(begun)),
    prefix(
      'two common words',
      many(() => `${commonWord()} ${commonWord()}`),
    ),
    prefix(
      'three common words, begun',
      many(() => [1, 2, 3].map(() => begun(commonWord())).join(' ')),
    ),
    prefix(
      'Chinese or Japanese',
      many(() => {
        const { title } = podcast(CJK_EVERY * (1 + below(Math.floor(podcasts / CJK_EVERY))))
        const from = below(title.length - 2)
        return title.slice(from, from + 2 + below(3))
      }),
    ),
    // With fewer than five hits it is looked for what may have been meant, so these are of this kind as well.
    typo('a rare word', many(rareWord)),
    typo(
      'two words of a podcast',
      many(() => ofOnePodcast(2)),
    ),
    typo(
      'three words of a podcast',
      many(() => ofOnePodcast(3)),
    ),
    typo(
      'two letters swapped',
      many(() => mistyped((list, at) => list.splice(at, 2, list[at + 1] ?? '', list[at] ?? ''))),
    ),
    typo(
      'a letter missing',
      many(() => mistyped((list, at) => list.splice(at, 1))),
    ),
    typo(
      'a letter too many',
      many(() => mistyped((list, at) => list.splice(at, 0, anyLetter()))),
    ),
    typo(
      'a wrong letter',
      many(() => mistyped((list, at) => list.splice(at, 1, anyLetter()))),
    ),
    typo(
      'a common word and one mistyped',
      many(() => `${commonWord()} ${mistyped((list, at) => list.splice(at, 1, anyLetter()))}`),
    ),
    typo(
      'nothing is like it',
      many(() => [1, 2, 3, 4, 5, 6, 7].map(() => pick([...'bcdfghjklmnpqrstvwxz'], chance)).join('')),
    ),
    typo(
      'nothing has all three',
      many(() => `${rareWord()} ${rareWord()} ${rareWord()}`),
    ),
    typo('twelve letters', [
      letters.slice(0, 12).join(' '),
      letters.slice(8, 20).join(' '),
      letters.slice(14, 26).join(' '),
    ]),
    typo(
      'twelve common words',
      many(() => many(commonWord, 12).join(' '), 20),
    ),
    typo(
      'twelve common words, mistyped',
      many(() => many(() => `${begun(pick(words.slice(20, common), chance))}x`, 12).join(' '), 20),
    ),
  ]
}
