import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir, type OpenOptions, openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser } from '../contract/fixtures.ts'
import { tempDirs } from '../temp-dir.ts'

/** 2025-03-02T10:00:00Z */
const NOW = 1_740_909_600
const dirs = tempDirs()

const open = (dataDir: string, options: Partial<OpenOptions> = {}) =>
  openDatabase({ dataDir, version: '1.2.3', now: NOW, ...options })

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const ONE = { name: '0000_one', sql: 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;' }
const TWO = { name: '0001_two', sql: `ALTER TABLE things ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';` }
const BAD = { name: '0001_bad', sql: `DELETE FROM things;\n--> statement-breakpoint\nDROP TABLE missing;` }

/** A folder with a database that has only the migration `ONE`, and one row. */
function oldFolder(): string {
  const dataDir = dirs.make()
  const { db, close } = open(dataDir, { migrations: [ONE] })
  db.run(`INSERT INTO things (name) VALUES ('bell')`)
  close()
  return dataDir
}

/** The rows and the applied migrations of the database in `dataDir`. */
function contents(dataDir: string) {
  const db = new Database(join(dataDir, 'podstep.db'), { readonly: true })
  try {
    return {
      things: db.query('SELECT * FROM things').all(),
      applied: db.query('SELECT name FROM schema_migrations ORDER BY name').values().flat(),
    }
  } finally {
    db.close()
  }
}

describe('an empty folder', () => {
  test('gets a new database, without a backup', async () => {
    const dataDir = dirs.make()
    const opened = open(dataDir)
    expect(opened.applied).toContain('0000_init')
    expect(opened.backup).toBeUndefined()
    // The checkpointer has nothing to do.
    expect(statSync(join(dataDir, 'podstep.db-wal')).size).toBe(0)
    const store = createSqliteStore(opened.db)
    await addUser(store)
    await store.idle()
    opened.close()
    // Closing moves the whole log into the database.
    expect(Bun.file(join(dataDir, 'podstep.db-wal')).size).toBe(0)

    const again = open(dataDir)
    expect(again.applied).toEqual([])
    expect(await createSqliteStore(again.db).users.findByName('ida')).toBeDefined()
    expect(existsSync(join(dataDir, 'backups'))).toBe(false)
  })

  test('is created with its parents, for the owner only', () => {
    const dataDir = join(dirs.make(), 'var', 'podstep')
    const { db } = open(dataDir)
    db.run('UPDATE schema_migrations SET applied_at = 1')
    expect(modeOf(dataDir)).toBe('700')
    expect(modeOf(join(dataDir, 'podstep.db'))).toBe('600')
    // The log contains the same secrets as the database.
    expect(modeOf(join(dataDir, 'podstep.db-wal'))).toBe('600')
  })

  test('keeps its mode, but the database in it is made private', () => {
    const dataDir = dirs.make()
    chmodSync(dataDir, 0o755)
    open(dataDir).close()
    chmodSync(join(dataDir, 'podstep.db'), 0o644)
    open(dataDir).close()
    expect(modeOf(dataDir)).toBe('755')
    expect(modeOf(join(dataDir, 'podstep.db'))).toBe('600')
  })
})

describe('an open database', () => {
  test.each([
    ['journal_mode', 'wal'],
    // FULL: acknowledged changes survive a power cut.
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['trusted_schema', 0],
    // FAST: the file does not contain data of deleted accounts.
    ['secure_delete', 2],
  ])('has %s = %p', (pragma, value) => {
    const { db } = open(dirs.make())
    expect(db.query(`PRAGMA ${pragma}`).values()).toEqual([[value]])
  })
})

describe('an older database', () => {
  test('is migrated after a complete copy was made', () => {
    const dataDir = oldFolder()
    const { db, applied, backup } = open(dataDir, { migrations: [ONE, TWO] })
    expect(applied).toEqual(['0001_two'])
    expect(db.query('SELECT * FROM things').all()).toEqual([{ id: 1, name: 'bell', colour: 'grey' }])
    expect(db.query('PRAGMA foreign_keys').values()).toEqual([[1]])
    expect(db.query('SELECT applied_at FROM schema_migrations').values()).toEqual([[NOW], [NOW]])
    expect(backup).toBe(join(dataDir, 'backups', 'podstep-20250302T100000Z-before-migration.db'))
    const copy = new Database(backup, { readonly: true })
    expect(copy.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(copy.query('SELECT * FROM things').all()).toEqual([{ id: 1, name: 'bell' }])
    expect(copy.query('SELECT name FROM schema_migrations').values()).toEqual([['0000_one']])
    copy.close()
    expect(modeOf(join(dataDir, 'backups'))).toBe('700')
    expect(modeOf(backup ?? '')).toBe('600')
    expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(1)
  })

  const orphan =
    'CREATE TABLE parts (thing INTEGER NOT NULL REFERENCES things (id)) STRICT; INSERT INTO parts VALUES (99);'
  test.each([
    ['fails half way', BAD, 'no such table: missing'],
    [
      'would break a foreign key',
      { name: '0001_orphan', sql: orphan },
      'a foreign key is broken after the migrations "0001_orphan"',
    ],
  ])('is unchanged if a migration %s', (_case, migration, message) => {
    const dataDir = oldFolder()
    const before = contents(dataDir)
    expect(() => open(dataDir, { migrations: [ONE, migration] })).toThrow(message)
    expect(contents(dataDir)).toEqual(before)
    expect(open(dataDir, { migrations: [ONE, TWO] }).applied).toEqual(['0001_two'])
  })

  test('may have tables rebuilt without losing rows that refer to them', () => {
    const child = 'CREATE TABLE parts (thing INTEGER NOT NULL REFERENCES things (id) ON DELETE CASCADE) STRICT;'
    const rebuild = {
      name: '0002_rebuild',
      sql: `CREATE TABLE next (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER) STRICT;
            INSERT INTO next (id, name) SELECT id, name FROM things; DROP TABLE things; ALTER TABLE next RENAME TO things;`,
    }
    const dataDir = oldFolder()
    const first = open(dataDir, { migrations: [ONE, { name: '0001_child', sql: child }] })
    first.db.run('INSERT INTO parts VALUES (1)')
    first.close()
    const { db } = open(dataDir, { migrations: [ONE, { name: '0001_child', sql: child }, rebuild] })
    expect(db.query('SELECT * FROM parts').all()).toEqual([{ thing: 1 }])
  })

  test('is refused instead of migrated while a server is using it', () => {
    const dataDir = oldFolder()
    expect(open(dataDir, { migrations: [ONE], asItIs: true }).applied).toEqual([])
    const before = contents(dataDir)
    expect(() => open(dataDir, { migrations: [ONE, TWO], asItIs: true })).toThrow(/older version.*restart the server/)
    expect(contents(dataDir)).toEqual(before)
    expect(existsSync(join(dataDir, 'backups'))).toBe(false)
  })

  test('is refused while a server is creating it', () => {
    const dataDir = join(oldFolder(), 'new')
    expect(() => open(dataDir, { migrations: [ONE], asItIs: true })).toThrow(/creating its database/)
    expect(open(dataDir, { migrations: [ONE] }).applied).toEqual([ONE.name])
  })
})

describe('an unusable database', () => {
  test.each([
    ['text', { ...TWO, sql: `${TWO.sql} -- changed` }],
    ['name', { ...TWO, name: '0001_other' }],
  ])('is refused if the %s of an applied migration was changed', (_case, changed) => {
    const dataDir = oldFolder()
    open(dataDir, { migrations: [ONE, TWO] }).close()
    expect(() => open(dataDir, { migrations: [ONE, changed] })).toThrow(
      /"0001_two".*differs from the one in this version/,
    )
    expect(contents(dataDir).applied).toEqual(['0000_one', '0001_two'])
  })

  test('is not one whose migrations differ in line ends', () => {
    const lines = { name: '0000_one', sql: `${ONE.sql}\n\n` }
    const dataDir = dirs.make()
    open(dataDir, { migrations: [lines] }).close()
    const windows = { ...lines, sql: lines.sql.replaceAll('\n', '\r\n') }
    expect(open(dataDir, { migrations: [windows] }).applied).toEqual([])
  })

  test('is refused and not modified if it is not a database', () => {
    const dataDir = dirs.make()
    const path = join(dataDir, 'podstep.db')
    const garbage = 'This is a shopping list. '.repeat(400)
    writeFileSync(path, garbage)
    expect(() => open(dataDir)).toThrow(`${path} is damaged or not a database; restore a backup`)
    expect(Bun.file(path).size).toBe(garbage.length)
  })
})

describe('two processes on one folder', () => {
  test('cannot both be servers', () => {
    const dataDir = dirs.make()
    const release = lockDataDir(dataDir)
    expect(() => lockDataDir(dataDir)).toThrow(`another podstep server is already running on ${dataDir}`)
    release()
    lockDataDir(dataDir)()
  })

  test('use private lock files, even in a public folder', () => {
    const dataDir = dirs.make()
    chmodSync(dataDir, 0o755)
    writeFileSync(join(dataDir, 'podstep.lock'), '', { mode: 0o644 })
    writeFileSync(join(dataDir, 'podstep.lock-journal'), '', { mode: 0o644 })
    const release = lockDataDir(dataDir)
    for (const name of readdirSync(dataDir))
      expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600])
    release()
  })

  test('can stop while the other is writing', async () => {
    const dataDir = dirs.make()
    const release = lockDataDir(dataDir)
    const server = open(dataDir)
    const commandLine = open(dataDir, { asItIs: true })
    const store = createSqliteStore(commandLine.db)
    for (const name of ['ida', 'ole']) await addUser(store, name)
    await store.users.findByName('ida')
    await store.idle()
    await new Promise(setImmediate)
    server.db.run('BEGIN IMMEDIATE')
    commandLine.close()
    server.db.run('COMMIT')
    server.close()
    release()
  })

  test('release the lock when killed', async () => {
    const dataDir = dirs.make()
    const cmd = [process.execPath, join(import.meta.dir, 'hold-lock.ts'), dataDir]
    const holder = Bun.spawn({ cmd, stdout: 'pipe' })
    try {
      const { value } = await holder.stdout.getReader().read()
      expect(new TextDecoder().decode(value)).toBe('locked\n')
      expect(() => lockDataDir(dataDir)).toThrow('already running')
    } finally {
      holder.kill('SIGKILL')
      await holder.exited
    }
    expect(holder.signalCode).toBe('SIGKILL')
    lockDataDir(dataDir)()
  })
})
