import type { Sql } from '../engine.ts'

/**
 * Returns a statement with this order of rows. Omits ORDER BY for SQLite, whose fixed plan returns rows in this order
 * and which would sort them again.
 */
export function orderedBy(order: string, sql: string): Sql {
  return { sqlite: sql, postgres: `${sql} ORDER BY ${order}` }
}
