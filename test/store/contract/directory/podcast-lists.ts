import { describe, expect } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { A, B, C, expectRefused, type OpenStore, T, withUsers } from '../fixtures.ts'

const SEA = { name: 'sea', title: 'Sea' }

async function urlsOf(store: Store, username: string, name: string, reader?: UserId): Promise<string[] | undefined> {
  return (await store.podcastLists.read(username, name, reader))?.podcasts.map(({ url }) => url)
}

export function describePodcastLists(open: OpenStore): void {
  const it = withUsers(open)
  describe('podcast lists', () => {
    it('keep their order, and are found by user and name', async ({ store, ida, ole }) => {
      await store.podcastLists.create(ida, { ...SEA, urls: [C, A, B] }, T)
      await store.podcastLists.create(ole, { ...SEA, title: 'SEA', urls: [] }, T)
      await store.podcastLists.create(ida, { name: 'air', title: 'Air', urls: [B] }, T + 1)
      expect(await store.podcastLists.list(' IDA')).toEqual([
        { owner: 'ida', ...SEA },
        { owner: 'ida', name: 'air', title: 'Air' },
      ])
      expect(await urlsOf(store, 'IDA', 'sea')).toEqual([C, A, B])
      expect(await urlsOf(store, 'ole', 'sea')).toEqual([])
      await store.podcastLists.replace(ida, 'sea', [B, A])
      expect(await urlsOf(store, 'ida', 'sea', ole)).toEqual([B, A])
      expect((await Array.fromAsync(store.exports.lists(ida))).flat()).toEqual([
        { name: 'air', title: 'Air', urls: [B] },
        { ...SEA, urls: [B, A] },
      ])
      expect((await Array.fromAsync(store.exports.lists(ole))).flat()).toEqual([{ ...SEA, title: 'SEA', urls: [] }])
    })

    it('have unique names, and belong to one user', async ({ store, ida, ole }) => {
      await store.podcastLists.create(ida, { ...SEA, urls: [A] }, T)
      await expectRefused(store.podcastLists.create(ida, { ...SEA, urls: [B] }, T), 'list_exists')
      await expectRefused(store.podcastLists.replace(ole, 'sea', [B]), 'not_found')
      await expectRefused(store.podcastLists.remove(ole, 'sea'), 'not_found')
      expect(await store.podcastLists.list('noah')).toEqual([])
      expect(await urlsOf(store, 'ida', 'sea')).toEqual([A])
      await store.podcastLists.remove(ida, 'sea')
      expect(await urlsOf(store, 'ida', 'sea')).toBeUndefined()
    })
  })
}
