import type { Database as Driver, SQLQueryBindings } from 'bun:sqlite'
import type { Database, Sql } from '../../engine.ts'

type Prepared = ReturnType<Driver['prepare']>
type Translate = (error: unknown) => unknown

/**
 * The database of the stores on SQLite. Statements throw errors after `translate`, and are prepared on first use, which
 * saves 4 MiB, or immediately if `isEager`.
 */
export function createEngine(db: Driver, translate: Translate = (error) => error, isEager = false): Database {
  return {
    prepare: (sql: Sql) =>
      prepareGuarded(() => db.prepare(typeof sql === 'string' ? sql : sql.sqlite), translate, isEager) as never,
    together: (steps) => steps.map((step) => step()) as never,
    each: (items, work) => Array.from(items, work),
    // Not needed with a single writer.
    hold: () => undefined,
    once: (compute) => compute(),
  }
}

/** Methods of a statement, written out separately so that the compiler inlines them. */
function prepareGuarded(prepare: () => Prepared, translate: Translate, isEager: boolean) {
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
