import { expect, test } from 'bun:test'
import { rmSync, statSync } from 'node:fs'
import { openDatabase, openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser } from '../contract/fixtures.ts'
import { tempDirs } from '../temp-dir.ts'

const dirs = tempDirs()

test('the store reports its disk usage and the free space', async () => {
  const { db, path, close } = openDatabase({ dataDir: dirs.make(), version: '1', now: 0 })
  const store = createSqliteStore(db)
  await addUser(store)
  const { database, writeAheadLog, free } = await store.disk.use()
  expect(writeAheadLog).toBe(statSync(`${path}-wal`).size)
  expect(writeAheadLog).toBeGreaterThan(0)
  expect(free).toBeGreaterThan(0)
  // Ends the read transaction.
  await store.idle()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(database).toBe(statSync(path).size)
  expect(await store.disk.use()).toMatchObject({ database, writeAheadLog: 0 })
  await store.idle()
  close()
})

test('without a file system it reports no free space, and in memory no disk usage', async () => {
  const inMemory = createSqliteStore(openMemoryDatabase())
  expect(await inMemory.disk.use()).toMatchObject({ writeAheadLog: 0, free: undefined })
  const dataDir = dirs.make()
  const { db } = openDatabase({ dataDir, version: '1', now: 0 })
  const store = createSqliteStore(db)
  rmSync(dataDir, { recursive: true })
  expect(await store.disk.use()).toEqual({ database: expect.any(Number), writeAheadLog: 0, free: undefined })
  await store.idle()
  db.close()
})
