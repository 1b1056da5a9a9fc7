import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { guardStatements } from '../../src/store/sqlite/core/errors.ts'

/** A database whose errors of statements are told as texts; `prepare` after that is the guarded one. */
function open({ isEager = false } = {}): Database {
  const db = new Database(':memory:', { strict: true })
  db.run('CREATE TABLE notes (text TEXT NOT NULL) STRICT')
  guardStatements(db, (error) => new Error(`translated: ${String(error)}`), isEager)
  return db
}

const INSERT = 'INSERT INTO notes (text) VALUES (?1) RETURNING text'

describe('a guarded statement', () => {
  test('gives what the driver gives, whichever way it is executed, and as often as that is', () => {
    const db = open()
    const insert = db.prepare<{ text: string }, [string]>(INSERT)
    expect(insert.get('fog')).toEqual({ text: 'fog' })
    expect(insert.all('rain')).toEqual([{ text: 'rain' }])
    expect(insert.values('hail')).toEqual([['hail']])
    expect(insert.run('snow')).toMatchObject({ changes: 1, lastInsertRowid: 4 })
    const all = db.prepare('SELECT text FROM notes')
    expect(all.values()).toEqual([['fog'], ['rain'], ['hail'], ['snow']])
    expect([...all.iterate()]).toEqual(['fog', 'rain', 'hail', 'snow'].map((text) => ({ text })))
    db.close()
  })

  for (const way of ['get', 'all', 'run', 'values'] as const)
    test(`has its errors translated: ${way}`, () => {
      const db = open()
      const insert = db.prepare<unknown, [string | null]>(INSERT)
      expect(() => insert[way](null)).toThrow('translated: SQLiteError: NOT NULL')
      expect(() => db.prepare('SELECT * FROM nowhere')[way]()).toThrow('translated: SQLiteError: no such table')
      db.close()
    })

  test('has errors of its rows translated, and is reset when the loop ends early', () => {
    const db = open()
    expect(() => [...db.prepare('SELECT * FROM nowhere').iterate()]).toThrow('translated: SQLiteError: no such table')
    db.run(`INSERT INTO notes VALUES ('fog'), ('rain')`)
    for (const row of db.prepare('SELECT text FROM notes').iterate()) {
      expect(row).toEqual({ text: 'fog' })
      break
    }
    // SQLite refuses this while a statement is reading.
    db.run('DROP TABLE notes')
    db.close()
  })

  test('is prepared when it is first executed, or at once', () => {
    const late = open()
    const statement = late.prepare('SELECT * FROM later')
    late.run('CREATE TABLE later (text TEXT) STRICT')
    expect(statement.all()).toEqual([])
    late.close()
    const eager = open({ isEager: true })
    expect(() => eager.prepare('SELECT * FROM later')).toThrow('no such table')
    eager.close()
  })
})
