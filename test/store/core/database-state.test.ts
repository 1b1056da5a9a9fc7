import { afterEach, describe, expect, mock, test } from 'bun:test'
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { startCheckWorker } from '../../../src/adapters.ts'
import { createDatabaseState, createQuickCheck } from '../../../src/store/sqlite/core/database-state.ts'
import { watchFiles } from '../../../src/store/sqlite/core/files/database-files.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirs } from '../temp-dir.ts'

const dirs = tempDirs()
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const unavailable = { name: 'DomainError', code: 'unavailable', retryAfter: 10 }

function open() {
  const { path, db, close } = openDatabase({ dataDir: dirs.make(), version: 'test', now: 0 })
  closing.push(close)
  db.run('CREATE TABLE notes (text TEXT) STRICT')
  const clock = fakeClock()
  const troubles: { message: string; fields: Readonly<Record<string, unknown>> }[] = []
  const disk = { isBroken: false }
  const state = createDatabaseState({
    path,
    stamp: 0,
    hadReadError: () => disk.isBroken,
    monotonic: () => clock.monotonic(),
    onTrouble: (message, fields) => troubles.push({ message, fields }),
  })
  const probe = mock(async () => {
    await Promise.resolve()
    state.noteWrite()
  })
  return { path, db, state, disk, clock, troubles, ready: () => state.ready(probe), probe }
}

/** A database with a stamp that is still in the log. */
function openStamped() {
  const { path, db, close } = openDatabase({ dataDir: dirs.make(), version: 'test', now: 0 })
  closing.push(close)
  db.run('PRAGMA user_version = 42')
  return { path, db, watch: watchFiles(path, 42) }
}

function driverFault(code: string): Error {
  return Object.assign(new Error('from the driver'), { code })
}

