import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { episode, failure, known, subscribed, success } from '../contract/feeds/feeds.ts'
import { A, feedDocument, index, T } from '../contract/fixtures.ts'

/** A feed with three episodes that has been fetched once, and a counter of rows written since. */
async function open() {
  const db = openMemoryDatabase()
  const { store } = await subscribed(createSqliteStore(db), { phone: [A] })
  const { id } = await known(store, A)
  const episodes = [episode(1), episode(2), episode(3, { released: undefined, size: undefined })]
  await store.feeds.saveDetails(id, feedDocument())
  await store.feeds.saveEpisodes(id, episodes, T)
  await index(store)
  const changes = db.query<{ n: number }, []>('SELECT total_changes() AS n')
  return {
    store,
    id,
    episodes,
    /** Counts the rows that `work` writes, changed or not. */
    async rowsWritten(work: () => Promise<unknown>): Promise<number> {
      const before = changes.get()?.n ?? 0
      await work()
      await store.idle()
      return (changes.get()?.n ?? 0) - before
    },
  }
}

describe('to spare SD cards', () => {
  test.each<[Partial<FeedDocument>]>([
    [{ title: 'Ebb' }],
    [{ author: '' }],
    [{ description: '<p>Boats</p>' }],
    [{ website: '' }],
    [{ logoUrl: 'https://tidewater.example/other.png' }],
    [{ language: 'pt-br' }],
    [{ tags: [] }],
    [{ tags: ['Sea', 'Boats'] }],
    [{ guid: 'c90e609a-df1e-596a-bd5e-57bcc8aad6cc' }],
    [{ fundingUrl: 'https://tidewater.example/thanks' }],
    [{ isBlocked: true }],
  ])('changed details are written once, with a row for the indexer: %j', async (fields) => {
    const { store, id, rowsWritten } = await open()
    // A podcast to be hidden is removed from public lists at once.
    const hiding = fields.isBlocked ? 4 : 0
    expect(await rowsWritten(() => store.feeds.saveDetails(id, feedDocument(fields)))).toBe(2 + hiding)
    expect(await rowsWritten(() => store.feeds.saveDetails(id, feedDocument(fields)))).toBe(0)
  })

  test('only changed and new episodes are written', async () => {
    const { store, id, episodes, rowsWritten } = await open()
    expect(await rowsWritten(() => store.feeds.saveEpisodes(id, episodes, T))).toBe(0)
    expect(await rowsWritten(() => store.feeds.saveEpisodes(id, episodes.toReversed(), T))).toBe(0)
    const changed = [...episodes.slice(0, 2), episode(3, { title: 'Fog lifts' })]
    expect(await rowsWritten(() => store.feeds.saveEpisodes(id, changed, T))).toBe(1)
    expect(await rowsWritten(() => store.feeds.saveEpisodes(id, [episode(4), ...changed], T))).toBe(3)
  })

  test('a check writes one row, whether it succeeds or fails', async () => {
    const { store, id, rowsWritten } = await open()
    const left = success({ etag: '"1"', lastModified: 'today', bodyHash: 'abc' })
    expect(await rowsWritten(() => store.feeds.succeed(id, left))).toBe(1)
    expect(await rowsWritten(() => store.feeds.fail(id, failure()))).toBe(1)
  })
})
