import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openSqliteFile, type SqliteFile } from '../../../src/transfer/files/sqlite/sqlite-file.ts'
import { bytesOf, databaseAt, fileOf } from './databases.ts'

function opened<T>(path: string, read: (file: SqliteFile) => T, visitsMax?: number): T {
  const file = openSqliteFile(path, visitsMax)
  try {
    return read(file)
  } finally {
    file.close()
  }
}

const COLUMNS = ['id', 'name', 'size', 'rate', 'data', 'late'] as const
const TABLE = 'CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, rate REAL, data)'

const value = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.integer({ min: 0, max: 8000 }).map((length) => 'ä'.repeat(length / 2)),
  fc.integer(),
  fc.constantFrom(0, 1, -1, 127, -128, 32_768, 8_388_608, 2 ** 31, 2 ** 40, -(2 ** 47), 2 ** 52),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

describe('rows', () => {
  const ROWS = fc.array(fc.tuple(value, value, value, value, value), { maxLength: 60 })

  test('are what SQLite reads, whatever the size of pages, with columns added later and rows removed', () => {
    fc.assert(
      fc.property(ROWS, fc.constantFrom(512, 1024, 4096, 65_536), fc.boolean(), (rows, pageSize, isVacuumed) => {
        const path = databaseAt(
          (db) => {
            db.run(TABLE)
            for (const [name, size, rate, data] of rows)
              db.query('INSERT INTO t (name, size, rate, data) VALUES (?, ?, ?, ?)').run(name, size, rate, data)
            db.run('ALTER TABLE t ADD COLUMN late')
            for (const [, , , , late] of rows) db.query('INSERT INTO t (name, late) VALUES (?, ?)').run(late, late)
            db.run('DELETE FROM t WHERE id % 7 = 3')
          },
          `PRAGMA page_size = ${pageSize}; PRAGMA auto_vacuum = ${isVacuumed ? 1 : 0}`,
        )
        const db = new Database(path, { readonly: true })
        const expected = db.query<Record<string, unknown>, []>('SELECT * FROM t ORDER BY id').all()
        db.close()
        const wanted = expected.map((row) => ({
          ...Object.fromEntries(COLUMNS.map((name) => [name, row[name] ?? undefined])),
          rowid: row['id'],
        }))
        opened(path, (file) => {
          expect([...file.rows('t', COLUMNS)]).toEqual(wanted as never)
          for (const row of wanted) expect(file.find('t', Number(row.rowid), COLUMNS)).toEqual(row as never)
          expect(file.find('t', 3, COLUMNS)).toBeUndefined()
          expect(file.find('t', 1e9, COLUMNS)).toBeUndefined()
        })
      }),
      { numRuns: 60 },
    )
  })

  test('of many pages are found one by one', () => {
    const path = databaseAt((db) => {
      db.run('CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)')
      db.run(
        'INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000) SELECT n * 3, n FROM c',
      )
    }, 'PRAGMA page_size = 512')
    opened(path, (file) => {
      let count = 0
      for (const { rowid, n } of file.rows('t', ['n'])) if (rowid === Number(n) * 3) count++
      expect(count).toBe(60_000)
      for (const id of [3, 90_000, 179_997, 180_000]) expect(file.find('t', id, ['n'])?.n).toBe(id / 3)
      for (const id of [0, 1, 180_001, -5]) expect(file.find('t', id, ['n'])).toBeUndefined()
    })
  })

  test('with negative and very large IDs', () => {
    const path = databaseAt((db) => {
      db.run('CREATE TABLE t (n)')
      for (const id of [-9_007_199_254_740_991, -1, 0, 9_007_199_254_740_991])
        db.query('INSERT INTO t (rowid, n) VALUES (?, ?)').run(id, id)
    })
    const ids = opened(path, (file) => [...file.rows('t', ['n'])].map(({ rowid, n }) => [rowid, n]))
    expect(ids).toEqual([-9_007_199_254_740_991, -1, 0, 9_007_199_254_740_991].map((id) => [id, id]))
  })

  test('text that is too long is left out, and what is behind it is read', () => {
    const path = databaseAt((db) => {
      db.run('CREATE TABLE t (a TEXT, b TEXT, c INTEGER)')
      db.query('INSERT INTO t VALUES (?, ?, 7)').run('x'.repeat(8193), 'x'.repeat(8192))
      db.run(`INSERT INTO t VALUES ('short', zeroblob(5000000), 8)`)
      db.run(`INSERT INTO t VALUES ('short', zeroblob(40000000), 9)`)
    })
    const rows = opened(path, (file) => [...file.rows('t', ['a', 'b', 'c'])])
    expect(rows.map(({ a, b, c }) => [a, typeof b === 'string' ? b.length : b, c])).toEqual([
      [undefined, 8192, 7],
      ['short', undefined, 8],
      // Further behind than anything that an app writes.
      ['short', undefined, undefined],
    ])
  })
})

