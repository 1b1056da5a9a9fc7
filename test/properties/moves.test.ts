import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { HABITS, type Habit, MovingWorld, type Step } from './moves-world.ts'

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

test('wherever feeds move, no device has a podcast more often than it made copies of it, and an unsubscribe sticks', async () => {
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

const lateStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), podcast: number, to: number }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('fetch' as const), device: number }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('sync' as const), device: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), device: number }) },
)
const silent = fc.array(fc.constantFrom<Habit>('renames', 'keeps'), { minLength: 2, maxLength: 4 })

test('an unsubscribe sticks also where an app has followed the feed before the server did', async () => {
  let left = 0
  await fc.assert(
    fc.asyncProperty(silent, fc.array(lateStep, { minLength: 5, maxLength: 30, size: 'max' }), async (apps, list) => {
      const world = await MovingWorld.open(apps, 2, true, true)
      for (const podcast of [0, 1]) await world.take({ kind: 'subscribe', device: podcast, podcast, address: 0 })
      for (const device of world.devices) await world.sync(device)
      for (const each of list) await world.take(each)
      await world.take({ kind: 'refresh' })
      await world.settle()
      left += await world.checkLeft()
    }),
    { numRuns: 30, endOnFailure: true },
  )
  expect(left).toBeGreaterThan(0)
})
