import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { check, createWorld, FEEDS, type Step, take } from './listeners-world.ts'

const USERS = ['ida', 'ole', 'eva']

const url = fc.constantFrom(...FEEDS)
const urls = fc.uniqueArray(url, { maxLength: 3 })
// The first one does more, so that one thing more often leads to another.
const user = fc.constantFrom('ida', ...USERS)
const device = fc.constantFrom('phone', 'desk', 'car')
const at = fc.record({ user, device })
/** Only the very values true and false are choices. */
const choice = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(true, false, undefined) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 1, 'false', 'true', [], {}) },
)

const kind = <const K extends Step['kind']>(name: K) => fc.constant(name)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: kind('upload'), at, add: urls, remove: urls }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('replace'), at, urls }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('regroup'),
      user,
      synchronize: fc.array(fc.array(device, { maxLength: 3 }), { maxLength: 2 }),
      stop: fc.array(device, { maxLength: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('upgrade'), user }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('play'), at, url }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('removeDevice'), at }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('activate'), user, active: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('removeUser'), user, atOnce: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('addUser'), user }) },
  { weight: 8, arbitrary: fc.record({ kind: kind('choose'), user, url, choice }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('speed'), user, url, on: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('secret'), url, isSecret: fc.constantFrom(false, false, false, true, null) }),
  },
  { weight: 15, arbitrary: fc.record({ kind: kind('index') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('block'), url, isBlocked: fc.boolean() }) },
)

test('whatever people do, counters are what counting from scratch gives, and privacy is what the rule says of that', async () => {
  const done = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = await createWorld(USERS, done)
      for (const next of steps) {
        await take(world, next)
        await check(world)
      }
    }),
    { numRuns: 50 },
  )
  // Steps that are always refused would prove nothing.
  expect(done.size).toBe(14)
}, 60_000)
