import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ImportRecord } from '../../../src/domain/transfer/records.ts'
import { openDatabase } from '../../../src/transfer/files/apps/open-database.ts'
import { databaseAt, fileOf } from './database-files.ts'
import { addGpodderEpisode, bytesOf, createGpodderTables, gpodder, mediaUrl, SHOW } from './databases.ts'
import { bracketSchema, cyclicPages, sameChildren, sharedOverflow, withSchema } from './hostile-databases.ts'

async function read(path: string): Promise<ImportRecord[]> {
  const source = openDatabase(path, 'a file', () => 1_735_689_600)
  const sourced = await Array.fromAsync(source.records(undefined, new AbortController().signal))
  return sourced.map(({ record }) => record)
}

const episodesOf = (records: readonly ImportRecord[]) =>
  records.flatMap((record) => (record.kind === 'actions' ? record.actions.map(({ episode }) => episode) : []))

const wholeGpodder = episodesOf(await read(databaseAt(gpodder)))

describe('a database of an app is read', () => {
  const WAYS: readonly (readonly [string, string])[] = [
    ['in WAL mode', 'PRAGMA journal_mode = WAL'],
    ['in UTF-16', "PRAGMA encoding = 'UTF-16'"],
    ['with the smallest pages', 'PRAGMA page_size = 512'],
    ['with the largest pages', 'PRAGMA page_size = 65536'],
    ['with auto_vacuum', 'PRAGMA auto_vacuum = 1'],
  ]
  test.each(WAYS)('%s', async (_name, pragmas) => {
    expect(episodesOf(await read(databaseAt(gpodder, pragmas)))).toEqual(wholeGpodder)
    // The database alone, without its write-ahead log.
    expect(episodesOf(await read(fileOf(bytesOf(gpodder, pragmas)).path))).toEqual(wholeGpodder)
  })

  test('without texts that are too long', async () => {
    const path = databaseAt((db) => {
      createGpodderTables(db)
      db.query('INSERT INTO podcast (url, title) VALUES (?, ?)').run(SHOW, 'x'.repeat(8193))
      db.query("INSERT INTO podcast (url, title, description) VALUES (?, 'News', ?)").run('y', 'x'.repeat(5_000_000))
      addGpodderEpisode(db, { name: 'begun', position: 5 })
    })
    const records = await read(path)
    const feeds = [
      { url: SHOW, title: '' },
      { url: 'y', title: 'News' },
    ]
    expect(records).toContainEqual({ kind: 'feeds', device: 'gpodder', feeds })
    expect(episodesOf(records)).toEqual([mediaUrl('begun')])
  })
})

test('a database of an app with checks and triggers is read without executing them', async () => {
  const bytes = bytesOf((db) => {
    gpodder(db)
    db.run('CREATE TRIGGER t AFTER INSERT ON episode BEGIN DELETE FROM podcast; END')
  })
  // `tide` is not a function of SQLite.
  const column = "link TEXT NOT NULL DEFAULT ''"
  bytes.write('link CHECK (tide(1))'.padEnd(column.length), bytes.indexOf(column))
  expect(episodesOf(await read(fileOf(bytes).path))).toEqual(wholeGpodder)
})

