import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { queryWords } from '../../../src/domain/directory/words.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import {
  action,
  addUser,
  change,
  feedDocument,
  feedEpisode,
  fingerprinted,
  report,
  T,
  written,
} from '../contract/fixtures.ts'

const WORDS = ['harbour', 'gulls', 'fog', 'quay', 'tide']
const FEEDS = ['https://a.example/f', 'https://b.example/f', 'https://c.example/f']
const NUMBERS = 6
const mediaOf = (feed: string, n: number) => `${feed}/${n}.mp3`

const kind = <const K extends string>(...names: K[]) => fc.constantFrom(...names)
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' '))
const feed = fc.constantFrom(...FEEDS)
const n = fc.nat(NUMBERS - 1)
const user = fc.nat(1)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind('subscribe', 'unsubscribe'), user, feed }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('publish'), feed, n, title: text, description: text, day: fc.nat(400) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('hear'), user, feed, n }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('drop', 'forget'), feed, n }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('hide'), feed }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('index', 'rebuild') }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function open() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const users = [await addUser(store, 'ida'), await addUser(store, 'ole')] as const
  for (const url of FEEDS) await store.feeds.add(url, T)
  const idOf = async (url: string) => {
    const found = await store.feeds.find(url)
    if (!found) throw new Error('the feed is not known')
    return found.id
  }
  const own = [new Set<string>(), new Set<string>()] as const
  const heard = [new Set<string>(), new Set<string>()] as const

  async function take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'subscribe':
        own[next.user]?.add(next.feed)
        return void (await change(store, users[next.user] ?? users[0], 'phone', { add: [next.feed] }))
      case 'unsubscribe':
        own[next.user]?.delete(next.feed)
        return void (await change(store, users[next.user] ?? users[0], 'phone', { remove: [next.feed] }))
      case 'publish': {
        const { title, description, day } = next
        const names = { url: mediaOf(next.feed, next.n), guid: `${next.n}` }
        const episode = feedEpisode({ ...names, title, description, released: T - day * 86_400 })
        const fingerprint = fingerprinted(episode).fingerprint + Bun.hash(title + description + day)
        const changed = [{ ...fingerprinted(episode), fingerprint }]
        return void (await written(store, store.feeds.saveEpisodes(await idOf(next.feed), changed, T)))
      }
      case 'hear':
        heard[next.user]?.add(mediaOf(next.feed, next.n))
        return void (await report(store, users[next.user] ?? users[0], [
          action({ podcast: next.feed, episode: mediaOf(next.feed, next.n), kind: 'play', position: 10, total: 90 }),
        ]))
      case 'drop':
        return void db.run('UPDATE episode_details SET is_listed = 0 WHERE guid = ?', [`${next.n}`])
      case 'forget':
        db.run(
          `DELETE FROM episodes WHERE id NOT IN (SELECT episode_id FROM user_episodes)
              AND url = '${mediaOf(next.feed, next.n)}'`,
        )
        return
      case 'hide':
        return void (await store.feeds.saveDetails(await idOf(next.feed), feedDocument({ isBlocked: true })))
      case 'rebuild':
        return void db.run(
          `INSERT INTO episode_changes (episode_id) SELECT episode_id FROM episode_details WHERE true
             ON CONFLICT (episode_id) DO NOTHING`,
        )
      default:
        while ((await written(store, store.indexStore.indexBatch(10))) > 0);
        while ((await written(store, store.indexStore.indexEpisodes(3))) > 0);
    }
  }

  const search = (of: number, query: string) =>
    store.ownSearch.find(
      users[of] ?? users[0],
      { text: query, words: queryWords(query) },
      { podcasts: 20, episodes: 50, history: 20 },
    )
  return { db, store, take, search, own, heard }
}

interface Row {
  readonly url: string
  readonly podcast: string
  readonly title: string
  readonly description: string
}

test('users find all episodes of their podcasts and played episodes, and no others', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }), async (steps) => {
      const { db, take, search, own, heard } = await open()
      const check = async (isComplete: boolean) => {
        const rows = db
          .query<Row, []>(
            `SELECT e.url, p.url AS podcast, d.title, d.description FROM episode_details d JOIN episodes e ON e.id = d.episode_id
               JOIN podcasts p ON p.id = d.podcast_id WHERE d.is_listed = 1`,
          )
          .all()
        for (const of of [0, 1])
          for (const word of WORDS) {
            const { episodes, history } = await search(of, word)
            found += episodes.length + history.length
            for (const { podcast } of episodes) expect(own[of]?.has(podcast.url)).toBe(true)
            for (const { url } of history) expect(heard[of]?.has(url)).toBe(true)
            if (!isComplete) continue
            const wanted = rows.filter(
              ({ podcast, title, description }) =>
                own[of]?.has(podcast) && `${title} ${description}`.split(' ').includes(word),
            )
            expect(episodes.map(({ url }) => url).toSorted()).toEqual(wanted.map(({ url }) => url).toSorted())
          }
      }
      for (const next of steps) await take(next)
      await check(false)
      await take({ kind: 'index' })
      await check(true)
      for (const table of ['episode_titles', 'episode_notes'])
        db.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
      const rowIds = (table: string, id: string) =>
        db.query(`SELECT ${id} FROM ${table} ORDER BY ${id}`).values().flat()
      const documents = rowIds('episode_documents', 'document_id')
      expect(rowIds('episode_titles', 'rowid')).toEqual(documents)
      expect(rowIds('episode_notes', 'rowid')).toEqual(documents)
    }),
    { numRuns: 40 },
  )
  expect(found).toBeGreaterThan(100)
})

test('more than a thousand episodes of one day can be indexed', async () => {
  const { store, db, search } = await open()
  const id = (await store.feeds.find(FEEDS[0] ?? ''))?.id
  if (id === undefined) throw new Error('the feed is not known')
  const many = Array.from({ length: 1200 }, (_, i) =>
    fingerprinted(feedEpisode({ url: mediaOf('x', i), guid: `x${i}`, title: `Fog ${i}`, released: T })),
  )
  await store.feeds.saveEpisodes(id, many, T)
  while ((await store.indexStore.indexEpisodes(100)) > 0);
  const count = db.query<{ n: number }, []>('SELECT COUNT(DISTINCT document_id) AS n FROM episode_documents').get()
  expect(count?.n).toBe(1200)
  expect((await search(0, 'fog')).episodes).toEqual([])
})
