import { describe, expect, test } from 'bun:test'
import type { EpisodeAction } from '../../../../src/domain/sync/ports/episode-actions.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { known } from '../feeds/feeds.ts'
import {
  A,
  action,
  B,
  C,
  change,
  feedEpisode,
  fingerprinted,
  listActions,
  type OpenStore,
  report,
  T,
  withTwo,
  withUsers,
} from '../fixtures.ts'
import { leads } from './address-world.ts'

const E1 = 'https://cdn.example/1.mp3'
const E2 = 'https://mirror.example/1.mp3'
const E3 = 'https://third.example/1.mp3'

const heard = (episode: string, position: number, at: number, rest: Partial<EpisodeAction> = {}) =>
  action({ kind: 'play', started: 0, position, total: 60, episode, at, device: 'phone', guid: 'fog', ...rest })

/** What of the state of episodes clients are told, each as `position media guid`. */
async function statesOf(store: Store, ida: Parameters<typeof listActions>[1], query = {}): Promise<string[]> {
  const states = await listActions(store, ida, { aggregated: true, ...query })
  return states.map(({ position, episode, guid }) => `${position} ${episode} ${guid}`)
}

/** Stores what the feed at A says: media URLs with their guids, and whether they are shared. */
async function saveFeed(store: Store, guids: Readonly<Record<string, string>>, isShared = false): Promise<void> {
  const episodes = Object.entries(guids).map(([url, guid]) => ({
    ...fingerprinted(feedEpisode({ url, guid })),
    fingerprint: isShared ? `.${url}.${guid}` : `${guid}.${url}.`,
  }))
  await store.feeds.saveEpisodes((await known(store, A)).id, episodes, T)
}

