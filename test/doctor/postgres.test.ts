import { expect, test } from 'bun:test'
import { postgresFinding } from '../../src/doctor/postgres.ts'
import { found, type PostgresFacts } from '../../src/domain/server/doctor.ts'

const SOUND: PostgresFacts = { version: '15.18', off: '', connectionsLeft: 80, secondsApart: 0, roundTripMs: 0.4 }

test.each<[Partial<PostgresFacts>, ReturnType<typeof found>]>([
  [{}, found('postgres_ok', { version: '15.18', ms: 0.4, n: 80 })],
  [{ off: 'fsync, synchronous_commit' }, found('postgres_unsafe', { settings: 'fsync, synchronous_commit' })],
  [{ connectionsLeft: 16 }, found('postgres_full', { n: 16 })],
  [{ secondsApart: 61 }, found('postgres_clock', { seconds: 61 })],
  [{ roundTripMs: 21 }, found('postgres_far', { ms: 21 })],
])('the finding for PostgreSQL with %j', async (facts, expected) => {
  expect(await postgresFinding(async () => ({ ...SOUND, ...facts }))).toEqual(expected)
})

test('an unusable PostgreSQL is reported with its error', async () => {
  const finding = await postgresFinding(() => Promise.reject(new Error('PostgreSQL at db.lan does not answer')))
  expect(finding).toEqual(found('postgres_unusable', {}, { cause: 'PostgreSQL at db.lan does not answer' }))
})
