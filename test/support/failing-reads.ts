import type { Database } from 'bun:sqlite'

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
