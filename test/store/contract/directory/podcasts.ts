import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../../src/store/stores.ts'
import { episode, known, subscribed, withFeed } from '../feeds/feeds.ts'
import { A, action, B, feedDocument, listActions, type OpenStore, report, T } from '../fixtures.ts'

const NOTES = '<p>Boats &amp; <em>birds</em></p>'
const NOTHING = { notes: '', tags: [], fundingUrl: '' }

export function describePodcasts(open: OpenStore): void {
  describe('episodes', () => {
    test('are counted when new or changed, and stay when the feed no longer lists them', async () => {
      const { store, id } = await withFeed(open)
      expect(await store.feeds.saveEpisodes(id, [], T)).toBe(0)
      expect(await store.feeds.saveEpisodes(id, [episode(1), episode(2)], T)).toBe(2)
      expect(await store.feeds.saveEpisodes(id, [episode(1), episode(2)], T)).toBe(0)
      const changed = [episode(3), episode(1), episode(2, { title: 'Fog lifts' })]
      expect(await store.feeds.saveEpisodes(id, changed, T)).toBe(2)
      expect(await store.feeds.saveEpisodes(id, changed, T)).toBe(0)
      await store.feeds.saveEpisodes(id, [episode(4)], T)
      expect(await store.feeds.podcast(id)).toMatchObject({ episodes: 4 })
    })

    test('of earlier actions are the same episodes, and give those actions their guid', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A] })
      const played = action({ podcast: A, episode: episode(1).url })
      await report(store, ida, [played])
      expect(await listActions(store, ida)).toEqual([played])
      const { id } = await known(store, A)
      expect(await store.feeds.podcast(id)).toMatchObject({ episodes: 0 })
      expect(await store.feeds.saveEpisodes(id, [episode(1)], T)).toBe(1)
      await report(store, ida, [{ ...played, at: T + 1 }])
      expect(await store.feeds.podcast(id)).toMatchObject({ episodes: 1 })
      expect(await store.feeds.saveEpisodes(id, [episode(1)], T)).toBe(0)
      const { guid } = episode(1)
      expect(await listActions(store, ida)).toEqual([T, T + 1].map((at) => ({ ...played, at, guid })))
    })

    test('are pruned, oldest first, except those with actions', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A] })
      const { id } = await known(store, A)
      const episodes = [1, 2, 3, 4, 5].map((n) => episode(n, { released: T + n }))
      await store.feeds.saveEpisodes(id, episodes, T)
      await report(store, ida, [action({ podcast: A, episode: 'https://cdn.example/2.mp3' })])
      await store.feeds.prune(id, 3)
      expect(await store.feeds.podcast(id)).toMatchObject({ episodes: 4 })
      await store.feeds.prune(id, 3)
      expect(await store.feeds.podcast(id)).toMatchObject({ episodes: 4 })
      // The oldest was removed, so it is new; the second oldest has an action.
      expect(await store.feeds.saveEpisodes(id, episodes, T)).toBe(1)
    })

    test('may contain any text', async () => {
      const { store, id } = await withFeed(open)
      for (const text of [
        '"\\" \\u0041 \' ; --',
        '海の話 🚢 \u{10FFFF}',
        '\b\f\n\r\t\u2028\u2029',
        'boats \ud83d and birds',
        'x'.repeat(65_536),
      ]) {
        const episodes = [episode(1, { title: text, description: text, guid: text }), episode(2, { title: text })]
        expect(await store.feeds.saveEpisodes(id, episodes, T)).toBe(2)
        expect(await store.feeds.saveEpisodes(id, episodes, T)).toBe(0)
      }
    })
  })

  describe('a podcast', () => {
    test('has the texts of its feed, without markup', async () => {
      const { store } = await subscribed(open(), { phone: [A], desk: [A] })
      const { id } = await known(store, A)
      await store.feeds.saveDetails(id, feedDocument())
      await store.feeds.saveEpisodes(id, [episode(1), episode(2)], T)
      expect(await store.feeds.podcast(id)).toEqual({
        podcast: {
          ...{ url: A, title: 'Harbour Talk', author: 'Tidewater', description: 'Boats & birds', language: 'en' },
          ...{ website: 'https://tidewater.example/', logoUrl: 'https://tidewater.example/logo.png' },
          ...{ subscribers: 1, subscribersLastWeek: 1 },
        },
        episodes: 2,
      })
    })

    test('has the latest texts of its feed, and its URL as title if that has none', async () => {
      const { store } = await subscribed(open(), { phone: [A, B] })
      const { id } = await known(store, A)
      await store.feeds.saveDetails((await known(store, B)).id, feedDocument({ title: 'Other' }))
      await store.feeds.saveDetails(id, feedDocument())
      await store.feeds.saveDetails(id, feedDocument({ title: '', author: 'Ebb', language: 'pt-br', website: '' }))
      expect(await store.feeds.podcast(id)).toMatchObject({
        podcast: { title: A, author: 'Ebb', language: 'pt-br', website: '' },
      })
    })
  })

  describe('the details of a podcast', () => {
    test('contain its notes with markup, and the number of podcasts for each tag', async () => {
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

    test('are known before the podcast is indexed, and empty before the first fetch', async () => {
      const { store } = await subscribed(open(), { phone: [A] })
      expect(await store.podcastStore.details((await known(store, A)).id)).toEqual(NOTHING)
      const id = await say(store, A, { description: '', tags: ['Sea'] })
      const tags = [{ slug: 'sea', title: 'Sea', usage: 0 }]
      expect(await store.podcastStore.details(id)).toEqual({ ...NOTHING, tags })
    })

    test('contain the notes of a single episode; lists have plain text', async () => {
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

  describe('the picture of an episode', () => {
    const [logoUrl, own] = ['https://tidewater.example/logo.png', 'https://tidewater.example/fog.png']

    test.each([
      ['counts if it differs from the podcast’s', logoUrl, own, true],
      ['counts if the podcast has none', '', own, true],
      ['does not count if it is the podcast’s', logoUrl, logoUrl, false],
      ['may be missing', logoUrl, '', false],
      ['may be missing like the podcast’s', '', '', false],
    ])('%s', async (_case, logo, imageUrl, hasPicture) => {
      const { store, ida } = await subscribed(open(), { phone: [A] })
      const id = await say(store, A, { logoUrl: logo })
      const each = episode(1, { imageUrl })
      await store.feeds.saveEpisodes(id, [each], T)
      const { podcastStore, inbox } = store
      const page = { offset: 0, limit: 1 }
      const wanted = { text: '', season: undefined, onlyUnplayed: false, isOldestFirst: false }
      expect([
        await podcastStore.episode(id, each.url),
        ...(await podcastStore.episodes(id, page)).episodes,
        ...(await podcastStore.ownEpisodes(ida, id, wanted, page)).episodes,
        ...(await inbox.inbox(ida, { before: undefined, limit: 1, onlyUnplayed: false })).items,
      ]).toMatchObject(Array(4).fill({ imageUrl, hasPicture }))
      expect(await podcastStore.episodePicture(id, each.url)).toBe(imageUrl)
    })

    test('is the latest one in the feed', async () => {
      const { store, id } = await withFeed(open)
      const { url } = episode(1)
      await store.feeds.saveEpisodes(id, [episode(1)], T)
      await store.feeds.saveEpisodes(id, [episode(1, { imageUrl: own })], T)
      expect(await store.podcastStore.episodePicture(id, url)).toBe(own)
      await store.feeds.saveEpisodes(id, [episode(1)], T)
      expect(await store.podcastStore.episodePicture(id, url)).toBe('')
    })

    test('is undefined for an episode that is not in the feed', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B] })
      const [id, other] = [(await known(store, A)).id, (await known(store, B)).id]
      await store.feeds.saveEpisodes(other, [episode(1, { imageUrl: own })], T)
      await report(store, ida, [action({ podcast: A, episode: episode(1).url })])
      for (const url of [episode(1).url, episode(2).url])
        expect(await store.podcastStore.episodePicture(id, url)).toBeUndefined()
    })
  })
}

async function say(store: Store, url: string, fields: Parameters<typeof feedDocument>[0]) {
  const { id } = await known(store, url)
  await store.feeds.saveDetails(id, feedDocument(fields))
  return id
}