export function describeJoinedEpisodes(open: OpenStore): void {
  const it = withUsers(open)

  describe('one episode, whatever its media URL (D84)', () => {
    it('has one state, by the media URL that came last', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 20)])
      const since = (await report(store, ida, [heard(E1, 15, T + 10)])) + 1
      expect(await statesOf(store, ida)).toEqual([`20 ${E1} fog`])
      expect(await listActions(store, ida)).toMatchObject([10, 15, 20].map((position) => ({ position, episode: E1 })))
      await report(store, ida, [heard(E3, 12, T + 5)])
      expect(await statesOf(store, ida, { since })).toEqual([`20 ${E3} fog`])
      expect(await statesOf(store, ida, { podcast: A })).toEqual([`20 ${E3} fog`])
    })

    it('is one from the moment that the guid is known, and for one user alone', async ({ store, ida, ole }) => {
      const unnamed = { guid: undefined }
      await report(store, ida, [heard(E1, 10, T, unnamed), heard(E2, 20, T + 1)])
      await report(store, ole, [heard(E1, 30, T), heard(E2, 40, T + 1, unnamed)])
      for (const user of [ida, ole]) expect(await statesOf(store, user)).toHaveLength(2)
      await report(store, ida, [heard(E1, 11, T + 2)])
      expect(await statesOf(store, ida)).toEqual([`11 ${E1} fog`])
      expect(await statesOf(store, ole)).toHaveLength(2)
    })

    it('is taken apart when a media URL gets another guid', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 1), heard(E3, 30, T + 2)])
      await report(store, ida, [heard(E3, 31, T + 3, { guid: 'ebb' })])
      expect(await statesOf(store, ida)).toEqual([`30 ${E3} fog`, `31 ${E3} ebb`])
      await report(store, ida, [heard(E2, 21, T + 4, { guid: 'ebb' })])
      expect(await statesOf(store, ida)).toEqual([`30 ${E3} fog`, `21 ${E2} ebb`])
    })

    it('is what an action names, whatever its media URL was before', async ({ store, ida }) => {
      const said = (position: number, guid?: string) => heard(E1, position, T + position, { guid })
      const clock = await report(store, ida, [
        said(1, 'monday'),
        said(2, 'tuesday'),
        said(3),
        said(4, 'monday'),
        said(5),
      ])
      const guids = async () => (await listActions(store, ida)).map(({ guid }) => guid)
      expect(await guids()).toEqual(['monday', 'tuesday', 'tuesday', 'monday', 'monday'])
      expect(await statesOf(store, ida)).toEqual([`3 ${E1} tuesday`, `5 ${E1} monday`])
      expect(await statesOf(store, ida, { podcast: A })).toEqual([`3 ${E1} tuesday`, `5 ${E1} monday`])
      // Repeats of any of them, with the guid or without.
      expect(await report(store, ida, [said(2), said(2, 'tuesday'), said(1), said(5)])).toBe(clock)
      expect(await guids()).toHaveLength(5)
      // What is repeated does not make the media URL another episode.
      await report(store, ida, [said(6)])
      expect((await guids()).at(-1)).toBe('monday')
    })

    it('was that of the first guid that was told where none was known', async ({ store, ida }) => {
      const since = (await report(store, ida, [heard(E1, 1, T, { guid: undefined })])) + 1
      await report(store, ida, [heard(E1, 2, T + 2, { guid: 'monday' }), heard(E1, 3, T + 3, { guid: 'tuesday' })])
      expect((await listActions(store, ida)).map(({ guid }) => guid)).toEqual(['monday', 'monday', 'tuesday'])
      expect(await statesOf(store, ida, { since })).toEqual([`2 ${E1} monday`, `3 ${E1} tuesday`])
    })

    it('has the guids of its actions in their order when its podcast moves', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 1, T, { guid: 'monday' })])
      await report(store, ida, [heard(E1, 2, T + 1, { guid: 'tuesday', podcast: B })])
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      await report(store, ida, [heard(E1, 3, T + 2, { guid: undefined, podcast: B })])
      expect((await listActions(store, ida)).map(({ guid }) => guid)).toEqual(['monday', 'tuesday', 'tuesday'])
    })

    it('is one of as many as its media URL has been, in a long history', async ({ store, ida }) => {
      const days = Array.from({ length: 9000 }, (_, n) => heard(E1, 1 + (n % 50), T + n, { guid: `day-${n}` }))
      await report(store, ida, days)
      expect(await statesOf(store, ida)).toHaveLength(9000)
      expect(new Set((await listActions(store, ida)).map(({ guid }) => guid)).size).toBe(9000)
    })

    it('is not told by a guid that another podcast has, too', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 1)])
      await report(store, ida, [heard(E1, 30, T + 2, { podcast: B })])
      expect(await statesOf(store, ida)).toEqual([`20 ${E2} undefined`, `30 ${E1} undefined`])
      await store.upgrades.moveActions(ida, { from: B, to: A }, T)
      expect(await statesOf(store, ida)).toEqual([`30 ${E1} fog`])
    })

    it('repeats that it is finished at no other media URL (D86)', async ({ store, ida }) => {
      const mark = (episode: string, at: number) => heard(episode, 60, at, { started: 60 })
      const clock = await report(store, ida, [mark(E1, T)])
      expect(await report(store, ida, [mark(E2, T + 10), mark(E3, T + 10)])).toBe(clock)
      await report(store, ida, [heard(E2, 5, T + 20, { device: 'desk' })])
      const after = await report(store, ida, [heard(E3, 6, T + 30, { device: 'desk' })])
      expect(await report(store, ida, [mark(E2, T + 40), mark(E1, T + 40), mark('https://x.example/', T + 40)])).toBe(
        after,
      )
      expect(await statesOf(store, ida)).toEqual([`6 ${E3} fog`])
    })

    it('is repeated by what names it only: a media URL may come to be another episode', async ({ store, ida }) => {
      const mark = (guid: string | undefined, at: number) => heard(E1, 60, at, { started: 60, guid })
      await report(store, ida, [mark('monday', T)])
      const clock = await report(store, ida, [mark('tuesday', T + 10)])
      expect(await statesOf(store, ida)).toEqual([`60 ${E1} monday`, `60 ${E1} tuesday`])
      expect(await report(store, ida, [mark('tuesday', T + 20), mark(undefined, T + 20)])).toBe(clock)
      await report(store, ida, [heard(E2, 60, T + 30, { guid: 'fog' })])
      const after = await report(store, ida, [heard(E3, 5, T + 30, { guid: 'ebb' })])
      expect(await report(store, ida, [heard(E3, 60, T + 40, { started: 60, guid: 'fog' })])).toBe(after)
    })

    it('keeps all of its actions when its podcast moves, also what would be repeats now', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T)])
      await report(store, ida, [heard(E2, 60, T + 1, { started: 60, device: 'desk' })])
      const history = [heard(E1, 60, T + 2, { started: 60 })]
      await store.episodeActions.applyUpload(ida, history, { at: T, seenUntil: undefined, isHistory: true })
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      expect((await listActions(store, ida, { podcast: B })).map(({ device }) => device)).toEqual([
        'phone',
        'desk',
        'phone',
      ])
      expect(await statesOf(store, ida)).toMatchObject([expect.stringContaining('60 ')])
    })

    test.each([
      ['all of them at the old address', [A, A, A]],
      ['the first one at the new address', [B, A, A]],
      ['one in between at the new address', [A, B, A]],
      ['the last one at the new address', [A, A, B]],
      ['all but one at the new address', [B, A, B]],
      ['all of them at the new address', [B, B, B]],
    ])('keeps the order of its actions when its podcast moves, with %s', async (_what, podcasts) => {
      const { store, ida } = await withTwo(open)
      for (const [n, episode] of [E1, E2, E1].entries())
        await report(store, ida, [heard(episode, 10 * n, T, { podcast: podcasts[n] ?? A })])
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      expect(await statesOf(store, ida)).toEqual([`20 ${E1} fog`])
      expect((await listActions(store, ida, { podcast: B })).map(({ position }) => position)).toEqual([0, 10, 20])
    })

    it('keeps the order of thousands of actions when its podcast moves', async ({ store, ida }) => {
      const sent = Array.from({ length: 2300 }, (_, n) =>
        heard(`https://cdn.example/${n % 6}`, n, T, {
          podcast: n > 300 && n % 5 > 0 ? A : B,
          guid: `guid-${n % 3}`,
          device: `phone-${n % 4}`,
        }),
      )
      for (let n = 0; n < sent.length; n += 100) await report(store, ida, sent.slice(n, n + 100))
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      const actions = await listActions(store, ida, { podcast: B })
      expect(actions.map(({ position }) => position)).toEqual(sent.map((_, n) => n))
      const last = sent.slice(-3).map(({ position, episode, guid }) => `${position} ${episode} ${guid}`)
      expect(await statesOf(store, ida)).toEqual(last)
    })

    it('is told again when its podcast moves, once', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T), heard(E1, 10, T, { podcast: B })])
      const since = (await report(store, ida, [heard(E2, 20, T + 1)])) + 1
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      expect((await listActions(store, ida, { since })).map(({ position }) => position)).toEqual([10, 20])
      expect(await listActions(store, ida)).toHaveLength(2)
    })

    it('is told once when its podcast moves to one where the media URL has become another episode', async ({
      store,
      ida,
    }) => {
      await report(store, ida, [heard(E1, 10, T)])
      await report(store, ida, [heard(E1, 10, T, { podcast: B, guid: undefined })])
      await report(store, ida, [heard(E1, 20, T + 1, { guid: 'tide' })])
      await store.upgrades.moveActions(ida, { from: B, to: A }, T)
      expect((await listActions(store, ida)).map(({ position, guid }) => [position, guid])).toEqual([
        [10, 'fog'],
        [20, 'tide'],
      ])
    })

    it('is heard once in statistics', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 1), heard(E1, 5, T + 2, { guid: 'x', podcast: B })])
      const plays = (await Array.fromAsync(store.listening.plays(ida, T, T + 10))).flat()
      expect(new Set(plays.map(({ episodeId }) => episodeId)).size).toBe(2)
      expect((await store.listening.history(ida, { offset: 0, limit: 10 })).events).toMatchObject([
        { podcast: B, episode: E1 },
        { podcast: A, episode: E2 },
        { podcast: A, episode: E2 },
      ])
    })

    it('is of 64 media URLs at most, and a guid that more of them have is not told', async ({ store, ida }) => {
      const media = (n: number, rest = {}) => heard(`https://cdn.example/?sig=${n}`, n, T + n, rest)
      const upload = Array.from({ length: 64 }, (_, n) => media(n))
      await report(store, ida, upload)
      expect(await statesOf(store, ida)).toEqual(['63 https://cdn.example/?sig=63 fog'])
      // One that is new, one whose guid becomes known, and one of another podcast.
      await report(store, ida, [media(64), media(65, { guid: undefined })])
      await report(store, ida, [media(65), media(66, { podcast: B })])
      expect(await statesOf(store, ida)).toEqual(
        [63, 64, 65, 66].map((n) => `${n} https://cdn.example/?sig=${n} undefined`),
      )
    })

    it('leaves out the newest media URL when an older one comes to it', async ({ store, ida }) => {
      await report(store, ida, [heard(E1, 5, T - 1, { guid: undefined })])
      await report(
        store,
        ida,
        Array.from({ length: 64 }, (_, n) => heard(`https://cdn.example/?sig=${n}`, n, T + n)),
      )
      await report(store, ida, [heard(E1, 5, T)])
      const newest = 'https://cdn.example/?sig=63'
      expect(await statesOf(store, ida)).toEqual([`62 ${E1} undefined`, `63 ${newest} undefined`])
      await report(store, ida, [heard(newest, 59, T + 100)])
      expect(await statesOf(store, ida)).toEqual([`62 ${E1} undefined`, `59 ${newest} undefined`])
    })
  })

  describe('one episode of a podcast that has moved (D83)', () => {
    const at = (podcast: string, episode: string, position: number, when: number) =>
      heard(episode, position, when, { podcast })

    test.each([['before the actions'], ['between them'], ['after them']])(
      'is one if the edge is known %s',
      async (when) => {
        const { store, ida, ole } = await withTwo(open)
        await change(store, ole, 'old', { add: [A, B] })
        if (when === 'before the actions') await leads({ store }, A, B)
        await report(store, ida, [at(A, E1, 10, T), at(A, E2, 20, T + 1)])
        if (when === 'between them') await leads({ store }, A, B)
        await report(store, ida, [at(B, E1, 30, T + 2), at(B, E3, 25, T + 1)])
        if (when === 'after them') {
          expect(await statesOf(store, ida)).toEqual(
            [`20 ${E2} undefined`, `30 ${E1} undefined`].with(1, `30 ${E3} undefined`),
          )
          await leads({ store }, A, B)
        }
        expect(await statesOf(store, ida)).toEqual([`30 ${E3} fog`])
        const mark = { ...at(A, 'https://x.example/', 60, T + 9), started: 60 }
        const clock = await report(store, ida, [{ ...mark, podcast: B }])
        expect(await report(store, ida, [mark])).toBe(clock)

        await leads({ store }, A)
        expect(await statesOf(store, ida)).toEqual([`20 ${E2} undefined`, '60 https://x.example/ undefined'])
      },
    )
  })

  describe('one media URL at several addresses of a podcast, without a guid', () => {
    const at = (podcast: string, episode: string, position: number, when: number, guid?: string) =>
      heard(episode, position, when, { podcast, guid })
    const known = ['before the actions', 'between them', 'after them'] as const

    test.each(known.map((when) => [when]))('is one episode if the edge is known %s', async (when) => {
      const { store, ida, ole } = await withTwo(open)
      await change(store, ole, 'old', { add: [A, B, C] })
      await report(store, ole, [at(A, E1, 40, T)])
      if (when === 'before the actions') await leads({ store }, A, B)
      await report(store, ida, [at(A, E1, 10, T), at(A, E2, 20, T + 1)])
      if (when === 'between them') await leads({ store }, A, B)
      await report(store, ida, [at(B, E1, 30, T + 2), at(C, E1, 50, T + 2)])
      if (when === 'after them') await leads({ store }, A, B)
      const others = [`20 ${E2} undefined`, `50 ${E1} undefined`]
      expect(new Set(await statesOf(store, ida))).toEqual(new Set([...others, `30 ${E1} undefined`]))
      expect(await statesOf(store, ida)).toHaveLength(3)
      expect(await statesOf(store, ida, { podcast: A })).toHaveLength(2)

      const mark = { ...at(A, E1, 60, T + 9), started: 60 }
      const clock = await report(store, ida, [mark])
      expect(await report(store, ida, [{ ...mark, podcast: B, at: T + 19 }])).toBe(clock)
      expect(await statesOf(store, ida)).toContain(`60 ${E1} undefined`)

      await leads({ store }, A)
      expect(await statesOf(store, ida)).toEqual(
        expect.arrayContaining([`30 ${E1} undefined`, `60 ${E1} undefined`, ...others]),
      )
    })

    it('is one with a third as well, and what is left is one after one is gone', async ({ store, ida, ole }) => {
      await change(store, ole, 'old', { add: [A, B, C] })
      await leads({ store }, A, B, C)
      await leads({ store }, B, C)
      await report(store, ida, [at(A, E1, 10, T), at(B, E1, 20, T + 1), at(C, E1, 30, T + 2)])
      expect(await statesOf(store, ida)).toEqual([`30 ${E1} undefined`])
      await store.upgrades.moveActions(ida, { from: C, to: 'https://else.example/f' }, T)
      expect(await statesOf(store, ida)).toEqual([`20 ${E1} undefined`, `30 ${E1} undefined`])
    })

    it('is repeated at the other address by nothing that says the same (D86)', async ({ store, ida, ole }) => {
      await change(store, ole, 'old', { add: [A, B] })
      await leads({ store }, A, B)
      const clock = await report(store, ida, [{ ...at(A, E1, 60, T), started: 60 }])
      expect(await report(store, ida, [{ ...at(B, E1, 60, T + 9), started: 60 }])).toBe(clock)
      expect(await report(store, ida, [{ ...at(B, E1, 60, T + 9, 'fog'), started: 60 }])).toBe(clock)
      expect(await statesOf(store, ida)).toEqual([`60 ${E1} fog`])
    })

    test.each([
      ['an action at the first address', A, E1],
      ['an action at the other one', B, E1],
    ])('has the guid that %s tells', async (_what, podcast, episode) => {
      const { store, ida, ole } = await withTwo(open)
      await change(store, ole, 'old', { add: [A, B] })
      await leads({ store }, A, B)
      await report(store, ida, [at(A, E1, 10, T), at(B, E1, 20, T + 1)])
      await report(store, ida, [at(podcast, episode, 30, T + 2, 'fog'), at(B, E3, 25, T + 1, 'fog')])
      expect(await statesOf(store, ida)).toEqual([`30 ${E3} fog`])
    })

    it('has a guid that was known before, or that the feed tells', async ({ store, ida, ole }) => {
      await change(store, ole, 'old', { add: [A, B] })
      await leads({ store }, A, B)
      await report(store, ida, [at(A, E1, 10, T, 'fog'), at(A, E2, 11, T)])
      await report(store, ida, [at(B, E1, 20, T + 1), at(B, E2, 21, T + 1)])
      expect(await statesOf(store, ida)).toEqual([`20 ${E1} fog`, `21 ${E2} undefined`])
      await saveFeed(store, { [E2]: 'ebb' })
      expect(await statesOf(store, ida)).toEqual([`20 ${E1} fog`, `21 ${E2} ebb`])
      await leads({ store }, A)
      expect(await statesOf(store, ida)).toHaveLength(4)
    })

    it('is found with the next action where there are too many to look at all', async ({ store, ida, ole }) => {
      await change(store, ole, 'old', { add: [A, B] })
      const many = Array.from({ length: 600 }, (_, n) => `https://cdn.example/${n}`)
      await report(
        store,
        ida,
        [A, B].flatMap((podcast, p) => many.map((episode) => at(podcast, episode, 10, T + p))),
      )
      await leads({ store }, A, B)
      expect((await statesOf(store, ida)).length).toBeGreaterThan(600)
      await report(
        store,
        ida,
        many.map((episode) => at(A, episode, 20, T + 9)),
      )
      expect(await statesOf(store, ida)).toHaveLength(600)
    })
  })

  describe('actions on a podcast that has moved (D83)', () => {
    it('are told by an address that the user has, and found by each of them', async ({ store, ida, ole }) => {
      await change(store, ole, 'old', { add: [A, B] })
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 1, { guid: 'ebb', podcast: B })])
      const podcasts = async (query = {}) => (await listActions(store, ida, query)).map(({ podcast }) => podcast)
      await leads({ store }, A, B)
      expect(await podcasts()).toEqual([A, B])
      await change(store, ida, 'phone', { add: [A] })
      expect(await podcasts()).toEqual([A, A])
      await change(store, ida, 'desk', { add: [B] })
      expect(await podcasts()).toEqual([A, B])
      await change(store, ida, 'phone', { remove: [A] })
      for (const query of [{}, { podcast: A }, { podcast: B, aggregated: true }])
        expect([query, await podcasts(query)]).toEqual([query, [B, B]])
      await report(
        store,
        ida,
        Array.from({ length: 1100 }, (_, n) => heard(`${E1}?${n}`, n, T, { guid: undefined })),
      )
      expect(new Set(await podcasts())).toEqual(new Set([B]))
      await leads({ store }, A)
      expect(new Set(await podcasts({ podcast: A }))).toEqual(new Set([A]))
    })
  })

  describe('the feed tells the guid', () => {
    it('of actions that came without, before it and after it', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await report(store, ida, [heard(E1, 10, T, { guid: undefined })])
      await saveFeed(store, { [E1]: 'fog', [E2]: 'fog-2', [E3]: '' })
      await report(
        store,
        ida,
        [E2, E3].map((episode) => heard(episode, 20, T + 1, { guid: undefined })),
      )
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} fog`, `20 ${E2} fog-2`, `20 ${E3} undefined`])
      await report(store, ida, [heard('https://new.example/1', 30, T + 2)])
      expect(await statesOf(store, ida)).toEqual([
        `20 ${E2} fog-2`,
        `20 ${E3} undefined`,
        '30 https://new.example/1 fog',
      ])
    })

    test.each([['before the actions'], ['after them']])(
      '%s: one that several episodes share names none',
      async (when) => {
        const { store, ida } = await withTwo(open)
        await change(store, ida, 'phone', { add: [A] })
        const played = [heard(E1, 10, T), heard(E2, 20, T + 1), heard(E3, 30, T + 2)]
        if (when === 'after them') await report(store, ida, played)
        await saveFeed(store, { [E1]: 'fog', [E2]: 'fog' }, true)
        if (when !== 'after them') await report(store, ida, played)
        expect(await statesOf(store, ida)).toEqual([E1, E2, E3].map((url, n) => `${10 * (n + 1)} ${url} undefined`))
        // The publisher has mended it.
        await saveFeed(store, { [E1]: 'fog' })
        await saveFeed(store, { [E2]: 'ebb' })
        await report(store, ida, [heard(E2, 21, T + 3, { guid: 'ebb' }), heard(E3, 31, T + 4, { guid: 'tide' })])
        expect(await statesOf(store, ida)).toEqual([`30 ${E3} fog`, `21 ${E2} ebb`, `31 ${E3} tide`])
      },
    )

    it('that is shared, and joins nothing where the podcast moves to', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await saveFeed(store, { [E1]: 'fog', [E2]: 'fog' }, true)
      await report(
        store,
        ida,
        [E1, E2].map((episode) => heard(episode, 60, T, { started: 60 })),
      )
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      expect(await statesOf(store, ida)).toEqual([`60 ${E1} undefined`, `60 ${E2} undefined`])
    })

    it('that is shared after all, of what another podcast has, too', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await report(store, ida, [heard(E1, 10, T), heard(E2, 20, T + 1), heard(E1, 30, T + 2, { podcast: B })])
      await saveFeed(store, { [E2]: 'fog' }, true)
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} undefined`, `20 ${E2} undefined`, `30 ${E1} undefined`])
    })

    it('that is another one from now on, of what had the former one', async ({ store, ida, ole }) => {
      await change(store, ida, 'phone', { add: [A] })
      await saveFeed(store, { [E1]: 'fog' })
      await report(store, ida, [heard(E1, 10, T, { guid: undefined })])
      await report(store, ole, [heard(E1, 10, T, { guid: 'by-the-app' })])
      await saveFeed(store, { [E1]: 'ebb' })
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} ebb`])
      expect(await statesOf(store, ole)).toEqual([`10 ${E1} by-the-app`])
      await report(store, ida, [heard(E2, 20, T + 1, { guid: 'ebb' })])
      expect(await statesOf(store, ida)).toEqual([`20 ${E2} ebb`])
    })

    it('that is another one from now on, but not of what has been several episodes', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await report(store, ida, [heard(E1, 10, T, { guid: 'sunday' }), heard(E1, 20, T + 1, { guid: 'monday' })])
      await saveFeed(store, { [E1]: 'monday' })
      await saveFeed(store, { [E1]: 'tuesday' })
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} sunday`, `20 ${E1} monday`])
      const { items } = await store.inbox.inbox(ida, {
        before: undefined,
        limit: 9,
        podcasts: [A],
        onlyUnplayed: false,
      })
      expect(items.map(({ guid, action }) => [guid, action])).toEqual([['tuesday', undefined]])
      await report(store, ida, [heard(E1, 30, T + 2, { guid: 'tuesday' }), heard(E1, 40, T + 3, { guid: 'monday' })])
      const [item] = (await store.inbox.inbox(ida, { before: undefined, limit: 9, podcasts: [A], onlyUnplayed: false }))
        .items
      expect(item?.action).toMatchObject({ guid: 'tuesday', position: 30 })
      const begun = await store.inbox.inProgress(ida, { before: undefined, limit: 9 })
      expect(begun.items.map(({ guid, title, action }) => [guid, title === E1, action?.position])).toEqual([
        ['monday', true, 40],
        ['tuesday', false, 30],
        ['sunday', true, 10],
      ])
    })

    it('that is shared, of a single action, too', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await saveFeed(store, { [E1]: 'fog', [E2]: 'fog' }, true)
      await report(store, ida, [heard(E1, 10, T)])
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} undefined`])
    })

    it('that is shared, after an action that named another', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await saveFeed(store, { [E1]: 'fog', [E2]: 'fog' }, true)
      await report(store, ida, [heard(E1, 10, T, { guid: 'ebb' })])
      await report(store, ida, [heard(E1, 20, T + 1)])
      expect(await statesOf(store, ida)).toEqual([`10 ${E1} ebb`, `20 ${E1} undefined`])
    })
  })
}
