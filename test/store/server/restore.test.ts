import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { exchangeSteps, PREPARATION_FOLDER } from '../../../src/store/sqlite/core/exchange.ts'
import { leaveMarker } from '../../../src/store/sqlite/core/files/run-marker.ts'
import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { prepareRestore } from '../../../src/store/sqlite/server/restore.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser } from '../contract/fixtures.ts'
import { turn } from '../core/queue-bench.ts'
import { tempDirs } from '../temp-dir.ts'
import { NEXT } from '../upgrade/next-migration.ts'

const T = 1_740_909_600
const ASIDE = 'podstep-20250302T110000Z-before-restore.db'
const NOW = T + 3600

const dirs = tempDirs()
const opened: OpenDatabase[] = []
afterEach(() => {
  for (const database of opened.splice(0)) database.close()
})

function open(dataDir: string) {
  const database = openDatabase({ dataDir, version: '1', now: T })
  opened.push(database)
  return database
}

const usersIn = (dataDir: string) => {
  const db = new Database(join(dataDir, 'podstep.db'))
  const names = db.query<{ name: string }, []>('SELECT username AS name FROM users ORDER BY id').all()
  db.close()
  return names.map(({ name }) => name)
}

/** A folder with a closed database with these users. */
async function folderWith(...users: readonly string[]): Promise<string> {
  const dataDir = dirs.make()
  const { db } = open(dataDir)
  const store = createSqliteStore(db)
  for (const name of users) await addUser(store, name)
  await store.idle()
  // The write queue sets a pragma after its last job.
  await turn()
  opened.pop()?.close()
  return dataDir
}

let templates: Promise<readonly [Buffer, Buffer]> | undefined

/** A database with ida and ole, and a backup from before ole signed up. */
async function scene() {
  templates ??= (async (): Promise<readonly [Buffer, Buffer]> => [
    readFileSync(join(await folderWith('ida'), 'podstep.db')),
    readFileSync(join(await folderWith('ida', 'ole'), 'podstep.db')),
  ])()
  const [folder, dataDir] = [dirs.make(), dirs.make()]
  const [source, database] = [join(folder, 'podstep.db'), join(dataDir, 'podstep.db')]
  const [backup, current] = await templates
  writeFileSync(source, backup)
  writeFileSync(database, current)
  return { source, dataDir, request: { source, dataDir, version: '1', now: NOW } }
}

const edit = (path: string, sql: string) => {
  const db = new Database(path)
  db.run(sql)
  db.close()
}

const databasesIn = (dataDir: string) => readdirSync(dataDir).filter((name) => !/\.lock|-wal$|-shm$/.test(name))

