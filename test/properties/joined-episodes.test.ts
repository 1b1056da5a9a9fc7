import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Before } from '../../src/domain/directory/ports/inbox.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import type { Store } from '../../src/store/stores.ts'
import { A, addUser, B, listActions, report, T, upload } from '../store/contract/fixtures.ts'
import { storeOpener } from '../support/store.ts'
import { anyAction, anyPublished, createEpisodeModel, type EpisodeModel, publish } from './episode-model.ts'

const openStore = storeOpener()

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ actions: fc.array(anyAction, { maxLength: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ published: anyPublished }) },
    { weight: 1, arbitrary: fc.record({ from: fc.constantFrom(A, A, B) }) },
  ),
  { maxLength: 10 },
)

async function compare(store: Store, ida: UserId, model: EpisodeModel): Promise<void> {
  for (const since of [0, ...model.seqs().slice(-3)]) {
    for (const aggregated of [false, true])
      for (const filter of [{}, { podcast: A }, { device: 'phone' }, { podcast: B, device: 'desk' }]) {
        const query = { since, aggregated, ...filter }
        expect([query, await listActions(store, ida, query)]).toEqual([query, model.list(query)])
      }
    const query = { since, aggregated: true, onlyStates: true }
    expect([query, await listActions(store, ida, query)]).toEqual([query, model.list(query)])
  }
  const begun = model.inProgress().map(placeOf)
  expect((await inProgress(store, ida)).toSorted(byText)).toEqual(begun.toSorted(byText))
}

const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const placeOf = ({ podcast, episode, at, device, position, guid }: EpisodeAction) => ({
  ...{ podcast, episode, at, device, position, guid: guid ?? '' },
})

/** The episodes in progress, read page by page. */
async function inProgress(store: Store, ida: UserId) {
  const found = []
  for (let before: Before | undefined; ; ) {
    const { items, next } = await store.inbox.inProgress(ida, { before, limit: 2 })
    found.push(...items.flatMap(({ action, guid }) => (action ? placeOf({ ...action, guid }) : [])))
    before = next
    if (!before) break
  }
  expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted((one, other) => other - one))
  return found
}

test('an episode with several media URLs is listed once, by the latest one, and finished once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const store = openStore()
      const ida = await addUser(store)
      const ole = await addUser(store, 'ole')
      await upload(store, ole, 'phone', { add: [A, B] })
      const model = createEpisodeModel()
      let clock = 0
      for (const step of all) {
        const seq = Math.max(T, clock + 2)
        if ('published' in step) {
          model.publish(step.published)
          await publish(store, step.published)
        } else if ('from' in step) {
          const to = step.from === A ? B : A
          if (model.move(step.from, to, seq)) clock = seq
          await store.upgrades.moveActions(ida, { from: step.from, to }, T)
        } else {
          const added = step.actions.filter((one) => model.add(one, seq))
          clock = added.length > 0 ? seq : clock
          expect(await report(store, ida, step.actions)).toBe(clock)
          await report(store, ole, step.actions.slice(0, 2))
        }
      }
      await compare(store, ida, model)
    }),
    { numRuns: 150 },
  )
})