describe('readiness', () => {
  test('is probed once per five seconds for all requests, and not while changes are written', async () => {
    const { ready, probe, clock, state } = open()
    await Promise.all([ready(), ready(), ready()])
    await ready()
    clock.advance(4)
    await ready()
    expect(probe).toHaveBeenCalledTimes(1)
    clock.advance(1)
    await ready()
    expect(probe).toHaveBeenCalledTimes(2)
    for (let n = 0; n < 5; n++) {
      state.noteWrite()
      clock.advance(4)
      await ready()
    }
    expect(probe).toHaveBeenCalledTimes(2)
  })

  test('depends on the last change', async () => {
    const { ready, probe, state } = open()
    state.noteWrite(driverFault('SQLITE_FULL'))
    await expect(ready()).rejects.toMatchObject(unavailable)
    expect(probe).not.toHaveBeenCalled()
    state.noteWrite()
    await ready()
  })

  test('fails for all waiting requests if the probe fails, and is probed again', async () => {
    const { state } = open()
    const failing = () => state.ready(() => Promise.reject(driverFault('SQLITE_FULL')))
    const outcomes = await Promise.allSettled([failing(), failing()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await state.ready(() => Promise.resolve())
  })

  test('fails for a minute after a failed read, which is logged once', async () => {
    const { ready, state, clock, troubles, path } = open()
    for (let n = 0; n < 3; n++) expect(state.noteError(driverFault('SQLITE_IOERR_READ'))).toMatchObject(unavailable)
    const unread = { ...unavailable, message: expect.stringContaining('could not be read') }
    await expect(ready()).rejects.toMatchObject(unread)
    expect(state.refusal()).toBeUndefined()
    clock.advance(59)
    await expect(ready()).rejects.toMatchObject(unavailable)
    clock.advance(1)
    await ready()
    expect(troubles).toMatchObject([{ fields: { database: path } }])
    state.noteError(driverFault('SQLITE_IOERR_SHORT_READ'))
    expect(troubles).toHaveLength(2)
  })
})

test('a corruption error caused by failing reads is temporary', async () => {
  const { ready, state, disk, clock } = open()
  disk.isBroken = true
  expect(state.noteError(driverFault('SQLITE_CORRUPT'))).toMatchObject(unavailable)
  expect(state.refusal()).toBeUndefined()
  await expect(ready()).rejects.toMatchObject({ message: expect.stringContaining('could not be read') })
  clock.advance(60)
  await ready()
})

describe('errors of statements', () => {
  test.each(['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_CANTOPEN'])(
    '%s makes the server unavailable, but is not damage',
    (code) => {
      const { state, troubles } = open()
      expect(state.noteError(driverFault(code))).toMatchObject(unavailable)
      expect([state.refusal(), troubles]).toEqual([undefined, []])
    },
  )

  test('caused by bugs are not translated', () => {
    const { state } = open()
    for (const error of [driverFault('SQLITE_CONSTRAINT_UNIQUE'), driverFault('SQLITE_ERROR'), new TypeError('no')])
      expect(state.noteError(error)).toBe(error)
  })
})

describe('damage', () => {
  test.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_VTAB', 'SQLITE_NOTADB'])(
    '(%s) makes the store refuse changes; the log says once what to do',
    async (code) => {
      const { state, ready, troubles, path } = open()
      state.noteWrite()
      expect(state.isRefusing).toBe(false)
      for (let n = 0; n < 3; n++) expect(state.noteError(driverFault(code))).toMatchObject(unavailable)
      expect(state.isRefusing).toBe(true)
      expect(state.refusal()).toMatchObject(unavailable)
      await expect(ready()).rejects.toMatchObject({ ...unavailable, message: expect.stringContaining('damaged') })
      expect(troubles).toMatchObject([
        {
          message: expect.stringContaining('stop the server and restore the latest good backup'),
          fields: { database: path, backups: join(path, '../backups'), error: { code } },
        },
      ])
    },
  )
})

describe('a store whose files change', () => {
  test.each([
    ['the database was deleted', (path: string) => rmSync(path)],
    ['the write-ahead log was deleted', (path: string) => rmSync(`${path}-wal`)],
    ['the index of the log was deleted', (path: string) => rmSync(`${path}-shm`)],
    ['the folder was moved', (path: string) => renameSync(join(path, '..'), `${join(path, '..')}-old`)],
    [
      'the database was replaced by a copy',
      (path: string) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
    ],
  ])('refuses changes if %s, and logs it once', async (_case, change) => {
    const { path, state, ready, troubles } = open()
    expect(state.refusal()).toBeUndefined()
    change(path)
    expect(state.refusal()).toMatchObject(unavailable)
    expect(state.isRefusing).toBe(true)
    state.noteWrite()
    await expect(ready()).rejects.toMatchObject({ message: expect.stringContaining('deleted or replaced') })
    expect(troubles).toMatchObject([
      { message: expect.stringContaining('stop the server'), fields: { database: path } },
    ])
    rmSync(`${join(path, '..')}-old`, { recursive: true, force: true })
  })

  /** Keeps the inode, like `cp`. */
  const overwrite = (path: string, bytes: Uint8Array) => writeFileSync(path, bytes, { flag: 'r+' })

  test.each([
    [
      'another database was copied over it',
      (path: string) => {
        const other = openDatabase({ dataDir: dirs.make(), version: 'test', now: 0 })
        other.db.run('PRAGMA user_version = 7')
        other.close()
        overwrite(path, readFileSync(other.path))
      },
    ],
    ['the database was truncated', (path: string) => truncateSync(path, 8192)],
    ['the database was emptied', (path: string) => truncateSync(path, 0)],
    [
      'the write-ahead log was emptied and written to again',
      (path: string) => {
        truncateSync(`${path}-wal`, 0)
        truncateSync(`${path}-wal`, 8192)
      },
    ],
  ])('refuses changes permanently if %s, and logs it once', async (_case, change) => {
    const { path, db, state, ready, troubles } = open()
    db.run(`INSERT INTO notes VALUES ('in the log')`)
    const [before, log] = [readFileSync(path), readFileSync(`${path}-wal`)]
    expect([state.refusal(), state.isOverwritten()]).toEqual([undefined, false])
    change(path)
    expect(state.refusal()).toMatchObject(unavailable)
    expect([state.isRefusing, state.isOverwritten()]).toEqual([true, true])
    await expect(ready()).rejects.toMatchObject({ message: expect.stringContaining('replaced') })
    overwrite(path, before)
    overwrite(`${path}-wal`, log)
    expect(state.refusal()).toMatchObject(unavailable)
    expect(troubles).toMatchObject([{ message: expect.stringContaining('overwritten'), fields: { database: path } }])
  })

  test('knows its file by the stamp of the run once a checkpoint has written it', () => {
    const { path, db, watch } = openStamped()
    expect(watch.find()).toBeUndefined()
    const before = readFileSync(path)
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(watch.find()).toBeUndefined()
    overwrite(path, before)
    expect(watch.find()).toEqual({ file: path, kind: 'overwritten' })
  })

  test('notices at the stop that they were overwritten since the last change', () => {
    const { path, state } = open()
    const before = readFileSync(path)
    truncateSync(path, 0)
    expect(state.isOverwritten()).toBe(true)
    overwrite(path, before)
  })

  test('recovers when they are within reach again', () => {
    const { path, state, troubles } = open()
    const folder = join(path, '..')
    renameSync(folder, `${folder}.away`)
    symlinkSync(folder, folder)
    expect(state.refusal()).toMatchObject(unavailable)
    unlinkSync(folder)
    renameSync(`${folder}.away`, folder)
    expect([state.refusal(), state.isOverwritten()]).toEqual([undefined, false])
    expect(troubles).toMatchObject([{ message: expect.stringContaining('cannot be reached'), fields: { file: path } }])
  })

  test('accepts changes by another process', () => {
    const { path, state } = open()
    const other = openDatabase({ dataDir: join(path, '..'), version: 'test', now: 0 })
    other.db.run(`INSERT INTO notes VALUES ('by the command line')`)
    other.close()
    expect(state.refusal()).toBeUndefined()
  })
})

test('concurrent checks share one read of the database', async () => {
  const { path } = open()
  let started = 0
  const check = createQuickCheck(path, () => {
    started++
    return startCheckWorker()
  })
  expect(await Promise.all([check(), check()])).toEqual([[], []])
  expect(started).toBe(1)
  expect(await check()).toEqual([])
  expect(started).toBe(2)
})
