import { describe, expect } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { episode, known } from '../feeds/feeds.ts'
import { A, action, addDevices, B, change, type OpenStore, report, T, withUsers } from '../fixtures.ts'

const all = async <T>(pages: AsyncIterable<readonly T[]> | undefined): Promise<T[]> =>
  (await Array.fromAsync(pages ?? [])).flat()

const mark = (store: Store, id: UserId, target: string, value: boolean, at: number) =>
  store.settings.change(id, { scope: 'episode', target }, { set: { is_favorite: value }, remove: [] }, at)

const targets = async (store: Store, id: UserId) =>
  (await all(store.exports.favorites(id))).map(({ target, at }) => [target, at])

export function describeMyEpisodes(open: OpenStore): void {
  const it = withUsers(open)
  describe('favorites', () => {
    it('are listed by user, newest first, with times at least a second apart', async ({ store, ida, ole }) => {
      await mark(store, ida, `${A} ${B}`, true, T)
      await mark(store, ida, `${B} ${A}`, true, T)
      await mark(store, ole, `${B} ${B}`, true, T)
      await mark(store, ida, `${A} ${A}`, true, T - 60)
      expect(await targets(store, ida)).toEqual([
        [`${A} ${A}`, T + 2],
        [`${B} ${A}`, T + 1],
        [`${A} ${B}`, T],
      ])
      await mark(store, ida, `${B} ${A}`, false, T)
      await mark(store, ida, `${A} ${A}`, true, T + 60)
      expect((await all(store.myEpisodes.favorites(ida))).map(({ url }) => url)).toEqual([A, B])
      expect((await all(store.myEpisodes.favorites(ole))).map(({ url }) => url)).toEqual([B])
    })
  })

  describe('episodes released since a time', () => {
    it('are the newest of each podcast on a device, with their states', async ({ store, ida, ole }) => {
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B] })
      for (const url of [A, B]) {
        const { id } = await known(store, url)
        const episodes = [1, 2, 3].map((n) => episode(n, { released: T - 10 + n }))
        const others = [episode(4, { released: undefined }), episode(5, { released: -305_131_499 })]
        await store.feeds.saveEpisodes(id, [...episodes, ...others], T)
      }
      const played = action({ podcast: A, episode: episode(3).url, kind: 'play', position: 5 })
      await report(store, ida, [played])
      await report(store, ole, [{ ...played, episode: episode(2).url }])
      const since = async (time: number, max = 5) =>
        (await all(await store.myEpisodes.releasedSince(ida, 'phone', time, max))).map((each) => [
          each.episode.url,
          each.action,
        ])
      expect(await since(0)).toEqual([
        [episode(3).url, { ...played, guid: '3' }],
        [episode(2).url, undefined],
        [episode(1).url, undefined],
        [episode(5).url, undefined],
      ])
      expect(await since(0, 1)).toEqual([[episode(3).url, { ...played, guid: '3' }]])
      expect(await since(T - 8)).toEqual([[episode(3).url, { ...played, guid: '3' }]])
      expect(await since(T - 7)).toEqual([])
      expect(await store.myEpisodes.releasedSince(ole, 'phone', 0, 5)).toBeUndefined()
      await addDevices(store, ole, 'phone')
      expect(await all(await store.myEpisodes.releasedSince(ole, 'phone', 0, 5))).toEqual([])
    })
  })
}
