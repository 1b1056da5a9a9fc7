import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../../src/domain/store.ts'
import { episode, known, subscribed } from '../feeds/feeds.ts'
import { A, B, feedDocument, type OpenStore, T } from '../fixtures.ts'

const NOTES = '<p>Boats &amp; <em>birds</em></p>'
const NOTHING = { notes: '', tags: [], fundingUrl: '' }

export function describeCatalogue(open: OpenStore): void {
  describe('what a feed says of its podcast', () => {
    test('is told with its notes as they are, and with how many podcasts have its tags', async () => {
      const { store } = await subscribed(open(), { phone: [A, B] })
      const fundingUrl = 'https://tidewater.example/support'
      const id = await say(store, A, { description: NOTES, tags: ['Society & Culture', 'Sea', 'SEA'], fundingUrl })
      await say(store, B, { tags: ['sea'] })
      await store.indexStore.indexBatch(10)
      expect(await store.podcastStore.details(id)).toEqual({
        notes: NOTES,
        tags: [
          { slug: 'society-culture', title: 'Society & Culture', usage: 1 },
          { slug: 'sea', title: 'Sea', usage: 2 },
        ],
        fundingUrl,
      })
    })

    test('is told as well as long as the directory knows nothing of it', async () => {
      const { store } = await subscribed(open(), { phone: [A] })
      const id = await say(store, A, { description: '', tags: ['Sea'] })
      expect(await store.podcastStore.details(id)).toEqual({
        ...NOTHING,
        tags: [{ slug: 'sea', title: 'Sea', usage: 0 }],
      })
    })

    test('is nothing before it was fetched', async () => {
      const { store } = await subscribed(open(), { phone: [A] })
      expect(await store.podcastStore.details((await known(store, A)).id)).toEqual(NOTHING)
    })

    test('comes with notes for each episode alone: lists have plain text', async () => {
      const { store } = await subscribed(open(), { phone: [A] })
      const id = await say(store, A, {})
      const fog = episode(1, { description: NOTES })
      await store.feeds.saveEpisodes(id, [fog], T)
      expect(await store.podcastStore.episode(id, fog.url)).toMatchObject({
        notes: NOTES,
        description: 'Boats & birds',
      })
      const { episodes } = await store.podcastStore.episodes(id, { offset: 0, limit: 1 })
      expect(episodes.map((each) => Object.keys(each).includes('notes'))).toEqual([false])
    })
  })
}

async function say(store: Store, url: string, fields: Parameters<typeof feedDocument>[0]) {
  const { id } = await known(store, url)
  await store.feeds.saveDetails(id, feedDocument(fields))
  return id
}