describe('a restore', () => {
  test('installs the backup, and keeps the previous database', async () => {
    const { dataDir, request } = await scene()
    const prepared = await prepareRestore(request)
    expect(prepared).toMatchObject({ users: 1, subscriptions: 0, changedAt: undefined, applied: [] })
    expect(usersIn(dataDir)).toEqual(['ida', 'ole'])
    expect(prepared.exchange()).toBe(join(dataDir, ASIDE))
    expect(usersIn(dataDir)).toEqual(['ida'])
    expect(databasesIn(dataDir).toSorted()).toEqual([ASIDE, 'podstep.db'])
    expect(statSync(join(dataDir, 'podstep.db')).mode & 0o777).toBe(0o600)
  })

  test('sets aside a write-ahead log that belongs to another database', async () => {
    const { source, dataDir: before, request } = await scene()
    const { db, stampInFile } = open(before)
    leaveMarker({ dataDir: before, db, stampInFile, stamp: 7 })
    db.run(`UPDATE users SET username = 'eve' WHERE username = 'ole'`)
    const dataDir = dirs.make()
    for (const name of ['podstep.db-wal', 'podstep.running']) copyFileSync(join(before, name), join(dataDir, name))
    copyFileSync(source, join(dataDir, 'podstep.db'))
    const aside = new Database((await prepareRestore({ ...request, dataDir })).exchange())
    expect(aside.query('SELECT username FROM users').values()).toEqual([['ida']])
    aside.close()
    expect(readdirSync(dataDir)).toContain('podstep-20250302T110000Z-of-another.db-wal')
  })

  test('changes nothing if it is discarded', async () => {
    const { dataDir, request } = await scene()
    const before = readdirSync(dataDir)
    ;(await prepareRestore(request)).discard()
    expect(readdirSync(dataDir)).toEqual(before)
    expect(usersIn(dataDir)).toEqual(['ida', 'ole'])
  })

  test('replaces a damaged database, which is kept', async () => {
    const { dataDir, request } = await scene()
    writeFileSync(join(dataDir, 'podstep.db'), 'not a database')
    expect((await prepareRestore(request)).exchange()).toBe(join(dataDir, ASIDE))
    expect(usersIn(dataDir)).toEqual(['ida'])
    expect(await Bun.file(join(dataDir, ASIDE)).text()).toBe('not a database')
  })

  test('upgrades the data of an older backup, without changing the backup', async () => {
    const { dataDir, request } = await scene()
    const older = dirs.make()
    openDatabase({ dataDir: older, version: '0', now: T }).close()
    const source = join(older, 'podstep.db')
    const before = await Bun.file(source).bytes()
    const prepared = await prepareRestore({ ...request, source, migrations: [...MIGRATIONS, NEXT] })
    expect(prepared.applied).toEqual([NEXT.name])
    prepared.exchange()
    expect(usersIn(dataDir)).toEqual([])
    expect(Buffer.compare(await Bun.file(source).bytes(), before)).toBe(0)
    expect(databasesIn(dataDir).toSorted()).toEqual([ASIDE, 'podstep.db'])
  })

  test('ignores files of an earlier attempt', async () => {
    const { dataDir, request } = await scene()
    mkdirSync(join(dataDir, PREPARATION_FOLDER))
    writeFileSync(join(dataDir, PREPARATION_FOLDER, 'podstep.db'), 'half')
    ;(await prepareRestore(request)).exchange()
    expect(usersIn(dataDir)).toEqual(['ida'])
  })
})

describe('after a restore the logical clocks are ahead of all cursors:', () => {
  const clockIn = (dataDir: string) => {
    const db = new Database(join(dataDir, 'podstep.db'))
    const clock = db.query<{ clock: number }, []>('SELECT clock FROM users WHERE id = 1').get()?.clock
    db.close()
    return clock
  }

  test.each([
    ['ahead of the time of the restore', 0, NOW + 2],
    ['ahead of the clocks in the previous database', NOW + 500, NOW + 502],
  ])('%s', async (_, clock, expected) => {
    const { dataDir, request } = await scene()
    edit(join(dataDir, 'podstep.db'), `UPDATE users SET clock = ${clock} WHERE id = 1`)
    const prepared = await prepareRestore(request)
    prepared.exchange()
    expect(clockIn(dataDir)).toBe(expected)
  })

  test('a day ahead without a previous database', async () => {
    const { request } = await scene()
    const dataDir = dirs.make()
    expect((await prepareRestore({ ...request, dataDir })).exchange()).toBeUndefined()
    expect(usersIn(dataDir)).toEqual(['ida'])
    expect(clockIn(dataDir)).toBe(NOW + 86_402)
  })

  test('ahead of the clocks in the backup', async () => {
    const { dataDir, source, request } = await scene()
    edit(source, `UPDATE users SET clock = ${NOW + 700}`)
    ;(await prepareRestore(request)).exchange()
    expect(clockIn(dataDir)).toBe(NOW + 702)
  })
})

