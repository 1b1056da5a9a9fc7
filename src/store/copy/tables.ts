import type { Database } from 'bun:sqlite'
import { hash } from 'node:crypto'
import { UnusableDatabase } from '../migrations.ts'

/** A table of both engines, as SQLite's catalog describes it; a test holds PostgreSQL's against that. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of the primary key, in order. */
  readonly key: readonly string[]
}

interface Column {
  readonly name: string
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB'
}

/** Values by column, in the order of the table's columns. A blob is `\x` and hexadecimal digits. */
export type Row = Record<string, string | number | null>

/** One of the two databases. */
export interface Side {
  /** Rows in the order of the key, some at a time. */
  read(table: Table): AsyncIterable<readonly Row[]>
  /** The largest number that each table with numbered rows has ever given to one, removed ones included. */
  lastNumbers(): Promise<ReadonlyMap<string, number>>
}

export interface Target extends Side {
  write(table: Table, rows: readonly Row[]): Promise<void>
  setLastNumbers(numbers: ReadonlyMap<string, number>): Promise<void>
  /** Executes a statement that both engines understand. */
  run(sql: string): Promise<void>
}

/** Each engine's own: the names and hashes of the migrations that made it. */
const MIGRATIONS_TABLE = 'schema_migrations'

/** Tables that the indexer fills, besides the full-text indexes themselves. Not copied but built again. */
export const INDEXED: readonly string[] = ['search_documents', 'search_words', 'episode_documents', 'episode_words']
export const FULL_TEXT: readonly string[] = ['search_terms', 'episode_titles', 'episode_notes']

/** Tables in which migrations leave rows, which a copy replaces. */
export const FILLED: readonly string[] = ['action_hash', 'tags', 'upkeep']

/** The tables that a copy consists of. Each comes after those that its foreign keys refer to. */
export function tablesOf(db: Database): Table[] {
  const all = db
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
  const left = new Set(
    all.map(({ name }) => name).filter((name) => name !== MIGRATIONS_TABLE && !INDEXED.includes(name)),
  )
  const parents = db.query<{ parent: string }, [string]>('SELECT "table" AS parent FROM pragma_foreign_key_list(?1)')
  const ordered: string[] = []
  while (left.size > 0) {
    const next = [...left].filter((name) =>
      parents.all(name).every(({ parent }) => parent === name || !left.has(parent)),
    )
    if (next.length === 0) throw new Error(`foreign keys of ${[...left].join(', ')} refer to each other`)
    for (const name of next) left.delete(name)
    ordered.push(...next)
  }
  return ordered.map((name) => tableOf(db, name))
}

function tableOf(db: Database, name: string): Table {
  const columns = db
    .query<Column & { pk: number }, [string]>('SELECT name, type, pk FROM pragma_table_info(?1)')
    .all(name)
  const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  return { name, columns, key: key.map((column) => column.name) }
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

export function columnsOf({ columns }: Table): string {
  return quoted(columns.map(({ name }) => name))
}

export function byKey({ key }: Table): string {
  return key.length === 0 ? '' : ` ORDER BY ${quoted(key)}`
}

/** Numbers beyond this are not the ones that the database holds. */
export function requireExact(table: string, column: string, value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new UnusableDatabase(`table "${table}": "${column}" has a number beyond 2^53, which podstep never writes`)
}

/** Characters of a batch: some rows are long. */
export const BATCH_LENGTH = 2_000_000
export const BATCH_ROWS = 5_000

/** About as many characters as the row takes. */
export function lengthOf(row: Row): number {
  let length = 0
  for (const name in row) {
    const value = row[name]
    length += typeof value === 'string' ? value.length + 16 : 16
  }
  return length
}

/**
 * Digest of a table's rows. Sums up a SHA-256 of each, since keys that had to be cleaned have another order in the target
 * than in the source.
 */
export function createRowDigest() {
  const sum = new Uint32Array(8)
  let count = 0
  return {
    add(rows: readonly Row[]): void {
      count += rows.length
      for (const row of rows) {
        const bytes = hash('sha256', JSON.stringify(row), 'buffer')
        for (let n = 0; n < sum.length; n++) sum[n] = (sum[n] ?? 0) + bytes.readUInt32LE(4 * n)
      }
    },
    get count() {
      return count
    },
    text: () => Buffer.from(sum.buffer).toString('hex'),
  }
}