describe('reading a database executes nothing from its schema:', () => {
  const ENDLESS = 'AS WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a FROM c) SELECT a AS id, a AS url FROM c'
  const NOT_TABLES: readonly (readonly [string, (db: Database) => void])[] = [
    ['a view', (db) => db.run(`CREATE VIEW podcast ${ENDLESS}`)],
    ['a virtual table', (db) => db.run('CREATE VIRTUAL TABLE podcast USING rtree(id, url, x)')],
    ['a generated column', (db) => db.run('CREATE TABLE podcast (id INTEGER PRIMARY KEY, url AS (hex(zeroblob(9))))')],
    [
      'a stored generated column',
      (db) => db.run('CREATE TABLE podcast (id INTEGER PRIMARY KEY, url AS (id + 1) STORED)'),
    ],
  ]
  test.each(NOT_TABLES)('%s', async (_name, create) => {
    const path = databaseAt((db) => {
      create(db)
      createGpodderTables(db, ['episode'])
    })
    await expect(read(path)).rejects.toThrow('this file cannot be imported')
  })

  const LIES: readonly (readonly [string, string])[] = [
    ['a view marked as a table', `sql = 'CREATE VIEW podcast ${ENDLESS}'`],
    ['a virtual table marked as a table', "sql = 'CREATE VIRTUAL TABLE podcast USING fts5(id, url)'"],
    ['a definition that is not SQL', "sql = 'CREATE TABLE podcast(' || replace(hex(zeroblob(9)), '0', '[')"],
  ]
  test.each(LIES)('%s', async (_name, change) => {
    const { path } = fileOf(withSchema(gpodder, `UPDATE sqlite_schema SET ${change} WHERE name = 'podcast'`))
    await expect(read(path)).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test.each(['podcast', 'episode'])('a hidden view named %s', async (name) => {
    const columns = 'id, url, podcast_id, state, total_time, current_position, published'
    const view = `CREATE VIEW ${name} AS SELECT ${columns} FROM x`
    const sql = `UPDATE sqlite_schema SET sql = 'CREATE TABLE x(${columns})' WHERE name = '${name}';
      INSERT INTO sqlite_schema VALUES ('view', 'other', 'other', 0, '${view}')`
    await expect(read(fileOf(withSchema(gpodder, sql)).path)).rejects.toThrow('the database is damaged')
  })
})

describe('a hostile database is refused:', () => {
  const HOSTILE: readonly (readonly [string, () => Uint8Array, RegExp])[] = [
    ['cyclic pages', () => cyclicPages(), /damaged/],
    ['levels of pages that share one child', () => sameChildren(18), /damaged/],
    ['rows that share their overflow pages', () => sharedOverflow(2000), /damaged/],
    ['a schema of open brackets', () => bracketSchema(100), /damaged/],
    ['a truncated file', () => bytesOf(gpodder).subarray(0, 9000), /damaged/],
    ['a header only', () => Buffer.from('SQLite format 3\0'), /damaged/],
    ['zeros for a schema', () => Buffer.from(bytesOf(gpodder)).fill(0, 100, 4096), /damaged/],
    ['an empty schema', () => bytesOf((db) => db.run('CREATE TABLE a (b); DROP TABLE a')), /file cannot be imported/],
  ]
  test.each(HOSTILE)('%s', async (_name, bytes, message) => {
    const refused = { code: 'validation_failed', message: expect.stringMatching(message) }
    await expect(read(fileOf(bytes()).path)).rejects.toMatchObject(refused)
  })

  test('a table with more rows than any app has', async () => {
    const path = databaseAt((db) => {
      createGpodderTables(db, ['podcast'])
      db.run('CREATE TABLE episode (podcast_id, url, state, total_time, current_position, published)')
      db.run(`INSERT INTO episode (url)
        WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000001) SELECT NULL FROM c`)
    }, 'PRAGMA journal_mode = OFF')
    await expect(read(path)).rejects.toThrow('the table episode has more than 2000000 rows')
  })
})

describe('a damaged database', () => {
  const whole = bytesOf((db) => {
    createGpodderTables(db)
    db.run('BEGIN')
    db.query('INSERT INTO podcast (url) VALUES (?)').run(SHOW)
    for (let n = 0; n < 100; n++) addGpodderEpisode(db, { name: 'x'.repeat(n), position: n })
    db.run('COMMIT')
  }, 'PRAGMA page_size = 512')

  async function readOrRefused(path: string): Promise<void> {
    try {
      await read(path)
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', message: expect.stringMatching(/^(?:the|this) /) })
    }
  }

  test('is read or refused with an explanation, whichever bytes are wrong', async () => {
    const { path, write } = fileOf(whole)
    const fault = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 30 }), async (faults) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of faults) bytes[at] = byte
        write(bytes)
        await readOrRefused(path)
      }),
      { numRuns: 300 },
    )
  })

  test('is refused if it is a header with random bytes', async () => {
    const { path, write } = fileOf(whole)
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 600, maxLength: 5000 }), async (bytes) => {
        write(Buffer.concat([Buffer.from('SQLite format 3\0'), bytes]))
        await expect(read(path)).rejects.toMatchObject({ code: 'validation_failed' })
      }),
      { numRuns: 200 },
    )
  })
})
