import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { documentIdOf } from '../../../src/store/directory/search/search-index.ts'
import { termsOf } from '../../../src/store/directory/search/search-terms.ts'
import { BY_COMMAND_LINE } from '../contract/fixtures.ts'
import { type Described, openSearchWorld, type SearchWorld } from './search-world.ts'

const USERS = 9
const URLS = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/feed`)

const kind = <const K extends string>(...names: K[]) => fc.constantFrom(...names)
const user = fc.nat(USERS - 1)
const url = fc.constantFrom(...URLS)
const words = fc
  .array(fc.constantFrom('Harbour', 'Café', 'Hafen', '東京ラジオ', 'sci-fi', 'الموسيقى', 'fog', '!'), { maxLength: 4 })
  .map((all) => all.join(' '))
const described: fc.Arbitrary<Described> = fc.record({
  title: words,
  author: words,
  description: words,
  tags: fc.array(words),
})

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('subscribe', 'unsubscribe'), user, url }) },
  // The first `count` users, to pass powers of two.
  { weight: 3, arbitrary: fc.record({ kind: kind('crowd'), count: fc.integer({ min: 1, max: USERS }), url }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('describe'), url, described }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('removeUser', 'deactivate'), user }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('removeOrphaned', 'index', 'pruneVocabulary') }) },
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function take({ store, ...world }: SearchWorld, gone: Set<number>, step: Step): Promise<void> {
  if ('user' in step && gone.has(step.user)) return
  switch (step.kind) {
    case 'subscribe':
      await world.subscribe(step.user, step.url)
      break
    case 'unsubscribe':
      await world.unsubscribe(step.user, step.url)
      break
    case 'crowd':
      for (let user = 0; user < step.count; user++) if (!gone.has(user)) await world.subscribe(user, step.url)
      break
    case 'describe':
      await world.describe(step.url, step.described)
      break
    case 'removeUser':
      gone.add(step.user)
      await store.users.remove(`user${step.user}`, BY_COMMAND_LINE)
      break
    case 'deactivate':
      await store.users.setActive(`user${step.user}`, false, BY_COMMAND_LINE)
      break
    case 'removeOrphaned':
      await store.indexStore.removeOrphaned(Number.MAX_SAFE_INTEGER, 0)
      break
    case 'pruneVocabulary':
      await store.indexStore.pruneVocabulary('', 1000)
      break
    default:
      await world.flush()
  }
}

interface Row {
  readonly id: number
  readonly url: string
  readonly subscribers: number
  readonly title: string | null
  readonly author: string | null
  readonly description: string | null
  readonly tags: string | null
}

/** The expected index: the terms of each podcast with current or former subscribers, by document. */
function wanted({ db }: SearchWorld): Map<number, string[]> {
  const rows = db
    .query<Row, []>(
      `SELECT p.id, p.url, p.subscribers, d.title, d.author, d.description, d.tags
         FROM podcasts p LEFT JOIN podcast_details d ON d.podcast_id = p.id
        WHERE EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = p.id)`,
    )
    .all()
  return new Map(
    rows.map(({ id, url, subscribers, title, author, description, tags }) => {
      const list: string[] = JSON.parse(tags ?? '[]')
      const { terms } = termsOf({
        title: title || url.replace('https://', ''),
        author: author ?? '',
        tags: list.join(' '),
        description: description ?? '',
      })
      return [documentIdOf(id, subscribers), terms.split(' ').toSorted()]
    }),
  )
}

/** The contents of the index, as listed by SQLite. */
function held({ db }: SearchWorld): Map<number, string[]> {
  db.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.held USING fts5vocab('main', 'search_terms', 'instance')")
  const rows = db.query<{ doc: number; term: string }, []>('SELECT doc, term FROM temp.held').all()
  const byDocument = Map.groupBy(rows, ({ doc }) => doc)
  return new Map([...byDocument].map(([doc, its]) => [doc, its.map(({ term }) => term).toSorted()]))
}

const ids = ({ db }: SearchWorld, sql: string) => db.query(`${sql} ORDER BY id`).values().flat()

test('the search index always has the current texts of each podcast, once', async () => {
  let documents = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const world = await openSearchWorld(USERS)
      const gone = new Set<number>()
      for (const next of steps) await take(world, gone, next)
      await world.flush()
      const expected = wanted(world)
      documents += expected.size
      expect(held(world)).toEqual(expected)
      const numbers = [...expected.keys()].toSorted((a, b) => a - b)
      expect(ids(world, 'SELECT rowid AS id FROM search_terms')).toEqual(numbers)
      expect(ids(world, 'SELECT document_id AS id FROM search_documents')).toEqual(numbers)
      world.db.run("INSERT INTO search_terms (search_terms) VALUES ('integrity-check')")
      // Unused words are pruned occasionally.
      await world.store.indexStore.pruneVocabulary('', 1000)
      const known = world.db.query<{ word: string }, []>('SELECT word FROM search_words').all()
      const spelled = [...expected.values()].flat().filter((term) => /^[a-z\u0600-\u06ff]{4,}$/.test(term))
      expect(new Set(known.map(({ word }) => word))).toEqual(new Set(spelled))
    }),
    { numRuns: 60 },
  )
  expect(documents).toBeGreaterThan(60)
})
