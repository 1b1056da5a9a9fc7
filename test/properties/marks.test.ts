import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMarks, type MarkResult } from '../../src/domain/directory/marks.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { createCursors } from '../../src/domain/sync/cursors.ts'
import { createEpisodeActions, listenStateOf } from '../../src/domain/sync/episode-actions.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { createLru } from '../../src/platform/lru.ts'
import type { Store } from '../../src/store/stores.ts'
import { A, addUser, B, change, listActions, report } from '../store/contract/fixtures.ts'
import { fakeClock } from '../support/clock.ts'
import { storeOpener } from '../support/store.ts'
import { anyAction, anyMedia, anyPublished, createEpisodeModel, GUIDS, publish } from './episode-model.ts'

const openStore = storeOpener()

/** Episodes in a request of an app: all with guids, or all without. */
const itemsOf = (...guids: (string | undefined)[]) =>
  fc.array(
    fc.record({
      podcast: fc.constantFrom(A, A, B),
      episode: anyMedia,
      guid: fc.constantFrom(...guids),
      position: fc.constantFrom(5, 7),
      total: fc.constantFrom(undefined, 30),
    }),
    { minLength: 1, maxLength: 5 },
  )
const marks = fc.record({
  as: fc.constantFrom('new', 'played', 'in_progress' as const),
  items: fc.oneof(itemsOf(undefined), itemsOf(...GUIDS)),
})

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ actions: fc.array(anyAction, { maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ published: anyPublished.map((item) => ({ ...item, isShared: false })) }) },
    { weight: 4, arbitrary: fc.record({ marks }) },
  ),
  { maxLength: 10 },
)

function openMarks(store: Store, clock: Clock) {
  const episodeActions = createEpisodeActions(store.episodeActions, createCursors(createLru(100, clock)), clock)
  return createMarks({ store: store.marks, episodeActions, clock })
}

test('marking changes each episode once, and adds no action to those already in that state', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const store = openStore()
      const ida = await addUser(store)
      let last = await change(store, ida, 'phone', { add: [A, B] })
      const clock = fakeClock()
      const domain = openMarks(store, clock)
      const model = createEpisodeModel()
      for (const step of all) {
        const now = clock.seconds()
        const seq = Math.max(now, last + 2)
        if ('published' in step) {
          model.publish(step.published)
          await publish(store, step.published)
        } else if ('actions' in step) {
          if (step.actions.filter((one) => model.add(one, seq)).length > 0) last = seq
          expect(await report(store, ida, step.actions, now)).toBe(last)
        } else {
          const { as, items } = step.marks
          const marked = model.mark(items, as, now, seq)
          if (marked > 0) last = seq
          const request = { userId: ida, client: 'web' }
          expect((await domain.mark(request, { episodes: items }, as)).marked).toBe(marked)
        }
        expect(await listActions(store, ida)).toEqual(model.list({ since: 0, aggregated: false }))
      }
      const states = { since: 0, aggregated: true }
      expect(await listActions(store, ida, states)).toEqual(model.list(states))
    }),
    { numRuns: 100 },
  )
}, 60_000)

const filters = fc.record({
  as: fc.constantFrom('new', 'played' as const),
  podcasts: fc.constantFrom(undefined, [A], [B]),
  isNew: fc.constantFrom(undefined, true, false),
})

test('undoing a mark restores the state and position of every episode', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyPublished, { minLength: 1, maxLength: 6 }),
      fc.array(anyAction, { maxLength: 12 }),
      filters,
      async (published, actions, { as, ...all }) => {
        const store = openStore()
        const ida = await addUser(store)
        await change(store, ida, 'phone', { add: [A, B] })
        for (const item of published) await publish(store, { ...item, isShared: false })
        const clock = fakeClock()
        if (actions.length > 0) await report(store, ida, actions, clock.seconds())
        const marks = openMarks(store, clock)
        const request = { userId: ida, client: 'web' }
        const before = await statesOf(store, ida)
        const { marked, undo } = await marks.mark(request, { all }, as)
        expect(undo === undefined).toBe(marked === 0)
        if (undo === undefined) return
        expect((await marks.undo(request, undo)).marked).toBe(marked)
        expect(await statesOf(store, ida)).toEqual(before)
        expect((await marks.undo(request, undo)).marked).toBe(0)
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)

test('concurrent requests mark and undo once, even if the clock advances in between', async () => {
  const store = openStore()
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add: [A] })
  for (const n of [1, 2, 3])
    await publish(store, { podcast: A, url: `https://cdn.example/${n}.mp3`, guid: `${n}`, isShared: false })
  const clock = fakeClock()
  const ticking = {
    ...clock,
    seconds() {
      clock.advance(1)
      return clock.seconds()
    },
  }
  const marks = openMarks(store, ticking)
  const request = { userId: ida, client: 'web' }
  const twice = async (work: () => Promise<MarkResult>) =>
    (await Promise.all([work(), work()])).map(({ marked }) => marked)
  let undo = ''
  const mark = async () => {
    const result = await marks.mark(request, { all: {} }, 'played')
    undo ||= result.undo ?? ''
    return result
  }
  expect(await twice(mark)).toEqual([3, 0])
  expect(await twice(() => marks.undo(request, undo))).toEqual([3, 0])
})

/** The state and position of each episode in the feeds. */
async function statesOf(store: Store, userId: UserId) {
  const found: [string, string, number | undefined][] = []
  for await (const episodes of (await store.marks.inFilter(userId, {})) ?? [])
    for (const { podcast, episode, action } of episodes) {
      const state = listenStateOf(action)
      found.push([`${podcast} ${episode}`, state, state === 'in_progress' ? action?.position : undefined])
    }
  return found
}
