import type { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { startCheckWorker } from '../../../src/adapters.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { corrupt, failingReads, rootPages } from '../../support/database.ts'
import { A, action, addUser, B, change, T } from '../contract/fixtures.ts'
import { tempDirs } from '../temp-dir.ts'
import { turn } from './queue-bench.ts'

const dirs = tempDirs()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const unavailable = { name: 'DomainError', code: 'unavailable', retryAfter: 10 }
function open(dataDir: string, prepare: (db: Database) => void = () => undefined) {
  const { db, path } = openDatabase({ dataDir, version: 'test', now: T })
  prepare(db)
  const troubles: string[] = []
  const failures: unknown[] = []
  const store = createSqliteStore(db, {
    onTrouble: (message) => troubles.push(message),
    onFailure: (error) => failures.push(error),
    startCheckWorker,
  })
  closing.push(async () => {
    await store.idle()
    db.close()
  })
  return { db, path, store, troubles, failures }
}

/** Creates a database with a user whose device has a subscription, and closes it cleanly. */
async function folderWithUser() {
  const dataDir = dirs.make()
  const { db, path, store } = open(dataDir)
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add: [A] })
  await store.idle()
  closing.pop()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return { dataDir, path, ida }
}

describe('with a damaged page', () => {
  test('only reads of that page fail', async () => {
    const { dataDir, path, ida } = await folderWithUser()
    corrupt(path, rootPages(path, 'subscriptions'))
    const { db, store, troubles } = open(dataDir)
    for (let n = 0; n < 3; n++) {
      await expect(store.subscriptions.listDevice(ida, 'phone')).rejects.toMatchObject(unavailable)
      await turn()
      expect(db.inTransaction).toBe(false)
      expect(await store.users.findByName('ida')).toMatchObject({ id: ida })
      await turn()
    }
    expect(troubles).toEqual([expect.stringContaining('the database is damaged')])
  })

  test('all changes are refused, because a restored backup would lose them', async () => {
    const { dataDir, path, ida } = await folderWithUser()
    corrupt(path, rootPages(path, 'subscriptions'))
    const { store, failures } = open(dataDir)
    await store.probe()
    await expect(change(store, ida, 'phone', { add: [B] })).rejects.toMatchObject(unavailable)
    const seen = failures.length
    expect(failures[0]).toMatchObject({ code: 'SQLITE_CORRUPT' })
    await expect(
      store.settings.change(ida, { scope: 'account', target: '' }, { set: { a: 1 }, remove: [] }, 1),
    ).rejects.toMatchObject(unavailable)
    await expect(store.probe()).rejects.toMatchObject(unavailable)
    expect(store.isSound()).toBe(false)
    expect(failures).toHaveLength(seen)
  })

  test('the check finds the damage without a read', async () => {
    const { dataDir, path } = await folderWithUser()
    const sound = open(dataDir)
    expect(await sound.store.check()).toBe(0)
    expect(sound.store.isSound()).toBe(true)
    await closing.pop()?.()

    corrupt(path, rootPages(path, 'episode_actions'))
    const { store, troubles } = open(dataDir)
    expect(store.isSound()).toBe(true)
    expect(await store.check()).toBeGreaterThan(0)
    expect(store.isSound()).toBe(false)
    expect(troubles).toEqual([expect.stringContaining('the database is damaged')])
  })

  test('a check that cannot be completed fails', async () => {
    const { dataDir, path } = await folderWithUser()
    const { store, troubles } = open(dataDir)
    rmSync(path)
    await expect(store.check()).rejects.toThrow('unable to open database file')
    expect(troubles).toEqual([])
  })
})

describe('while the disk cannot be read', () => {
  const reads: [string, (store: Store, id: Awaited<ReturnType<typeof addUser>>) => Promise<unknown>][] = [
    ['an account by drizzle', (store) => store.users.findByName('ida')],
    ['a delta', (store, id) => store.subscriptions.changesSince(id, 'phone', 0)],
    ['actions', (store, id) => store.episodeActions.list(id, { since: 0, aggregated: false })],
    ['the size', (store) => store.disk.use()],
  ]

  test.each(reads)('%s is unavailable', async (_what, read) => {
    const { dataDir, ida } = await folderWithUser()
    let fault: { code: string | undefined } = { code: undefined }
    const { store } = open(dataDir, (db) => {
      fault = failingReads(db)
    })
    await store.episodeActions.applyUpload(ida, [action()], { at: T, seenUntil: undefined })
    fault.code = 'SQLITE_IOERR_READ'
    await expect(read(store, ida)).rejects.toMatchObject(unavailable)
    await turn()
    await expect(store.probe()).rejects.toMatchObject(unavailable)
    fault.code = undefined
    await read(store, ida)
  })
})

test('a replaced database file refuses changes, and is not modified', async () => {
  const { dataDir, ida, path } = await folderWithUser()
  const copy = `${path}.copy`
  copyFileSync(path, copy)
  const { db, store, troubles } = open(dataDir)
  await change(store, ida, 'phone', { add: [B] })
  renameSync(copy, path)
  const restored = await Bun.file(path).bytes()
  for (let n = 0; n < 3; n++)
    await expect(change(store, ida, 'phone', { remove: [A] })).rejects.toMatchObject(unavailable)
  await expect(store.probe()).rejects.toMatchObject(unavailable)
  expect(troubles).toEqual([expect.stringContaining('replaced under the server')])
  expect(await store.subscriptions.listDevice(ida, 'phone')).toContain(B)
  await store.idle()
  closing.pop()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  expect(await Bun.file(path).bytes()).toEqual(restored)
  const next = open(dataDir)
  expect(await next.store.subscriptions.listDevice(ida, 'phone')).toEqual([A])
  expect(await next.store.check()).toBe(0)
})
