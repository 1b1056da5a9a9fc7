import type { Database as Driver, SQLQueryBindings } from 'bun:sqlite'
import type { Database, Sql } from '../../engine.ts'

type Prepared = ReturnType<Driver['prepare']>
type Translate = (error: unknown) => unknown

/**
 * Statements of SQLite, which throw what `translate` makes of errors. Each is prepared on its first use (saves 4 MiB), or at
 * once if `isEager`.
 */
export function createEngine(db: Driver, translate: Translate = (error) => error, isEager = false): Database {
  return {
    prepare: (sql: Sql) =>
      guarded(() => db.prepare(typeof sql === 'string' ? sql : sql.sqlite), translate, isEager) as never,
    together: (steps) => steps.map((step) => step()) as never,
    each: (items, work) => Array.from(items, work),
    // There is one writer.
    hold: () => undefined,
    once: (compute) => compute(),
  }
}

/** All ways of executing a statement, each a function of its own for the compiler to inline. */
function guarded(prepare: () => Prepared, translate: Translate, isEager: boolean) {
  let statement = isEager ? prepare() : undefined
  return {
    get(...args: SQLQueryBindings[]): unknown {
      try {
        statement ??= prepare()
        return statement.get(...args)
      } catch (error) {
        throw translate(error)
      }
    },
    all(...args: SQLQueryBindings[]): unknown {
      try {
        statement ??= prepare()
        return statement.all(...args)
      } catch (error) {
        throw translate(error)
      }
    },
    run(...args: SQLQueryBindings[]): unknown {
      try {
        statement ??= prepare()
        return statement.run(...args)
      } catch (error) {
        throw translate(error)
      }
    },
    values(...args: SQLQueryBindings[]): unknown {
      try {
        statement ??= prepare()
        return statement.values(...args)
      } catch (error) {
        throw translate(error)
      }
    },
    *iterate(...args: SQLQueryBindings[]): unknown {
      try {
        statement ??= prepare()
        yield* statement.iterate(...args)
      } catch (error) {
        throw translate(error)
      }
    },
  }
}
