import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createInbox } from '../../src/domain/directory/inbox.ts'
import { createCursors } from '../../src/domain/sync/cursors.ts'
import { createEpisodeActions } from '../../src/domain/sync/episode-actions.ts'
import { createLru } from '../../src/platform/lru.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { A, addUser, B, change, listActions, report } from '../store/contract/fixtures.ts'
import { fakeClock } from '../support/clock.ts'
import { anyAction, anyMedia, anyTaught, createEpisodeModel, GUIDS, teach } from './episode-model.ts'

/** Episodes as apps name them: all with guids, or all without. */
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
    { weight: 1, arbitrary: fc.record({ taught: anyTaught.map((said) => ({ ...said, isShared: false })) }) },
    { weight: 4, arbitrary: fc.record({ marks }) },
  ),
  { maxLength: 10 },
)

test('whatever is known of episodes, each that is marked is so once, and what is so already gets no action', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const store = createSqliteStore(openMemoryDatabase())
      const ida = await addUser(store)
      let last = await change(store, ida, 'phone', { add: [A, B] })
      const clock = fakeClock()
      const inbox = createInbox(
        store.inbox,
        createEpisodeActions(store.episodeActions, createCursors(createLru(100, clock)), clock),
        clock,
      )
      const model = createEpisodeModel()
      for (const step of all) {
        const now = clock.seconds()
        const seq = Math.max(now, last + 2)
        if ('taught' in step) {
          model.teach(step.taught)
          await teach(store, step.taught)
        } else if ('actions' in step) {
          if (step.actions.filter((one) => model.add(one, seq)).length > 0) last = seq
          expect(await report(store, ida, step.actions, now)).toBe(last)
        } else {
          const { as, items } = step.marks
          const marked = model.mark(items, as, now, seq)
          if (marked > 0) last = seq
          const request = { userId: ida, client: 'web' }
          expect((await inbox.mark(request, { episodes: items }, as)).marked).toBe(marked)
        }
        expect(await listActions(store, ida)).toEqual(model.list({ since: 0, aggregated: false }))
      }
      const states = { since: 0, aggregated: true }
      expect(await listActions(store, ida, states)).toEqual(model.list(states))
    }),
    { numRuns: 100 },
  )
}, 60_000)
