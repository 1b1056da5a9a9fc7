import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { check, createWorld, step, take, type World } from './listeners-world.ts'

/** The user's podcasts by one simple query. */
function ownList({ db }: World, id: UserId) {
  const sql = `SELECT p.url, MIN(s.seq) AS addedSeq, json_group_array(d.uid ORDER BY d.id) AS devices
    FROM devices d JOIN subscriptions s ON s.device_id = d.id JOIN podcasts p ON p.id = s.podcast_id
    WHERE d.user_id = ?1 AND s.subscribed = 1 GROUP BY p.id ORDER BY addedSeq, p.url`
  const rows = db.query<{ url: string; addedSeq: number; devices: string }, [UserId]>(sql).all(id)
  return rows.map((row) => ({ ...row, devices: JSON.parse(row.devices) }))
}

test('counters, privacy and lists of podcasts always agree with a recount', async () => {
  const effects = new Map<string, number>()
  let longest = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = await createWorld(effects)
      for (const next of steps) {
        await take(world, next)
        await check(world)
      }
      for (const id of world.users.values()) {
        const list = await world.store.myPodcasts.list(id)
        const expected = ownList(world, id)
        expect(list.map(({ url, addedSeq, devices }) => ({ url, addedSeq, devices }))).toEqual(expected)
        longest = Math.max(longest, ...expected.map(({ devices }) => devices.length))
      }
    }),
    { numRuns: 100 },
  )
  // Most of the 14 kinds of steps must have had an effect; the rarest may be missing by chance.
  expect(effects.size).toBeGreaterThan(12)
  expect(longest).toBeGreaterThan(1)
})
