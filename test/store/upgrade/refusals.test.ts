import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, type Migration } from '../../../src/store/sqlite/core/migrate.ts'
import { type OpenOptions, openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../temp-dir.ts'
import { restoreFixture } from './fixtures.ts'
import { NEXT } from './next-migration.ts'

const dirs = tempDirs()
const COPY = 'podstep-20250302T100000Z-before-migration.db'
const open = (dataDir: string, options: Partial<OpenOptions> = {}) =>
  openDatabase({ dataDir, version: '1.2.3', now: 1_740_909_600, ...options })

const NEXT_VERSION = [...MIGRATIONS, NEXT]
const LATER: Migration = { name: '9999_next_later', sql: 'CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT' }

const oldFolder = () => restoreFixture(dirs.make()).dataDir

/** Hashes of all files in the folder, except those that SQLite creates to open a database: an empty log and its index. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }).map(String)
  const files = names.filter((name) => {
    const file = statSync(join(folder, name))
    return file.isFile() && !name.endsWith('-shm') && !(name.endsWith('-wal') && file.size === 0)
  })
  return Object.fromEntries(files.map((name) => [name, Bun.SHA256.hash(readFileSync(join(folder, name)), 'hex')]))
}

describe('a database of a newer version is refused and not modified', () => {
  test('naming the newest copy that this version can use', () => {
    const dataDir = oldFolder()
    open(dataDir, { migrations: NEXT_VERSION }).close()
    // A later upgrade has left a copy that is also too new, and there is another file.
    open(dataDir, { now: 1_740_999_999, version: '1.3.0', migrations: [...NEXT_VERSION, LATER] }).close()
    writeFileSync(join(dataDir, 'backups', 'podstep-20260101T000000Z-before-migration.db'), 'no database')
    const before = filesIn(dataDir)
    expect(Object.keys(before)).toHaveLength(4)
    const path = join(dataDir, 'backups', COPY)
    for (const asItIs of [false, true])
      expect(() => open(dataDir, { asItIs })).toThrow(
        `was written by podstep 1.3.0 (it has migration "9999_next", this is version 1.2.3); run that version, or go back to the copy made before it: podstep restore ${path}`,
      )
    expect(filesIn(dataDir)).toEqual(before)
  })

  test('without naming a copy if there is none', () => {
    const dataDir = oldFolder()
    open(dataDir, { version: '1.3.0', migrations: NEXT_VERSION, isCopy: true }).close()
    mkdirSync(join(dataDir, 'backups'))
    const before = filesIn(dataDir)
    expect(() => open(dataDir)).toThrow(
      'was written by podstep 1.3.0 (it has migration "9999_next", this is version 1.2.3); run that version, or restore a backup made before it',
    )
    expect(filesIn(dataDir)).toEqual(before)
  })
})

test('a database from before the first release is refused, with instructions, and not modified', () => {
  const dataDir = dirs.make()
  const unreleased = ['0000_init', '0001_accounts'].map((name) => ({
    name,
    sql: `CREATE TABLE "${name}" (id INTEGER)`,
  }))
  open(dataDir, { migrations: unreleased }).close()
  mkdirSync(join(dataDir, 'backups'))
  const before = filesIn(dataDir)
  for (const asItIs of [false, true])
    expect(() => open(dataDir, { asItIs })).toThrow(
      /before the first release, .*Run "podstep export" for each user with the executable that made it, and "podstep import"/,
    )
  expect(filesIn(dataDir)).toEqual(before)
})

describe('an upgrade on a full disk', () => {
  /** Fails as on a full disk, because no page can be added. */
  const large: Migration = {
    ...LATER,
    convert: (db) => {
      db.run('PRAGMA max_page_count = 1')
      db.run('CREATE TABLE large (id INTEGER PRIMARY KEY, bytes BLOB) STRICT')
      db.run('INSERT INTO large (bytes) VALUES (zeroblob(1000000))')
    },
  }

  test('reports the required space, and leaves the database unchanged and no copies', () => {
    const dataDir = oldFolder()
    const before = filesIn(dataDir)
    for (const now of [1_740_909_600, 1_740_909_700])
      expect(() => open(dataDir, { now, migrations: [...MIGRATIONS, large] })).toThrow(
        /podstep\.db could not be upgraded and is as it was: database or disk is full.* \d MB or more/,
      )
    expect(filesIn(dataDir)).toEqual(before)
    expect(open(dataDir, { migrations: NEXT_VERSION }).applied).toEqual([NEXT.name])
  })

  test('changes nothing if the copy cannot be made', () => {
    const dataDir = oldFolder()
    mkdirSync(join(dataDir, 'backups', COPY), { recursive: true })
    const before = filesIn(dataDir)
    expect(() => open(dataDir, { migrations: NEXT_VERSION })).toThrow('EISDIR')
    expect(filesIn(dataDir)).toEqual(before)
  })
})
