import type { Database } from 'bun:sqlite'
import { hash } from 'node:crypto'
import { UnusableDatabase } from '../migrations.ts'

/** A table of both engines, read from SQLite's catalog. A test compares PostgreSQL's with it. */
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

/** Values by column, in the order of the table. Blobs are `\x` followed by hexadecimal digits. */
export type Row = Record<string, string | number | null>

/** One of the two databases. */
export interface Side {
  /** Yields rows in the order of the key, in batches. */
  read(table: Table): AsyncIterable<readonly Row[]>
  /** Returns the highest row number that each table has ever used, including removed rows. */
  lastNumbers(): Promise<ReadonlyMap<string, number>>
}

export interface Target extends Side {
  write(table: Table, rows: readonly Row[]): Promise<void>
  setLastNumbers(numbers: ReadonlyMap<string, number>): Promise<void>
  /** Executes a statement that both engines understand. */
  run(sql: string): Promise<void>
}

/** Names and hashes of the applied migrations, which differ between engines. */
const MIGRATIONS_TABLE = 'schema_migrations'

/** Tables filled by the indexer, besides the full-text indexes. They are rebuilt instead of copied. */
export const INDEXED: readonly string[] = ['search_documents', 'search_words', 'episode_documents', 'episode_words']
export const FULL_TEXT: readonly string[] = ['search_terms', 'episode_titles', 'episode_notes']

/** Tables that contain rows after migrations. A copy replaces these rows. */
export const FILLED: readonly string[] = ['action_hash', 'tags', 'upkeep']

/** Returns the tables to copy, each after those that its foreign keys refer to. */
export function tablesOf(db: Database): Table[] {
  const all = db
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
  const remaining = new Set(
    all.map(({ name }) => name).filter((name) => name !== MIGRATIONS_TABLE && !INDEXED.includes(name)),
  )
  const parents = db.query<{ parent: string }, [string]>('SELECT "table" AS parent FROM pragma_foreign_key_list(?1)')
  const ordered: string[] = []
  while (remaining.size > 0) {
    const next = [...remaining].filter((name) =>
      parents.all(name).every(({ parent }) => parent === name || !remaining.has(parent)),
    )
    if (next.length === 0) throw new Error(`foreign keys of ${[...remaining].join(', ')} refer to each other`)
    for (const name of next) remaining.delete(name)
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

/** Throws for a number that JavaScript cannot represent exactly. */
export function requireExact(table: string, column: string, value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new UnusableDatabase(`table "${table}": "${column}" has a number beyond 2^53, which podstep never writes`)
}

/** Characters per batch, since some rows are long. */
export const BATCH_LENGTH = 2_000_000
export const BATCH_ROWS = 5_000

/** Estimates the length of a row in characters. */
export function lengthOf(row: Row): number {
  let length = 0
  for (const name in row) {
    const value = row[name]
    length += typeof value === 'string' ? value.length + 16 : 16
  }
  return length
}

/**
 * Digest of a table's rows. Adds up a SHA-256 of each row, so that it does not depend on their order, which differs in
 * the target if keys had to be cleaned.
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
