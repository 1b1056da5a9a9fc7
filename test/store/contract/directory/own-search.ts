import { describe, expect } from 'bun:test'
import { queryWords } from '../../../../src/domain/directory/words.ts'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { episode, known } from '../feeds/feeds.ts'
import { A, action, B, change, feedDocument, type OpenStore, report, T, withUsers } from '../fixtures.ts'

const MOST = { podcasts: 20, episodes: 2, history: 1 }
const DAY = 24 * 3600

async function find(store: Store, id: UserId, text: string) {
  const { episodes, history } = await store.ownSearch.find(id, { text, words: queryWords(text) }, MOST)
  return { episodes: episodes.map(({ url }) => url), history: history.map(({ url }) => url) }
}

async function flush(store: Store): Promise<void> {
  while ((await store.indexStore.indexBatch(10)) > 0);
  while ((await store.indexStore.indexEpisodes(10)) > 0);
}

export function describeOwnSearch(open: OpenStore): void {
  const it = withUsers(open)
  describe('the search in one’s own podcasts', () => {
    it('finds titles before notes and new episodes before old ones', async ({ store, ida, ole }) => {
      await change(store, ida, 'phone', { add: [A] })
      await change(store, ole, 'phone', { add: [B] })
      const { id } = await known(store, A)
      const texts = [{ description: 'Fog' }, { title: 'Fog' }, { title: 'Föggy' }, { title: 'Gulls' }]
      const episodes = texts.map((fields, n) => episode(n, { title: 'Tide', ...fields, released: T - n * DAY }))
      await store.feeds.saveEpisodes(id, episodes, T)
      expect((await find(store, ida, 'fog')).episodes).toEqual([])
      await flush(store)
      expect((await find(store, ida, 'fog')).episodes).toEqual([episode(1).url, episode(2).url])
      expect((await find(store, ida, 'tide fog')).episodes).toEqual([episode(0).url])
      expect((await find(store, ole, 'fog')).episodes).toEqual([])
    })

    it('finds the newest episodes of all podcasts', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A, B] })
      // SQLite's index is divided into periods of 128 days, one of which ends on day 20,095.
      const save = async (url: string, ages: readonly number[]) => {
        const { id } = await known(store, url)
        const episodes = ages.map((age) => episode(age, { title: 'Fog', released: (20_095 - age) * DAY }))
        await store.feeds.saveEpisodes(id, episodes, T)
      }
      await save(A, [30, 20, 200])
      await save(B, [1, 300])
      await flush(store)
      expect((await find(store, ida, 'fog')).episodes).toEqual([episode(1).url, episode(20).url])
    })

    // PostgreSQL uses another search if many podcasts match (COMMON_MIN in search.ts).
    it('finds podcasts by common and mistyped words, by number of subscribers', async ({ store, ida, ole }) => {
      const urls = Array.from({ length: 12 }, (_, n) => `https://feeds.example/${n}`)
      await change(store, ida, 'phone', { add: urls })
      await change(store, ole, 'phone', { add: urls.slice(8) })
      for (const [n, url] of urls.entries()) {
        const { id } = await known(store, url)
        await store.feeds.saveDetails(id, feedDocument({ title: `Harbour radio ${n + 10}` }))
      }
      await flush(store)
      for (const text of ['harbour', 'harb rad', 'hrabour', 'radio harbuor', 'harbou', 'haarbour', 'hbrbour']) {
        const found = await store.directory.search({ text, words: queryWords(text) }, ida, 20)
        expect(found.map(({ url }) => url)).toEqual([...urls.slice(8), ...urls.slice(0, 8)])
      }
    })

    it('finds played episodes of a removed podcast, but not downloaded ones', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      const { id } = await known(store, A)
      const episodes = [1, 2, 3].map((n) => episode(n, { title: 'Fog', released: T - n * DAY }))
      await store.feeds.saveEpisodes(id, episodes, T)
      await flush(store)
      await report(store, ida, [
        action({ podcast: A, episode: episode(1).url, kind: 'download' }),
        ...[2, 3].map((n) => action({ podcast: A, episode: episode(n).url, kind: 'play', position: 5, total: 60 })),
      ])
      await change(store, ida, 'phone', { remove: [A] })
      expect(await find(store, ida, 'fog')).toEqual({ episodes: [], history: [episode(2).url] })
    })
  })
}
