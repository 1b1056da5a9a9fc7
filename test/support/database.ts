import { Database } from 'bun:sqlite'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'

const EXECUTIONS = ['get', 'all', 'run', 'values', 'iterate', 'raw']

export interface CountedDatabase {
  readonly db: ReturnType<typeof openMemoryDatabase>
  /** The SQL of every statement executed while `work` ran, in order. */
  during(work: () => Promise<unknown>): Promise<string[]>
}

/**
 * An in-memory database that records each execution of a statement, even if it was prepared once. Empty without
 * `contents`.
 */
export function countedDatabase(contents?: Buffer): CountedDatabase {
  const db = openMemoryDatabase(contents)
  const noted = new WeakSet<object>()
  let executed: string[] = []
  onStatements(db, ['prepare', 'query'], (statement, sql) => {
    // `query` caches statements and returns the same one again.
    if (noted.has(statement)) return
    noted.add(statement)
    for (const execution of EXECUTIONS) before(statement, execution, () => executed.push(sql))
  })
  for (const method of ['run', 'exec']) before(db, method, ([sql]) => executed.push(String(sql)))

  return {
    db,
    async during(work) {
      executed = []
      await work()
      return executed
    },
  }
}

/** Calls `first` before each statement that `db` executes, including each statement of a migration. */
export function beforeStatements(db: Database, first: () => void): void {
  const noted = new WeakSet<object>()
  onStatements(db, ['prepare', 'query'], (statement) => {
    if (noted.has(statement)) return
    noted.add(statement)
    for (const execution of EXECUTIONS) before(statement, execution, first)
  })
  const run = db.run.bind(db)
  Object.defineProperty(db, 'run', {
    value: (sql: string) => {
      for (const statement of sql.split('--> statement-breakpoint')) {
        first()
        run(statement)
      }
    },
  })
}

/**
 * Makes reads of `db` fail with the SQLite code in `code` while that is set, as a broken disk does. Affects only
 * statements prepared after this call.
 */
export function failingReads(db: Database): { code: string | undefined } {
  const fault: { code: string | undefined } = { code: undefined }
  onStatements(db, ['prepare'], (statement) => {
    if (!statement.reader) return
    for (const read of ['get', 'all', 'values'])
      before(statement, read, () => {
        if (fault.code !== undefined) throw Object.assign(new Error('disk I/O error'), { code: fault.code })
      })
  })
  return fault
}

/** Returns the query plan of a statement in one line. */
export function planOf(db: Database, sql: string): string {
  const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
  return steps.map(({ detail }) => detail).join('; ')
}

/** Counts the rows that statements of `db` return in lists. Affects only statements prepared after this call. */
export function countedRows(db: Database): { count: number } {
  const rows = { count: 0 }
  onStatements(db, ['prepare'], (statement) => {
    const all: unknown = Reflect.get(statement, 'all')
    if (typeof all !== 'function') return
    Object.defineProperty(statement, 'all', {
      value: (...args: unknown[]): unknown => {
        const found: unknown = all.apply(statement, args)
        if (Array.isArray(found)) rows.count += found.length
        return found
      },
    })
  })
  return rows
}

/** Calls a function with each statement that one of these methods creates from now on. */
function onStatements(
  db: Database,
  methods: readonly ('prepare' | 'query')[],
  then: (statement: { readonly reader?: boolean }, sql: string) => void,
): void {
  for (const method of methods) {
    const make: unknown = Reflect.get(db, method)
    if (typeof make !== 'function') throw new TypeError(`a database without ${method}()`)
    Object.defineProperty(db, method, {
      writable: true,
      configurable: true,
      value: (...args: unknown[]): object => {
        const statement = make.apply(db, args)
        then(statement, String(args[0]))
        return statement
      },
    })
  }
}

/** Calls a function before each call of a method, without changing the method's result. */
function before(target: object, method: string, first: (args: readonly unknown[]) => unknown): void {
  const original: unknown = Reflect.get(target, method)
  if (typeof original !== 'function') return
  Object.defineProperty(target, method, {
    writable: true,
    configurable: true,
    value: (...args: unknown[]): unknown => {
      first(args)
      return original.apply(target, args)
    },
  })
}

/** Root page numbers of these tables, in a database that has no other connections. */
export function rootPages(path: string, ...tables: readonly string[]): number[] {
  const db = new Database(path, { readonly: true })
  try {
    const find = db.prepare<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?1')
    const pages = tables.flatMap((name) => find.get(name)?.rootpage ?? [])
    if (pages.length < tables.length) throw new Error(`not all of these are tables: ${tables.join(', ')}`)
    return pages
  } finally {
    db.close()
  }
}

/** Overwrites these pages, numbered from 1, with invalid bytes. */
export function corrupt(path: string, pages: readonly number[]): void {
  const file = openSync(path, 'r+')
  try {
    const header = Buffer.alloc(2)
    readSync(file, header, 0, 2, 16)
    const size = header.readUInt16BE()
    for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
  } finally {
    closeSync(file)
  }
}
