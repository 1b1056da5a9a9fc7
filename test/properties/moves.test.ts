import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { HABITS, MovingWorld, type Step } from './moves-world.ts'

const number = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), podcast: number, to: number }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('fetch' as const), device: number }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('sync' as const), device: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('full sync' as const), device: number }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('subscribe' as const), device: number, podcast: number, address: number }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unsubscribe' as const), device: number, feed: number }) },
)
const habits = fc.array(fc.constantFrom(...HABITS), { minLength: 1, maxLength: 4 })
const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' })

test('moving feeds gives no device a second copy of a podcast, and an unsubscribe is final', async () => {
  await fc.assert(
    fc.asyncProperty(habits, fc.boolean(), steps, number, async (apps, areGrouped, list, leaving) => {
      const world = await MovingWorld.open(apps, 2, areGrouped)
      for (const each of list) await world.take(each)
      await world.settle()
      world.checkCopies()
      if (areGrouped) await world.checkUnsubscribe(leaving)
      expect(world.devices.length).toBe(apps.length)
    }),
    { numRuns: 40, endOnFailure: true },
  )
})
