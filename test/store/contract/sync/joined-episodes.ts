import { describe, expect, test } from 'bun:test'
import type { EpisodeAction } from '../../../../src/domain/sync/ports/episode-actions.ts'
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
  written,
} from '../fixtures.ts'
import { leads } from './address-world.ts'

const E1 = 'https://cdn.example/1.mp3'
const E2 = 'https://mirror.example/1.mp3'
const E3 = 'https://third.example/1.mp3'

const play = (episode: string, position: number, at: number, rest: Partial<EpisodeAction> = {}) =>
  action({ kind: 'play', started: 0, position, total: 60, episode, at, device: 'phone', guid: 'fog', ...rest })
const unnamed = { guid: undefined }
const marked = { started: 60 }

/** Ida uploads actions; Ole is subscribed to all addresses, so that the server knows them. */
async function openWorld(open: OpenStore) {
  const { store, ida, ole } = await withTwo(open)
  await change(store, ole, 'old', { add: [A, B, C] })
  const list = (query = {}) => listActions(store, ida, query)
  return {
    ...{ store, ida, ole, list },
    send: (...actions: EpisodeAction[]) => report(store, ida, actions),
    /** States of Ida's episodes, each as `position media guid`. */
    states: async (query = {}, user = ida) => {
      const states = await listActions(store, user, { aggregated: true, ...query })
      return states.map(({ position, episode, guid }) => `${position} ${episode} ${guid}`)
    },
    guids: async () => (await list()).map(({ guid }) => guid),
    positions: async (query = {}) => (await list(query)).map(({ position }) => position),
    move: (from: string, to: string) => store.upgrades.moveActions(ida, { from, to }, T),
    /** Redirects feed A. */
    lead: (...to: string[]) => leads({ store }, A, ...to),
    /** Saves episodes of feed A by media URL and guid, which other episodes share if `isShared`. */
    save: async (guids: Readonly<Record<string, string>>, isShared = false) => {
      const episodes = Object.entries(guids).map(([url, guid]) => ({
        ...fingerprinted(feedEpisode({ url, guid })),
        fingerprint: isShared ? `.${url}.${guid}` : `${guid}.${url}.`,
      }))
      await written(store, store.feeds.saveEpisodes((await known(store, A)).id, episodes, T))
    },
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

const WHEN = [['before the actions'], ['between them'], ['after them']]

export function describeJoinedEpisodes(open: OpenStore): void {
  const it = (title: string, body: (world: World) => Promise<void>) =>
    test(title, async () => body(await openWorld(open)))

  // test/properties/joined-episodes.test.ts compares the same rules with a model.
  describe('one episode with several media URLs (D84)', () => {
    it('has one state, listed by the latest media URL', async ({ send, states, list }) => {
      await send(play(E1, 10, T), play(E2, 20, T + 20))
      const since = (await send(play(E1, 15, T + 10))) + 1
      expect(await states()).toEqual([`20 ${E1} fog`])
      expect(await list()).toMatchObject([10, 15, 20].map((position) => ({ position, episode: E1 })))
      await send(play(E3, 12, T + 5))
      for (const query of [{ since }, { podcast: A }]) expect(await states(query)).toEqual([`20 ${E3} fog`])
    })

    it('is joined once its guid is known, for that user only', async ({ store, ida, ole, send, states }) => {
      await send(play(E1, 10, T, unnamed), play(E2, 20, T + 1))
      await report(store, ole, [play(E1, 30, T), play(E2, 40, T + 1, unnamed)])
      for (const user of [ida, ole]) expect(await states({}, user)).toHaveLength(2)
      await send(play(E1, 11, T + 2))
      expect(await states()).toEqual([`11 ${E1} fog`])
      expect(await states({}, ole)).toHaveLength(2)
    })

    it('is determined by the guid in the action, not by the earlier guid of the media URL', async (world) => {
      const { send, guids, states } = world
      const playOf = (position: number, guid?: string) => play(E1, position, T + position, { guid })
      const clock = await send(playOf(1, 'monday'), playOf(2, 'tuesday'), playOf(3), playOf(4, 'monday'), playOf(5))
      expect(await guids()).toEqual(['monday', 'tuesday', 'tuesday', 'monday', 'monday'])
      for (const query of [{}, { podcast: A }])
        expect(await states(query)).toEqual([`3 ${E1} tuesday`, `5 ${E1} monday`])
      // Repeated actions, with or without the guid, do not change the episode of the media URL.
      expect(await send(playOf(2), playOf(2, 'tuesday'), playOf(1), playOf(5))).toBe(clock)
      await send(playOf(6))
      expect((await guids()).slice(5)).toEqual(['monday'])
    })

    it('may share its media URL with thousands of others', async ({ send, states, guids }) => {
      await send(...Array.from({ length: 2100 }, (_, n) => play(E1, 1 + (n % 50), T + n, { guid: `day-${n}` })))
      expect(await states()).toHaveLength(2100)
      expect(new Set(await guids()).size).toBe(2100)
    })

    it('is listed without a guid that another podcast has too', async ({ send, states, move }) => {
      await send(play(E1, 10, T), play(E2, 20, T + 1))
      await send(play(E1, 30, T + 2, { podcast: B }))
      expect(await states()).toEqual([`20 ${E2} undefined`, `30 ${E1} undefined`])
      await move(B, A)
      expect(await states()).toEqual([`30 ${E1} fog`])
    })

    it('counts once in statistics', async ({ store, ida, send }) => {
      await send(play(E1, 10, T), play(E2, 20, T + 1), play(E1, 5, T + 2, { guid: 'x', podcast: B }))
      const plays = (await Array.fromAsync(store.listening.plays(ida, T, T + 10))).flat()
      expect(new Set(plays.map(({ episodeId }) => episodeId)).size).toBe(2)
      const { events } = await store.listening.history(ida, { offset: 0, limit: 10 })
      expect(events.map(({ podcast, episode }) => `${podcast} ${episode}`)).toEqual([
        `${B} ${E1}`,
        `${A} ${E2}`,
        `${A} ${E2}`,
      ])
    })

    const media = (n: number) => `https://cdn.example/?sig=${n}`
    const upTo64 = Array.from({ length: 64 }, (_, n) => play(media(n), n, T + n))

    it('has at most 64 media URLs; a guid with more is not listed', async ({ send, states }) => {
      await send(...upTo64)
      expect(await states()).toEqual([`63 ${media(63)} fog`])
      // A new media URL, one whose guid becomes known, and one of another podcast.
      await send(play(media(64), 64, T + 64), play(media(65), 65, T + 65, unnamed))
      await send(play(media(65), 65, T + 65), play(media(66), 66, T + 66, { podcast: B }))
      expect(await states()).toEqual([63, 64, 65, 66].map((n) => `${n} ${media(n)} undefined`))
    })

    it('loses the newest media URL when an older one joins', async ({ send, states }) => {
      await send(play(E1, 5, T - 1, unnamed))
      await send(...upTo64)
      await send(play(E1, 5, T))
      expect(await states()).toEqual([`62 ${E1} undefined`, `63 ${media(63)} undefined`])
      await send(play(media(63), 59, T + 100))
      expect(await states()).toEqual([`62 ${E1} undefined`, `59 ${media(63)} undefined`])
    })
  })

  describe('an episode whose podcast moves', () => {
    it('keeps all actions, including those that have become repeats', async (world) => {
      const { store, ida, send, list, states, move } = world
      await send(play(E1, 10, T))
      await send(play(E2, 60, T + 1, { ...marked, device: 'desk' }))
      const history = { at: T, seenUntil: undefined, isHistory: true }
      await store.episodeActions.applyUpload(ida, [play(E1, 60, T + 2, marked)], history)
      await move(A, B)
      expect((await list({ podcast: B })).map(({ device }) => device)).toEqual(['phone', 'desk', 'phone'])
      expect(await states()).toMatchObject([expect.stringContaining('60 ')])
    })

    it('keeps the order of a long history', async ({ send, states, positions, move }) => {
      const sent = Array.from({ length: 1200 }, (_, n) => {
        const rest = { podcast: n > 300 && n % 5 > 0 ? A : B, guid: `guid-${n % 3}`, device: `phone-${n % 4}` }
        return play(`https://cdn.example/${n % 6}`, n, T, rest)
      })
      for (let n = 0; n < sent.length; n += 100) await send(...sent.slice(n, n + 100))
      await move(A, B)
      expect(await positions({ podcast: B })).toEqual(sent.map((_, n) => n))
      const last = sent.slice(-3).map(({ position, episode, guid }) => `${position} ${episode} ${guid}`)
      expect(await states()).toEqual(last)
    })

    it('is sent to apps again, once', async ({ send, positions, list, move }) => {
      await send(play(E1, 10, T), play(E1, 10, T, { podcast: B }))
      const since = (await send(play(E2, 20, T + 1))) + 1
      await move(A, B)
      expect(await positions({ since })).toEqual([10, 20])
      expect(await list()).toHaveLength(2)
    })
  })

  const at = (podcast: string, episode: string, position: number, when: number, guid?: string) =>
    play(episode, position, when, { podcast, guid })

  describe('one episode at several addresses of a podcast (D83)', () => {
    test.each(WHEN)('is joined by its guid if the redirect is found %s', async (when) => {
      const { send, states, lead } = await openWorld(open)
      if (when === 'before the actions') await lead(B)
      await send(at(A, E1, 10, T, 'fog'), at(A, E2, 20, T + 1, 'fog'))
      if (when === 'between them') await lead(B)
      await send(at(B, E1, 30, T + 2, 'fog'), at(B, E3, 25, T + 1, 'fog'))
      if (when === 'after them') {
        expect(await states()).toEqual([`20 ${E2} undefined`, `30 ${E3} undefined`])
        await lead(B)
      }
      expect(await states()).toEqual([`30 ${E3} fog`])
      const mark = { ...at(A, 'https://x.example/', 60, T + 9, 'fog'), ...marked }
      const clock = await send({ ...mark, podcast: B })
      expect(await send(mark)).toBe(clock)
      await lead()
      expect(await states()).toEqual([`20 ${E2} undefined`, '60 https://x.example/ undefined'])
    })

    test.each(WHEN)('is joined by its media URL without a guid if the redirect is found %s', async (when) => {
      const { store, ole, send, states, lead } = await openWorld(open)
      await report(store, ole, [at(A, E1, 40, T)])
      if (when === 'before the actions') await lead(B)
      await send(at(A, E1, 10, T), at(A, E2, 20, T + 1))
      if (when === 'between them') await lead(B)
      await send(at(B, E1, 30, T + 2), at(C, E1, 50, T + 2))
      if (when === 'after them') await lead(B)
      const others = [`20 ${E2} undefined`, `50 ${E1} undefined`]
      expect((await states()).length).toBe(3)
      expect(await states()).toEqual(expect.arrayContaining([...others, `30 ${E1} undefined`]))
      expect(await states({ podcast: A })).toHaveLength(2)
      // A mark at the other address is a repeat (D86).
      const mark = { ...at(A, E1, 60, T + 9), ...marked }
      const clock = await send(mark)
      expect(await send({ ...mark, podcast: B, at: T + 19 })).toBe(clock)
      expect(await states()).toContain(`60 ${E1} undefined`)
      await lead()
      const apart = [`30 ${E1} undefined`, `60 ${E1} undefined`, ...others]
      expect(await states()).toEqual(expect.arrayContaining(apart))
    })

    it('stays joined at two addresses when the actions of the third move', async (world) => {
      const { store, send, states, lead, move } = world
      await lead(B, C)
      await leads({ store }, B, C)
      await send(at(A, E1, 10, T), at(B, E1, 20, T + 1), at(C, E1, 30, T + 2))
      expect(await states()).toEqual([`30 ${E1} undefined`])
      await move(C, 'https://else.example/f')
      expect(await states()).toEqual([`20 ${E1} undefined`, `30 ${E1} undefined`])
    })

    test.each([A, B])('has the guid of an action at %s, even of a repeated mark', async (podcast) => {
      const { send, states, lead } = await openWorld(open)
      await lead(B)
      await send(at(A, E1, 10, T), at(B, E1, 20, T + 1))
      await send(at(podcast, E1, 30, T + 2, 'fog'), at(B, E3, 25, T + 1, 'fog'))
      expect(await states()).toEqual([`30 ${E3} fog`])
      const clock = await send({ ...at(A, E2, 60, T + 3), ...marked })
      expect(await send({ ...at(B, E2, 60, T + 9), ...marked })).toBe(clock)
      expect(await send({ ...at(B, E2, 60, T + 9, 'ebb'), ...marked })).toBe(clock)
      expect(await states()).toContain(`60 ${E2} ebb`)
    })

    it('has a guid that was known before, or that of the feed', async ({ send, states, lead, save }) => {
      await lead(B)
      await send(at(A, E1, 10, T, 'fog'), at(A, E2, 11, T))
      await send(at(B, E1, 20, T + 1), at(B, E2, 21, T + 1))
      expect(await states()).toEqual([`20 ${E1} fog`, `21 ${E2} undefined`])
      await save({ [E2]: 'ebb' })
      expect(await states()).toEqual([`20 ${E1} fog`, `21 ${E2} ebb`])
      await lead()
      expect(await states()).toHaveLength(4)
    })

    it('is joined by its next action if there are too many to join at once', async ({ send, states, lead }) => {
      const many = Array.from({ length: 520 }, (_, n) => `https://cdn.example/${n}`)
      await send(...[A, B].flatMap((podcast, p) => many.map((episode) => at(podcast, episode, 10, T + p))))
      await lead(B)
      expect((await states()).length).toBeGreaterThan(520)
      await send(...many.map((episode) => at(A, episode, 20, T + 9)))
      expect(await states()).toHaveLength(520)
    })

    it('is listed by the address to which the user is subscribed, and found by any', async (world) => {
      const { store, ida, send, list, lead } = world
      await send(play(E1, 10, T), play(E2, 20, T + 1, { guid: 'ebb', podcast: B }))
      const podcasts = async (query = {}) => (await list(query)).map(({ podcast }) => podcast)
      await lead(B)
      expect(await podcasts()).toEqual([A, B])
      await change(store, ida, 'phone', { add: [A] })
      expect(await podcasts()).toEqual([A, A])
      await change(store, ida, 'desk', { add: [B] })
      expect(await podcasts()).toEqual([A, B])
      await change(store, ida, 'phone', { remove: [A] })
      for (const query of [{}, { podcast: A }, { podcast: B, aggregated: true }])
        expect([query, await podcasts(query)]).toEqual([query, [B, B]])
      await send(...Array.from({ length: 1100 }, (_, n) => play(`${E1}?${n}`, n, T, unnamed)))
      expect(new Set(await podcasts())).toEqual(new Set([B]))
      await lead()
      expect(new Set(await podcasts({ podcast: A }))).toEqual(new Set([A]))
    })
  })

  describe('the guid in the feed', () => {
    it('is that of earlier and later actions without one', async ({ send, states, save }) => {
      await send(play(E1, 10, T, unnamed))
      await save({ [E1]: 'fog', [E2]: 'fog-2', [E3]: '' })
      await send(play(E2, 20, T + 1, unnamed), play(E3, 20, T + 1, unnamed))
      const others = [`20 ${E2} fog-2`, `20 ${E3} undefined`]
      expect(await states()).toEqual([`10 ${E1} fog`, ...others])
      await send(play('https://new.example/1', 30, T + 2))
      expect(await states()).toEqual([...others, '30 https://new.example/1 fog'])
    })

    test.each([['before the actions'], ['after them']])('is ignored if episodes share it, saved %s', async (when) => {
      const { send, states, save } = await openWorld(open)
      const played = [play(E1, 10, T), play(E2, 20, T + 1), play(E3, 30, T + 2)]
      if (when === 'after them') await send(...played)
      await save({ [E1]: 'fog', [E2]: 'fog' }, true)
      if (when !== 'after them') await send(...played)
      expect(await states()).toEqual([`10 ${E1} undefined`, `20 ${E2} undefined`, `30 ${E3} undefined`])
      // The publisher has corrected it.
      await save({ [E1]: 'fog' })
      await save({ [E2]: 'ebb' })
      await send(play(E2, 21, T + 3, { guid: 'ebb' }), play(E3, 31, T + 4, { guid: 'tide' }))
      expect(await states()).toEqual([`30 ${E3} fog`, `21 ${E2} ebb`, `31 ${E3} tide`])
    })

    it('joins nothing at a new address of the podcast if episodes share it', async ({ send, states, save, move }) => {
      await save({ [E1]: 'fog', [E2]: 'fog' }, true)
      await send(play(E1, 60, T, marked), play(E2, 60, T, marked))
      await move(A, B)
      expect(await states()).toEqual([`60 ${E1} undefined`, `60 ${E2} undefined`])
    })

    it('is ignored if episodes share it and another podcast has it', async ({ send, states, save }) => {
      await send(play(E1, 10, T), play(E2, 20, T + 1), play(E1, 30, T + 2, { podcast: B }))
      await save({ [E2]: 'fog' }, true)
      expect(await states()).toEqual([`10 ${E1} undefined`, `20 ${E2} undefined`, `30 ${E1} undefined`])
    })

    it('replaces the feed’s earlier guid, but not that of an app', async ({ store, ole, send, states, save }) => {
      await save({ [E1]: 'fog' })
      await send(play(E1, 10, T, unnamed))
      await report(store, ole, [play(E1, 10, T, { guid: 'by-the-app' })])
      await save({ [E1]: 'ebb' })
      expect(await states()).toEqual([`10 ${E1} ebb`])
      expect(await states({}, ole)).toEqual([`10 ${E1} by-the-app`])
      await send(play(E2, 20, T + 1, { guid: 'ebb' }))
      expect(await states()).toEqual([`20 ${E2} ebb`])
    })

    it('replaces none if the media URL was several episodes', async ({ store, ida, send, states, save }) => {
      await change(store, ida, 'phone', { add: [A] })
      await send(play(E1, 10, T, { guid: 'sunday' }), play(E1, 20, T + 1, { guid: 'monday' }))
      await save({ [E1]: 'monday' })
      await save({ [E1]: 'tuesday' })
      expect(await states()).toEqual([`10 ${E1} sunday`, `20 ${E1} monday`])
      const page = { before: undefined, limit: 9 }
      const inbox = async () => (await store.inbox.inbox(ida, { ...page, podcasts: [A], onlyUnplayed: false })).items
      expect((await inbox()).map(({ guid, action }) => [guid, action])).toEqual([['tuesday', undefined]])
      await send(play(E1, 30, T + 2, { guid: 'tuesday' }), play(E1, 40, T + 3, { guid: 'monday' }))
      expect((await inbox())[0]?.action).toMatchObject({ guid: 'tuesday', position: 30 })
      const begun = await store.inbox.inProgress(ida, page)
      expect(begun.items.map(({ guid, title, action }) => [guid, title === E1, action?.position])).toEqual([
        ['monday', true, 40],
        ['tuesday', false, 30],
        ['sunday', true, 10],
      ])
    })
  })
}
