import { queryWords } from '../../../src/domain/directory/words.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, change, feedDocument, written } from '../contract/fixtures.ts'

export interface Described {
  readonly title: string
  readonly author?: string
  readonly description?: string
  readonly tags?: readonly string[]
}

export type SearchWorld = Awaited<ReturnType<typeof openSearchWorld>>

export async function openSearchWorld(userCount = 1) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const users: UserId[] = []
  for (let n = 0; n < userCount; n++) users.push(await addUser(store, `user${n}`))
  const idOf = (user: number) => {
    const id = users[user]
    if (id === undefined) throw new Error(`there is no user ${user}`)
    return id
  }
  return {
    db,
    store,
    users,
    subscribe: (user: number, url: string) => change(store, idOf(user), 'phone', { add: [url] }),
    unsubscribe: (user: number, url: string) => change(store, idOf(user), 'phone', { remove: [url] }),
    /** Saves the details of a feed, if the podcast exists. */
    async describe(url: string, described: Described) {
      const feed = await store.feeds.find(url)
      if (!feed) return
      const document = feedDocument({ author: '', description: '', tags: [], ...described })
      await written(store, store.feeds.saveDetails(feed.id, document))
    },
    /** Runs the indexer until nothing is pending. */
    async flush() {
      while ((await written(store, store.indexStore.indexBatch(3))) > 0);
    },
    /** URLs of the results, best first. */
    async search(query: string, count = 20) {
      const found = await store.directory.search({ text: query, words: queryWords(query) }, undefined, count)
      return found.map(({ url }) => url)
    },
  }
}