describe('a restore is refused with a reason, and changes nothing,', () => {
  test.each<[string, (source: string) => void, RegExp]>([
    ['a file that is not a database', (file) => writeFileSync(file, 'x'.repeat(5000)), /damaged or not a database/],
    ['an empty file', (file) => writeFileSync(file, ''), /is not a database of podstep/],
    ['a truncated database', (file) => truncateSync(file, 40_960), /damaged/],
    // A sparse file, which takes no space itself.
    ['a file that is too large', (file) => truncateSync(file, 8e12), /not enough room in .*: 9600000.0 MB are needed/],
    [
      'a database of another program',
      (file) => edit(file, 'DROP TABLE schema_migrations'),
      /not a database of podstep/,
    ],
    [
      'a database that does not pass its check',
      (file) =>
        edit(
          file,
          `PRAGMA ignore_check_constraints = ON;
           CREATE TABLE tides (level INTEGER NOT NULL CHECK (level < 10)) STRICT; INSERT INTO tides VALUES (11)`,
        ),
      /is damaged: CHECK constraint failed in tides/,
    ],
    [
      'a database of a newer version',
      (file) => edit(file, `INSERT INTO schema_migrations VALUES ('9999_later', 'x', 1, '9.8.7')`),
      /cannot be restored: the database was written by podstep 9\.8\.7/,
    ],
  ])('for %s', async (_, spoil, message) => {
    const { dataDir, source, request } = await scene()
    spoil(source)
    const before = readdirSync(dataDir)
    await expect(prepareRestore(request)).rejects.toMatchObject({
      name: 'RestoreFailure',
      message: expect.stringMatching(message),
    })
    expect(readdirSync(dataDir)).toEqual(before)
    expect(usersIn(dataDir)).toEqual(['ida', 'ole'])
  })

  test('for a missing file, a folder, and the database itself', async () => {
    const { dataDir, request } = await scene()
    const failing = async (source: string) =>
      (await prepareRestore({ ...request, source }).catch((error) => error)).message
    expect(await failing(join(dataDir, 'nowhere.db'))).toContain('there is no file')
    expect(await failing(join(dataDir, 'podstep.db', 'x'))).toContain('cannot read')
    expect(await failing(dataDir)).toContain('is not a file')
    expect(await failing(join(dataDir, 'podstep.db'))).toContain('is the database itself')
  })

  test('while another program is writing', async () => {
    const { dataDir, request } = await scene()
    const other = open(dataDir)
    other.db.run('BEGIN IMMEDIATE')
    await expect(prepareRestore(request)).rejects.toThrow('another program is using the database')
    other.db.run('ROLLBACK')
    expect(usersIn(dataDir)).toEqual(['ida', 'ole'])
  })
})

test('after a crash at any step of a restore, the next start has the old database or the new one', async () => {
  const ends: string[][] = []
  for (let steps = 0, isOver = false; !isOver; steps++) {
    const { dataDir, source } = await scene()
    // As left by SQLite without a final checkpoint.
    copyFileSync(join(dataDir, 'podstep.db'), join(dataDir, 'old.db'))
    writeFileSync(join(dataDir, 'podstep.db-wal'), '')
    const prepared = join(dataDir, 'prepared.db')
    copyFileSync(source, prepared)
    const work = exchangeSteps(dataDir, prepared, NOW)
    for (let n = 0; n < steps && !isOver; n++) isOver = work.next().done === true
    open(dataDir)
    const users = usersIn(dataDir)
    ends.push(users)
    const aside = join(dataDir, ASIDE)
    const isNew = users.length === 1
    // The other of the two databases is complete as well.
    expect(existsSync(aside)).toBe(isNew)
    expect(existsSync(prepared)).toBe(!isNew)
    if (isNew)
      expect(Buffer.compare(await Bun.file(aside).bytes(), await Bun.file(join(dataDir, 'old.db')).bytes())).toBe(0)
    expect(existsSync(join(dataDir, 'podstep.db.restored'))).toBe(false)
  }
  expect(ends.length).toBeGreaterThan(6)
  // From some step on, it is the new one.
  const firstNew = ends.findIndex((users) => users.length === 1)
  expect(firstNew).toBeGreaterThan(0)
  for (const [n, users] of ends.entries()) expect(users).toEqual(n < firstNew ? ['ida', 'ole'] : ['ida'])
})
