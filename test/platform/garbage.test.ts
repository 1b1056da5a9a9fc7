import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectGarbage, createSweeper } from '../../src/platform/garbage.ts'

/** Counts what has been freed of what `drop` has made, which is too little for the collector to come by itself. */
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

test('work in parts that is swept leaves no more than its last parts in memory', async () => {
  const { drop, freed } = litter()
  const sweep = createSweeper()
  for (let part = 0; part < 80; part++) {
    drop()
    sweep()
  }
  // The stack of this function may still show a few to the collector, which takes what looks like one for one.
  expect(await freed()).toBeGreaterThan(60)
})

test('what has just been dropped is freed when somebody asks for it', async () => {
  const { drop, freed } = litter()
  for (let part = 0; part < 80; part++) drop()
  collectGarbage()
  expect(await freed()).toBeGreaterThan(60)
})
