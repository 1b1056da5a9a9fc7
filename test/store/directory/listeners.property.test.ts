import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { whole } from '../../support/values.ts'
import { check, createWorld, FEEDS, type Step, take, type World } from './listeners-world.ts'

const USERS = ['ida', 'ole', 'eva']

const url = fc.constantFrom(...FEEDS)
const urls = fc.uniqueArray(url, { maxLength: 3 })
// The first one does more, so that one thing more often leads to another.
const user = fc.constantFrom('ida', ...USERS)
// Not in the order of their letters.
const device = fc.constantFrom('phone', 'desk', 'car', 'Attic')
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

/** The own list by one query, as slow as it may be. */
function ownList({ db }: World, id: UserId) {
  const sql = `SELECT p.url, MIN(s.seq) AS addedSeq, json_group_array(d.uid ORDER BY d.id) AS devices
    FROM devices d JOIN subscriptions s ON s.device_id = d.id JOIN podcasts p ON p.id = s.podcast_id
    WHERE d.user_id = ?1 AND s.subscribed = 1 GROUP BY p.id ORDER BY addedSeq, p.url`
  const rows = db.query<{ url: string; addedSeq: number; devices: string }, [UserId]>(sql).all(id)
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }))
}

test('whatever people do, counters, privacy and own lists are what counting from scratch gives', async () => {
  const done = new Map<string, number>()
  let longest = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = await createWorld(USERS, done)
      for (const next of steps) {
        await take(world, next)
        await check(world)
      }
      for (const id of world.users.values()) {
        const list = whole(await world.store.myPodcasts.list(id))
        const expected = ownList(world, id)
        expect(list.map(({ url, addedSeq, devices }) => ({ url, addedSeq, devices }))).toEqual(expected)
        longest = Math.max(longest, ...expected.map(({ devices }) => devices.length))
      }
    }),
    { numRuns: 50 },
  )
  // Steps that are always refused would prove nothing.
  expect(done.size).toBe(14)
  expect(longest).toBeGreaterThan(1)
}, 60_000)
