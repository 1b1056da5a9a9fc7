import type { Database } from 'bun:sqlite'
import { queryWords } from '../../../src/domain/directory/words.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, change, feedDocument } from '../contract/fixtures.ts'

export interface Described {
  readonly title: string
  readonly author?: string
  readonly description?: string
  readonly tags?: readonly string[]
}

export interface SearchWorld {
  readonly db: Database
  readonly store: Store
  readonly users: readonly UserId[]
  subscribe(user: number, url: string): Promise<unknown>
  unsubscribe(user: number, url: string): Promise<unknown>
  /** As a fetch does of what a feed says; nothing if there is no such podcast. */
  describe(url: string, described: Described): Promise<void>
  /** To the end. */
  flush(): Promise<void>
  /** URLs, best first; 20 at most unless told. */
  search(query: string, count?: number): Promise<string[]>
}

export async function openSearchWorld(userCount = 1): Promise<SearchWorld> {
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
    subscribe: (user, url) => change(store, idOf(user), 'phone', { add: [url] }),
    unsubscribe: (user, url) => change(store, idOf(user), 'phone', { remove: [url] }),
    async describe(url, described) {
      const feed = await store.feeds.find(url)
      if (feed)
        await store.feeds.saveDetails(feed.id, feedDocument({ author: '', description: '', tags: [], ...described }))
    },
    async flush() {
      while ((await store.indexStore.indexBatch(3)) > 0);
    },
    async search(query, count = 20) {
      const found = await store.directory.search({ text: query, words: queryWords(query) }, undefined, count)
      return found.map(({ url }) => url)
    },
  }
}
