import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBackupWorker } from '../../../src/adapters.ts'
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/core/open.ts'
import {
  type BackupStoreOptions,
  copyDatabase,
  createBackupStore,
  removeStaleCopies,
} from '../../../src/store/sqlite/server/backups.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser } from '../contract/fixtures.ts'
import { turn } from '../core/queue-bench.ts'
import { tempDirs } from '../temp-dir.ts'

const NAME = 'podstep-20250302T100000Z.db'
const T = 1_740_909_600
const MEGABYTE = 1024 * 1024

const dirs = tempDirs()
const opened: OpenDatabase[] = []
afterEach(() => {
  for (const database of opened.splice(0)) database.close()
})

const script = (source: string) => () => new Worker(URL.createObjectURL(new Blob([source])))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A database with the user ida and ballast, and its backups. */
async function open(options: Partial<BackupStoreOptions> & { readonly megabytes?: number } = {}) {
  const { megabytes = 0, ...others } = options
  const dataDir = dirs.make()
  const database = openDatabase({ dataDir, version: '1', now: T })
  opened.push(database)
  const { db } = database
  const store = createSqliteStore(db)
  await addUser(store)
  await store.idle()
  db.run('CREATE TABLE ballast (id INTEGER PRIMARY KEY, weight BLOB NOT NULL) STRICT')
  const add = db.prepare<undefined, [number]>('INSERT INTO ballast (weight) VALUES (randomblob(?1))')
  for (let n = 0; n < megabytes; n++) add.run(MEGABYTE)
  const folder = join(dataDir, 'backups')
  const backups = createBackupStore(db, { folder, startWorker: startBackupWorker, ...others })
  return { dataDir, folder, db, add, backups, names: () => readdirSync(folder).toSorted() }
}