describe('a definition', () => {
  const NAMES: readonly (readonly [string, readonly string[]])[] = [
    ['CREATE TABLE t (a, b TEXT DEFAULT (max(1, 2)), c)', ['a', 'b', 'c']],
    ['CREATE TABLE "t" ("a,b" TEXT, [c(d] INTEGER, `e``f` REAL, \'g\' TEXT)', ['a,b', 'c(d', 'e`f', 'g']],
    ['CREATE TABLE t (a /* one, two */, b -- three, four\n, c, UNIQUE (a, b), CHECK (a > 1))', ['a', 'b', 'c']],
    [
      "CREATE TABLE t (a TEXT DEFAULT 'x, y)', b CHECK (b NOT IN ('(', ')')), CONSTRAINT k PRIMARY KEY (a))",
      ['a', 'b'],
    ],
    ['CREATE TABLE t (a "odd type" DEFAULT "it""s", b)', ['a', 'b']],
  ]
  test.each(NAMES)('%s', (sql, names) => {
    const path = databaseAt((db) => {
      const created = sql.replace('"it""s"', `'it''s'`)
      db.run(created)
      db.query(`INSERT INTO t VALUES (${names.map(() => '?').join(', ')})`).run(...names.map((_, n) => n + 10))
    })
    opened(path, (file) => {
      expect(file.has('t', ...names)).toBe(true)
      const [row] = file.rows('t', names)
      expect(names.map((name) => String(row?.[name]))).toEqual(names.map((_, n) => String(n + 10)))
    })
  })

  const OTHERS: readonly (readonly [string, string])[] = [
    [
      'a view that never ends',
      'CREATE VIEW t AS WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a FROM c) SELECT a FROM c',
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE t USING fts5(a)'],
    ['a table without row IDs', 'CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID'],
    ['a generated column', 'CREATE TABLE t (b, a GENERATED ALWAYS AS (b * 2))'],
    ['a generated column, in short', 'CREATE TABLE t (b, a INT AS (b * 2) STORED)'],
  ]
  test.each(OTHERS)('%s is no table of ours', (_name, sql) => {
    expect(
      opened(
        databaseAt((db) => db.run(sql)),
        (file) => file.has('t', 'a'),
      ),
    ).toBe(false)
  })

  test('a column that the table does not have is undefined, and so is a table', () => {
    const path = databaseAt((db) => db.run('CREATE TABLE t (a); INSERT INTO t VALUES (1)'))
    opened(path, (file) => {
      expect([...file.rows('t', ['a', 'b'])]).toEqual([{ a: 1, b: undefined, rowid: 1 }])
      expect(file.has('u')).toBe(false)
      expect(() => [...file.rows('u', ['a'])]).toThrow('no table u')
    })
  })
})

describe('a damaged database', () => {
  const whole = bytesOf((db) => {
    db.run('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    for (let n = 0; n < 200; n++) db.query('INSERT INTO t (a) VALUES (?)').run('x'.repeat(n * 5))
  }, 'PRAGMA page_size = 512')
  const read = (path: string) => opened(path, (file) => [...file.rows('t', ['a']), file.find('t', 77, ['a'])], 20_000)

  function changed(change: (bytes: Buffer) => Buffer | undefined): Buffer {
    const bytes = Buffer.from(whole)
    return change(bytes) ?? bytes
  }

  const FAULTS: readonly (readonly [string, (bytes: Buffer) => Buffer | undefined, RegExp])[] = [
    ['truncated', (bytes) => bytes.subarray(0, 5000), /a part of it is missing, 5000 bytes are there/],
    ['of a header only', (bytes) => bytes.subarray(0, 60), /no header/],
    ['of another program', (bytes) => void bytes.fill(0, 0, 16), /no header/],
    ['with pages of a strange size', (bytes) => void bytes.writeUInt16BE(513, 16), /no size/],
    ['with another encoding', (bytes) => void bytes.writeUInt32BE(2, 56), /another text encoding/],
    ['with zeros for a schema', (bytes) => void bytes.fill(0, 100, 512), /page 1 is of no table/],
  ]
  test.each(FAULTS)('%s is refused', (_name, change, message) => {
    expect(() => read(fileOf(changed(change)).path)).toThrow(message)
  })

  test('with pages that name each other in circles is refused in time', () => {
    const bytes = changed((sound) => {
      // Each page of the table becomes an inner one whose children are the first.
      for (let at = 512; at < sound.length; at += 512) {
        sound[at] = 5
        sound.writeUInt16BE(100, at + 3)
        sound.writeUInt32BE(2, at + 8)
        for (let cell = 0; cell < 100; cell++) sound.writeUInt16BE(300, at + 12 + 2 * cell)
        sound.writeUInt32BE(2, at + 300)
      }
      return sound
    })
    const { path } = fileOf(bytes)
    expect(() => read(path)).toThrow(/too deep|never end/)
  })

  test('with levels of pages that all have the same child is refused in time', () => {
    const sound = bytesOf((db) => db.run('CREATE TABLE t (a)'), 'PRAGMA page_size = 512')
    const bytes = Buffer.concat([sound, Buffer.alloc(512 * 18)])
    // 40 to the power of 17 ways to an empty page.
    for (let level = 0; level < 17; level++) {
      const at = 512 * (level + 1)
      const child = level + 3
      bytes[at] = 5
      bytes.writeUInt16BE(40, at + 3)
      bytes.writeUInt32BE(child, at + 8)
      for (let cell = 0; cell < 40; cell++) bytes.writeUInt16BE(300, at + 12 + 2 * cell)
      bytes.writeUInt32BE(child, at + 300)
    }
    bytes[512 * 18] = 13
    expect(() => read(fileOf(bytes).path)).toThrow('reading it would never end')
  })

  test('or one with more rows than any app has is refused', () => {
    const path = databaseAt((db) => {
      db.run('CREATE TABLE t (a)')
      db.run(
        'INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000001) SELECT 1 FROM c',
      )
    }, 'PRAGMA journal_mode = OFF')
    const count = () => opened(path, (file) => file.rows('t', ['a']).reduce((sum) => sum + 1, 0))
    expect(count).toThrow('the table t has more than 2000000 rows')
  })

  test('gives rows or is refused in words, whichever bytes are wrong, and never anything else', () => {
    const { path, write } = fileOf(whole)
    const fault = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(fault, { minLength: 1, maxLength: 30 }), (faults) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of faults) bytes[at] = byte
        write(bytes)
        try {
          expect(Array.isArray(read(path))).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({
            code: 'validation_failed',
            message: expect.stringMatching(/^the (database|table)/),
          })
        }
      }),
      { numRuns: 500 },
    )
  })

  test('random bytes behind the header of SQLite are refused', () => {
    const { path, write } = fileOf(whole)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 600, maxLength: 5000 }), (bytes) => {
        write(Buffer.concat([Buffer.from('SQLite format 3\0'), bytes]))
        expect(() => read(path)).toThrow(/^the (database|table)/)
      }),
      { numRuns: 300 },
    )
  })
})
