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
