import { expect, test } from 'bun:test'
import { createDatabaseCheck } from '../../../src/domain/server/status.ts'
import { createLog } from '../../../src/platform/log.ts'
import { fakeClock } from '../../support/clock.ts'

function scene(check: () => Promise<number>, isSound = true, isOverwritten = false) {
  const clock = fakeClock()
  const lines: { level: string; msg: string }[] = []
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(JSON.parse(line)) })
  const settled = Promise.withResolvers<void>()
  const run = () => check().finally(() => setImmediate(settled.resolve))
  const store = { check: run, isSound: () => isSound, isOverwritten: () => isOverwritten }
  const database = createDatabaseCheck(store, clock, log)
  return { database, lines, settled: settled.promise, clock }
}

test('a check has not passed while it runs, and its end is logged with its time', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { database, lines, settled, clock } = scene(() => promise)
  database.begin()
  expect(database.isPassed()).toBe(false)
  clock.advance(7)
  resolve(0)
  await settled
  expect(database.isPassed()).toBe(true)
  expect(lines).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('not orderly') },
    { level: 'info', msg: expect.stringContaining('is sound'), seconds: 7 },
  ])
})

test('a check that fails has not passed, which is logged, nor has a damaged store', async () => {
  const { database, lines, settled } = scene(() => Promise.reject(new Error('the thread has ended')))
  database.begin()
  await settled
  expect(database.isPassed()).toBe(false)
  expect(lines.at(-1)).toMatchObject({ level: 'error', msg: expect.stringContaining('could not be checked') })
  const { database: faulty } = scene(async () => 0, false, true)
  expect([faulty.isPassed(), faulty.isOverwritten(), database.isOverwritten()]).toEqual([false, true, false])
})
