import { expect, test } from 'bun:test'
import { createDatabaseCheck } from '../../../src/domain/server/status.ts'
import { createLog } from '../../../src/platform/log.ts'

test('a stop learns from the store whether the database was overwritten', () => {
  const store = { check: async () => 0, isSound: () => false, isOverwritten: () => true }
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  const check = createDatabaseCheck(store, { seconds: () => 0, monotonic: () => 0 }, log)
  expect([check.isPassed(), check.isOverwritten()]).toEqual([false, true])
})
