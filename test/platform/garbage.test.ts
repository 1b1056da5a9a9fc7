import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectGarbage, createSweeper } from '../../src/platform/garbage.ts'

/** Counts how many objects of `drop` were freed; they are too small to trigger the collector. */
function litter() {
  let freed = 0
  const registry = new FinalizationRegistry<undefined>(() => freed++)
  return {
    drop: () => registry.register({ of: 'nobody' }, undefined),
    async freed() {
      await turn()
      await turn()
      return freed
    },
  }
}

test('work in parts leaves only its last parts in memory if it is swept', async () => {
  const { drop, freed } = litter()
  const sweep = createSweeper()
  for (let part = 0; part < 80; part++) {
    drop()
    sweep()
  }
  // The stack of this function may still refer to a few of them, since the collector is conservative.
  expect(await freed()).toBeGreaterThan(60)
})

test('objects dropped just before are freed by an explicit collection', async () => {
  const { drop, freed } = litter()
  for (let part = 0; part < 80; part++) drop()
  collectGarbage()
  expect(await freed()).toBeGreaterThan(60)
})
