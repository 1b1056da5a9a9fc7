import type { Sql } from '../engine.ts'

/**
 * A statement for rows in this order. SQLite gives them so without being asked, as its plan is fixed, and would sort them
 * again if it was.
 */
export function orderedBy(order: string, sql: string): Sql {
  return { sqlite: sql, postgres: `${sql} ORDER BY ${order}` }
}
