import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Described, openSearchWorld, type SearchWorld } from '../store/directory/search-world.ts'

type Text = readonly string[]

interface Podcast {
  readonly title: Text
  readonly author: Text
  readonly tags: Text
  readonly description: Text
  readonly subscribers: number
}

const USERS = 3

/** Few letters, so that words are similar. */
const word = (letters: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: letters })
const text = (most: number) => fc.array(word(8), { maxLength: most })
const anyPodcast: fc.Arbitrary<Podcast> = fc.record({
  title: fc.array(word(8), { minLength: 1, maxLength: 3 }),
  author: text(2),
  tags: text(2),
  description: text(4),
  subscribers: fc.integer({ min: 1, max: USERS }),
})
const podcasts = fc.array(anyPodcast, { minLength: 1, maxLength: 12 })
const query = fc.array(word(7), { minLength: 1, maxLength: 3 })

const urlOf = (n: number) => `https://feeds.example/${n}`

async function fill(all: readonly Podcast[]): Promise<SearchWorld> {
  const world = await openSearchWorld(USERS)
  for (const [n, { subscribers, ...texts }] of all.entries()) {
    for (let user = 0; user < subscribers; user++) await world.subscribe(user, urlOf(n))
    await world.describe(urlOf(n), described(texts))
  }
  await world.flush()
  return world
}

function described({ title, author, tags, description }: Omit<Podcast, 'subscribers'>): Described {
  return { title: title.join(' '), author: author.join(' '), tags, description: `<p>${description.join(', ')}</p>` }
}

type Meets = (typed: string, word: string) => boolean

const isSame: Meets = (typed, known) => typed === known
const begins: Meets = (typed, known) => known.startsWith(typed)
/** The fuzzy match of docs/protocol.md#D52, by brute force. */
const mayBegin: Meets = (typed, known) =>
  begins(typed, known) ||
  (typed.length >= 5 && [-1, 0, 1].some((more) => isNear(typed, known.slice(0, typed.length + more))))

/** Whether the words differ by one letter that is transposed, missing, added or changed. */
function isNear(typed: string, meant: string): boolean {
  const letters = [...typed]
  const made = letters.flatMap((letter, at) => [
    letters.toSpliced(at, 2, letters[at + 1] ?? '', letter),
    letters.toSpliced(at, 1),
    ...['a', 'b', 'c'].flatMap((other) => [letters.toSpliced(at, 1, other), letters.toSpliced(at, 0, other)]),
  ])
  return made.some((each) => each.join('') === meant)
}

const all = (words: Text, meets: Meets, known: Text) => words.every((typed) => known.some((each) => meets(typed, each)))

/** 0 for the best match; undefined if the podcast is not found. */
function rankOf({ title, author, tags, description }: Podcast, words: Text): number | undefined {
  const names = [...title, ...author, ...tags]
  const anywhere = [...names, ...description]
  const ways = [
    title.join('') === words.join(''),
    all(words, isSame, title),
    all(words, begins, title),
    all(words, isSame, names),
    all(words, begins, names),
    all(words, begins, anywhere) && words.some((typed) => all([typed], begins, title)),
    all(words, isSame, anywhere),
    all(words, begins, anywhere),
  ]
  const rank = ways.indexOf(true)
  if (rank >= 0) return rank
  const mistyped = [title, names, anywhere].findIndex((known) => all(words, mayBegin, known))
  return mistyped < 0 ? undefined : ways.length + mistyped
}

/** The simplest implementation of docs/protocol.md#D52: compares every podcast. */
function naive(podcasts: readonly Podcast[], words: Text): string[] {
  const found = podcasts.flatMap((each, n) => {
    const rank = rankOf(each, words)
    return rank === undefined ? [] : [{ n, rank, subscribers: each.subscribers, title: each.title.join(' ') }]
  })
  const right = found.filter(({ rank }) => rank < 8)
  return (right.length < 5 ? found : right)
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        b.subscribers - a.subscribers ||
        (a.title < b.title ? -1 : Number(a.title > b.title)) ||
        a.n - b.n,
    )
    .map(({ n }) => urlOf(n))
}

test('a search has the same results, in the same order, as comparing every podcast', async () => {
  const seen = { right: 0, mistyped: 0, nothing: 0 }
  await fc.assert(
    fc.asyncProperty(podcasts, fc.array(query, { minLength: 12, maxLength: 12 }), async (given, queries) => {
      const { search } = await fill(given)
      for (const words of queries) {
        const expected = naive(given, words)
        const isRight = given.some((each) => (rankOf(each, words) ?? 8) < 8)
        if (expected.length === 0) seen.nothing++
        else seen[isRight ? 'right' : 'mistyped']++
        expect([words, await search(words.join(' '))]).toEqual([words, expected])
      }
    }),
    { numRuns: 40 },
  )
  // All kinds of results must have occurred.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
})
