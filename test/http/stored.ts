import type { TestApp } from '../support/app.ts'

/** Tables derived from others when the directory is read. */
const DERIVED = /^(?:sessions|search_|directory_changes$|podcast_tags$|tags$|upkeep$)/
const DERIVED_COLUMNS: ReadonlySet<string> = new Set(['is_secret', 'is_private'])
const withoutDerived = (key: string, value: unknown) => (DERIVED_COLUMNS.has(key) ? undefined : value)

/** Contents of the database without sessions and derived data, to show that a request changed nothing. */
export async function stored({ indexed, rowsOf }: TestApp): Promise<string> {
  await indexed()
  const tables = ((await rowsOf(TABLES)) as { readonly name: string }[]).filter(({ name }) => !DERIVED.test(name))
  const all: unknown[] = []
  for (const { name } of tables) {
    const rows = await rowsOf(`SELECT * FROM "${name}"`)
    // PostgreSQL returns rows that were written last at the end.
    all.push([name, rows.map((row) => JSON.stringify(row, withoutDerived)).sort((a, b) => (a < b ? -1 : 1))])
  }
  return JSON.stringify(all)
}

const TABLES = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  postgres: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1',
}
