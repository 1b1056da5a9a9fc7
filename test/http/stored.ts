import type { TestApp } from '../support/app.ts'

/** Everything the database holds but sessions, as one text: the same before and after a request that changed nothing. */
export function stored({ db }: TestApp): string {
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .filter(({ name }) => name !== 'sessions')
  return JSON.stringify(tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]))
}
