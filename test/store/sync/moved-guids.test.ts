import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/platform/clock.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, action, addUser, B, change, listActions, report, T } from '../contract/fixtures.ts'
import { leads } from '../contract/sync/address-world.ts'

const EPISODES = 700

const heard = (podcast: string, at: number, guid?: (n: number) => string) =>
  Array.from({ length: EPISODES }, (_, n) =>
    action({
      ...{ kind: 'play', podcast, episode: `https://cdn.example/${n}`, started: 0, position: at - T, total: 9999, at },
      guid: guid?.(n),
    }),
  )

test('a large upload that is taken back leaves no guid at any address of a podcast, and its episodes are one', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const [ida, ole] = [await addUser(store), await addUser(store, 'ole')]
  await change(store, ole, 'old', { add: [A, B] })
  await leads({ store }, A, B)
  await report(store, ida, [...heard(A, T + 1), ...heard(B, T + 2)])
  const before = await listActions(store, ida, { aggregated: true })
  expect(before).toHaveLength(EPISODES)

  const writing = report(store, ida, [...heard(A, T + 3), ...heard(B, T + 4, (n) => `guid ${n}`)], T + 100)
  const isInTheMiddle = db.prepare('SELECT 1 FROM unfinished_writes CROSS JOIN unfinished_guids')
  while (isInTheMiddle.get() === null && Bun.peek.status(writing) === 'pending') await nextTurn()
  // What is on the disk at this moment.
  const copy = openMemoryDatabase(db.serialize())
  const left = createSqliteStore(copy)
  await writing
  expect((await listActions(store, ida, { aggregated: true }))[0]).toMatchObject({ position: 4, guid: 'guid 0' })

  expect(copy.query('SELECT 1 FROM user_episodes WHERE guid IS NOT NULL').get()).not.toBeNull()
  await left.recover()
  expect(await listActions(left, ida, { aggregated: true })).toEqual(before)
  expect(await listActions(left, ida)).toHaveLength(2 * EPISODES)
})
