import type { TestApp } from '../support/app.ts'

/** Made from the rest, when somebody looks at the directory, with a note of what it was made by. */
const DERIVED = /^(?:sessions|search_|directory_changes$|podcast_tags$|tags$|upkeep$)/
const DERIVED_COLUMNS: ReadonlySet<string> = new Set(['is_secret', 'is_private'])

/** Everything the database holds but sessions and what it derives, as one text: the same before and after a request that changed nothing. */
export function stored({ db }: TestApp): string {
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .filter(({ name }) => !DERIVED.test(name))
  return JSON.stringify(
    tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]),
    (key, value: unknown) => (DERIVED_COLUMNS.has(key) ? undefined : value),
  )
}