describe('a backup', () => {
  test('is a complete database in one file that only the owner can read', async () => {
    const { folder, dataDir, backups, names } = await open()
    const bytes = await backups.make(NAME)
    expect(names()).toEqual([NAME])
    expect([modeOf(folder), modeOf(join(folder, NAME))]).toEqual(['700', '600'])
    expect(statSync(join(folder, NAME)).size).toBe(bytes)
    expect(await backups.list()).toEqual([{ name: NAME, at: T, bytes }])

    const restored = dirs.make()
    copyFileSync(join(folder, NAME), join(restored, 'podstep.db'))
    const again = openDatabase({ dataDir: restored, version: '1', now: T })
    opened.push(again)
    expect(again.applied).toEqual([])
    const store = createSqliteStore(again.db)
    expect(await store.users.findByName('ida')).toBeDefined()
    await store.idle()
    // It can be read without other files.
    const copy = new Database(join(folder, NAME), { readonly: true })
    expect(copy.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
    copy.close()
    expect(names()).toEqual([NAME])
    expect(existsSync(join(dataDir, 'podstep.db-wal'))).toBe(true)
  })

  test('is consistent during writes, and leaves the write-ahead log short', async () => {
    const { db, add, backups, folder, dataDir } = await open({ megabytes: 12 })
    db.run('CREATE TABLE purses (owner TEXT PRIMARY KEY, coins INTEGER NOT NULL) STRICT')
    db.run(`INSERT INTO purses VALUES ('ida', 1000), ('ole', 0)`)
    const made = backups.make(NAME)
    let moved = 0
    while (Bun.peek.status(made) === 'pending') {
      db.run('BEGIN')
      db.run(`UPDATE purses SET coins = coins - 1 WHERE owner = 'ida'`)
      add.run(10_000)
      db.run(`UPDATE purses SET coins = coins + 1 WHERE owner = 'ole'`)
      db.run('COMMIT')
      moved++
      await turn()
    }
    await made
    expect(moved).toBeGreaterThan(10)
    const copy = new Database(join(folder, NAME), { readonly: true })
    const [[total, left] = []] = copy
      .query(`SELECT (SELECT SUM(coins) FROM purses), (SELECT coins FROM purses WHERE owner = 'ida')`)
      .values()
    const ballast = copy.query('SELECT COUNT(*) FROM ballast').values()
    copy.close()
    expect(total).toBe(1000)
    expect(ballast).toEqual([[12 + 1000 - Number(left)]])
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(statSync(join(dataDir, 'podstep.db-wal')).size).toBe(0)
  })

  test('does not overwrite another file', async () => {
    const { backups, folder } = await open()
    mkdirSync(folder)
    writeFileSync(join(folder, `${NAME}.partial`), 'another file')
    await expect(backups.make(NAME)).rejects.toThrow(/cannot make a copy in .*EEXIST/)
  })
})

describe('a copy by command', () => {
  test('reports progress, and can be made during a backup of the server', async () => {
    const { db, folder, backups, names } = await open({ megabytes: 3 })
    const progress: number[] = []
    const { size } = copyDatabase({
      ...{ database: db.filename, folder, name: 'copy.db', startWorker: startBackupWorker },
      onProgress: ({ pages, allPages }) => progress.push(pages / allPages),
    })
    await Promise.all([backups.make(NAME), backups.removeLeftovers(), size])
    expect(names()).toEqual(['copy.db', NAME])
    expect(await size).toBe(statSync(join(folder, 'copy.db')).size)
    expect(progress.length).toBeGreaterThan(2)
    expect(progress.toSorted((one, other) => one - other)).toEqual(progress)
    expect(progress.at(-1)).toBe(1)
  })

  test('leaves nothing behind when aborted', async () => {
    const { db, folder, names } = await open({ megabytes: 3 })
    const { size, abort } = copyDatabase({
      ...{ database: db.filename, folder, name: 'copy.db', startWorker: startBackupWorker },
      onProgress: () => abort(),
    })
    await expect(size).rejects.toThrow('the server is stopping')
    expect(names()).toEqual([])
  })

  test('is made despite leftovers of a killed copy with the same name', async () => {
    const { db, folder, names } = await open()
    mkdirSync(folder)
    writeFileSync(join(folder, 'copy.db.copy.partial'), 'half')
    const request = { database: db.filename, folder, name: 'copy.db', startWorker: startBackupWorker }
    await copyDatabase({ ...request, onProgress: () => undefined }).size
    expect(new Set(names())).toEqual(new Set(['copy.db', 'copy.db.copy.partial']))
  })

  test('is removed an hour after it was killed', () => {
    const folder = dirs.make()
    const fresh = `${NAME}.00112233.copy.partial`
    const old = ['', '.8899aabb', '.copy.8899aabb'].map((middle) => `${NAME}${middle}.copy.partial`)
    const mine = ['mine.db.8899aabb.copy.partial', 'mine.db.8899aabb.copy.partial-journal', 'mine.db.copy.partial']
    const others = ['yours.db.8899aabb.copy.partial', 'yours.db', 'mine.db', 'mine.db.old.copy.partial', NAME]
    for (const name of [fresh, ...old, `${NAME}.copy`, ...mine, ...others]) {
      writeFileSync(join(folder, name), 'x')
      utimesSync(join(folder, name), T, name === fresh ? T : T - 3601)
    }
    removeStaleCopies(folder, 'mine.db', T)
    expect(new Set(readdirSync(folder))).toEqual(new Set([fresh, ...others]))
    removeStaleCopies(join(folder, 'nowhere'), 'mine.db', T)
  })
})

describe('a failed backup has a reason and leaves nothing', () => {
  test('if the folder cannot be created', async () => {
    const { dataDir, backups } = await open()
    writeFileSync(join(dataDir, 'backups'), 'a file')
    await expect(backups.make(NAME)).rejects.toThrow(/cannot make a copy in .*backups/)
    await expect(backups.list()).rejects.toMatchObject({
      trouble: 'folder',
      message: expect.stringContaining('ENOTDIR'),
    })
    await expect(backups.removeLeftovers()).rejects.toThrow('cannot read the folder of backups: ENOTDIR')
  })

  test('if the copy does not pass its check', async () => {
    const { db, backups, folder, names } = await open()
    db.run('CREATE TABLE tides (level INTEGER NOT NULL CHECK (level < 10)) STRICT')
    db.run('PRAGMA ignore_check_constraints = ON')
    db.run('INSERT INTO tides VALUES (11)')
    await expect(backups.make(NAME)).rejects.toMatchObject({
      trouble: 'unsound',
      message: expect.stringContaining('does not pass its check: CHECK constraint failed in tides'),
    })
    expect(names()).toEqual([])
    expect(existsSync(folder)).toBe(true)
  })

  test('if too much is written in the meantime', async () => {
    const { add, backups, names, dataDir } = await open({ megabytes: 30, logBytesMax: 2 * MEGABYTE })
    const made = backups.make(NAME)
    made.catch(() => undefined)
    while (Bun.peek.status(made) === 'pending') {
      add.run(100_000)
      await turn()
    }
    await expect(made).rejects.toMatchObject({
      trouble: 'busy',
      message: expect.stringContaining('too much was written meanwhile'),
    })
    expect(names()).toEqual([])
    expect(statSync(join(dataDir, 'podstep.db-wal')).size).toBeLessThan(60 * MEGABYTE)
  })

  test.each([0, 5])('if it is aborted, with %d MB', async (megabytes) => {
    const { backups, names } = await open({ megabytes })
    const made = backups.make(NAME)
    backups.abort()
    await expect(made).rejects.toThrow('the server is stopping')
    expect(names()).toEqual([])
    // The next backup works.
    expect(await backups.make(NAME)).toBeGreaterThan(0)
  })

  test('if the worker does not stop in time, without holding up the server', async () => {
    const worker = script(`self.onmessage = () => undefined`)()
    using unref = spyOn(worker, 'unref')
    const { backups } = await open({ startWorker: () => worker })
    const made = backups.make(NAME)
    unref.mockClear()
    backups.abort()
    backups.abandon()
    await expect(made).rejects.toThrow('did not stop in time')
    expect(unref).toHaveBeenCalled()
    worker.terminate()
  })

  test('if the worker fails', async () => {
    const { backups } = await open({ startWorker: script(`throw new Error('out of luck')`) })
    await expect(backups.make(NAME)).rejects.toThrow(/the thread (?:failed|has ended)/)
  })
})

describe('the folder of backups', () => {
  test('keeps other files, and copies made before a migration', async () => {
    const { backups, folder, names } = await open()
    mkdirSync(folder)
    const others = ['holiday.jpg', 'podstep-20250101T000000Z-before-migration.db', 'podstep-20250101T000000Z.db']
    const leftovers = ['.partial', '.partial-wal', '.partial-journal'].map((end) => `podstep-20250101T000000Z.db${end}`)
    for (const name of [...others, ...leftovers]) writeFileSync(join(folder, name), 'x')
    await backups.removeLeftovers()
    expect(names()).toEqual(others)
    expect((await backups.list()).map(({ name }) => name)).toEqual(['podstep-20250101T000000Z.db'])
    await backups.remove('podstep-20250101T000000Z.db')
    expect(names()).toEqual(others.slice(0, 2))
  })

  test.each([
    { at: T, seconds: 2, file: NAME, bytes: 4096 },
    { at: T, seconds: 0, cause: 'the disk is full' },
    { at: T, seconds: 0, cause: 'the disk is full', trouble: 'no_room' },
  ])('remembers the last result: %p', async (result) => {
    const { backups, folder, names } = await open()
    await backups.writeResult(result)
    expect(await backups.readResult()).toEqual(result)
    expect(names()).toEqual(['last-backup.json'])
    expect(modeOf(join(folder, 'last-backup.json'))).toBe('600')
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"at":1,"seconds":2}',
    '{"at":"1","seconds":2,"cause":"x"}',
    '{"at":1,"seconds":2,"cause":"x","trouble":"y"}',
  ])('ignores an invalid last result: %p', async (text) => {
    const { backups, folder } = await open()
    mkdirSync(folder)
    writeFileSync(join(folder, 'last-backup.json'), text)
    expect(await backups.readResult()).toBeUndefined()
  })
})
