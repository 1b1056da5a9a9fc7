import { Database as Driver } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createEngine } from '../../../src/store/sqlite/core/engine.ts'

/** A database, and an engine that wraps the errors of its statements. */
function open({ isEager = false } = {}) {
  const driver = new Driver(':memory:', { strict: true })
  driver.run('CREATE TABLE notes (text TEXT NOT NULL) STRICT')
  return { driver, db: createEngine(driver, (error) => new Error(`translated: ${String(error)}`), isEager) }
}

const INSERT = 'INSERT INTO notes (text) VALUES (?1) RETURNING text'

describe('a statement of the stores', () => {
  for (const way of ['get', 'all', 'run', 'values'] as const)
    test(`translates its errors: ${way}`, () => {
      const { driver, db } = open()
      const insert = db.prepare<unknown, [string | null]>(INSERT)
      expect(() => insert[way](null)).toThrow('translated: SQLiteError: NOT NULL')
      expect(() => db.prepare('SELECT * FROM nowhere')[way]()).toThrow('translated: SQLiteError: no such table')
      driver.close()
    })

  test('translates errors of iteration, and is reset when a loop ends early', () => {
    const { driver, db } = open()
    expect(() => [...db.prepare('SELECT * FROM nowhere').iterate()]).toThrow('translated: SQLiteError: no such table')
    driver.run(`INSERT INTO notes VALUES ('fog'), ('rain')`)
    for (const row of db.prepare('SELECT text FROM notes').iterate()) {
      expect(row).toEqual({ text: 'fog' })
      break
    }
    // SQLite refuses this while a statement is reading.
    driver.run('DROP TABLE notes')
    driver.close()
  })

  test('is prepared when first executed, or at once', () => {
    const late = open()
    const statement = late.db.prepare('SELECT * FROM later')
    late.driver.run('CREATE TABLE later (text TEXT) STRICT')
    expect(statement.all()).toEqual([])
    late.driver.close()
    const eager = open({ isEager: true })
    expect(() => eager.db.prepare('SELECT * FROM later')).toThrow('no such table')
    eager.driver.close()
  })
})
