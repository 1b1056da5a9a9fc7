import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { whole } from '../../support/values.ts'
import { createWorld, FEEDS, type Step, take, type World } from './listeners-world.ts'

const urls = fc.uniqueArray(fc.constantFrom(...FEEDS), { maxLength: 3 })
const user = fc.constantFrom('ida', 'ida', 'ole')
// Not in the order of their letters.
const device = fc.constantFrom('phone', 'desk', 'car', 'Attic')
const at = fc.record({ user, device })
const kind = <const K extends Step['kind']>(name: K) => fc.constant(name)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kind('upload'), at, add: urls, remove: urls }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('replace'), at, urls }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('regroup'),
      user,
      synchronize: fc.array(fc.array(device, { maxLength: 3 }), { maxLength: 1 }),
      stop: fc.array(device, { maxLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('play'), at, url: fc.constantFrom(...FEEDS) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('removeDevice'), at }) },
)

interface Grouped {
  readonly url: string
  readonly addedSeq: number
  readonly devices: string
}

/** The same by one query, as slow as it may be. */
function grouped({ db }: World, id: UserId) {
  const sql = `SELECT p.url, MIN(s.seq) AS addedSeq, json_group_array(d.uid ORDER BY d.id) AS devices
    FROM devices d JOIN subscriptions s ON s.device_id = d.id JOIN podcasts p ON p.id = s.podcast_id
    WHERE d.user_id = ?1 AND s.subscribed = 1 GROUP BY p.id ORDER BY addedSeq, p.url`
  const rows = db.query<Grouped, [UserId]>(sql).all(id)
  return rows.map(({ url, addedSeq, devices }) => ({ url, addedSeq, devices: JSON.parse(devices) }))
}

test('whatever people do, the own list names what their devices have, since when, in its order', async () => {
  let longest = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const world = await createWorld(['ida', 'ole'])
      for (const next of steps) await take(world, next)
      for (const id of world.users.values()) {
        const list = whole(await world.store.myPodcasts.list(id))
        const told = list.map(({ url, addedSeq, devices }) => ({ url, addedSeq, devices }))
        const expected = grouped(world, id)
        expect(told).toEqual(expected)
        longest = Math.max(longest, ...expected.map(({ devices }) => devices.length))
      }
    }),
    { numRuns: 60 },
  )
  expect(longest).toBe(4)
}, 30_000)
