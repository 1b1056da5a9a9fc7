import { Database } from 'bun:sqlite'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'

export interface CountedDatabase {
  readonly db: ReturnType<typeof openMemoryDatabase>
  /** The SQL of every statement executed while `work` ran, in order. */
  during(work: () => Promise<unknown>): Promise<string[]>
}

const EXECUTIONS = ['get', 'all', 'run', 'values', 'iterate', 'raw'] as const

/** A database in memory that notes each execution of a statement, however often that was prepared. */
export function countedDatabase(): CountedDatabase {
  const db = openMemoryDatabase()
  const noted = new WeakSet<object>()
  let executed: string[] = []

  /** Puts a function before the method that notes the SQL; the method itself stays what it is. */
  function note(target: object, method: string, sqlOf: (args: readonly unknown[]) => string): void {
    const original: unknown = Reflect.get(target, method)
    if (typeof original !== 'function') return
    Object.defineProperty(target, method, {
      value: (...args: unknown[]): unknown => {
        executed.push(sqlOf(args))
        return original.apply(target, args)
      },
    })
  }

  for (const method of ['prepare', 'query'] as const) {
    const original: (sql: string) => object = db[method].bind(db)
    Object.defineProperty(db, method, {
      writable: true,
      configurable: true,
      value: (sql: string): object => {
        const statement = original(sql)
        // `query` gives the same statement out again.
        if (noted.has(statement)) return statement
        noted.add(statement)
        for (const execution of EXECUTIONS) note(statement, execution, () => sql)
        return statement
      },
    })
  }
  for (const method of ['run', 'exec']) note(db, method, ([sql]) => String(sql))

  return {
    db,
    async during(work) {
      executed = []
      await work()
      return executed
    },
  }
}

/**
 * Makes the reads of `db` fail with this code of SQLite for as long as `code` is set, as a broken disk does. Only of statements that are
 * prepared from now on.
 */
export function failingReads(db: Database): { code: string | undefined } {
  const fault: { code: string | undefined } = { code: undefined }
  const prepare = db.prepare.bind(db)
  Object.defineProperty(db, 'prepare', {
    configurable: true,
    writable: true,
    value: (...args: Parameters<typeof prepare>) => {
      const statement = prepare(...args)
      if (!statement.reader) return statement
      for (const name of ['get', 'all', 'values']) {
        const read: unknown = Reflect.get(statement, name)
        if (typeof read !== 'function') throw new TypeError(`a statement without ${name}()`)
        Object.defineProperty(statement, name, {
          configurable: true,
          writable: true,
          value: (...values: readonly unknown[]): unknown => {
            if (fault.code !== undefined) throw Object.assign(new Error('disk I/O error'), { code: fault.code })
            return read.apply(statement, values)
          },
        })
      }
      return statement
    },
  })
  return fault
}

/** Numbers of the pages at which these tables begin, in a database that nobody else has open. */
export function rootPages(path: string, ...tables: readonly string[]): number[] {
  const db = new Database(path, { readonly: true })
  try {
    const find = db.prepare<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?1')
    return tables.map((name) => find.get(name)?.rootpage ?? missing(name))
  } finally {
    db.close()
  }
}

/** Writes bytes that are no page of a database over these pages; they count from 1. */
export function spoil(path: string, pages: readonly number[]): void {
  const file = openSync(path, 'r+')
  try {
    const size = pageSize(file)
    for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
  } finally {
    closeSync(file)
  }
}

function pageSize(file: number): number {
  const header = Buffer.alloc(2)
  readSync(file, header, 0, 2, 16)
  return header.readUInt16BE()
}

function missing(name: string): never {
  throw new Error(`no table ${name}`)
}
