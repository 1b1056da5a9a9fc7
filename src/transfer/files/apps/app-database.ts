import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { SourcedRecord } from '../../../domain/transfer/records.ts'
import { codeOf, messageOf } from '../../../platform/unknown.ts'

export interface DatabaseApp {
  readonly source: string
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly optional: readonly string[]
  readonly history: string
  read(database: AppDatabase, span: Span, signal: AbortSignal): Iterable<SourcedRecord>
}

export interface Span {
  /** Row ID that an earlier run has reached; `undefined` on the first run. */
  readonly after: number | undefined
  readonly total: number
  /** Unix seconds. */
  readonly now: number
}

export type Row = Readonly<Record<string, string | number | null>>
export type AppDatabase = ReturnType<typeof openAppDatabase>

/** Bytes of a string; addresses and titles are shorter. */
const TEXT_MAX = 8192
/** Bytes of a single value in SQLite, including a definition in the schema. */
const VALUE_MAX = 32 * 1024 * 1024
const LIMITS = { length: VALUE_MAX, column: 200, exprDepth: 50, compoundSelect: 5, attach: 0 }
const MESSAGE_MAX = 200

const PRAGMAS = [
  ...['trusted_schema = OFF', 'query_only = ON', 'cell_size_check = ON', 'mmap_size = 0'],
  'ignore_check_constraints = ON',
]

/** Opens an untrusted database as sqlite.org/security.html advises, in a process that can be killed. */
export function openAppDatabase(path: string) {
  const url = pathToFileURL(path)
  // No other process writes the file, and a copied database in WAL mode lacks its log.
  url.searchParams.set('immutable', '1')
  const sqlite = new DatabaseSync(url, {
    readOnly: true,
    allowExtension: false,
    defensive: true,
    limits: LIMITS,
  })
  for (const pragma of PRAGMAS) sqlite.exec(`PRAGMA ${pragma}`)

  /** Columns of an ordinary table; none for views, virtual tables and generated columns. */
  function columnsOf(table: string): ReadonlySet<string> {
    const isTable = sqlite
      .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE 'CREATE TABLE %'`)
      .get(table)
    const found = isTable ? sqlite.prepare(`PRAGMA table_xinfo("${table}")`).all() : []
    return new Set(found.some(({ hidden }) => hidden !== 0) ? [] : found.map(({ name }) => String(name)))
  }

  return {
    has(table: string, columns: readonly string[] = []): boolean {
      const existing = columnsOf(table)
      return existing.size > 0 && columns.every((column) => existing.has(column))
    },

    columns(table: string, alias: string) {
      const existing = columnsOf(table)
      const column = (name: string, cell: string, condition: string) =>
        existing.has(name) ? `CASE WHEN ${condition} THEN ${cell} END` : 'NULL'
      return {
        text(name: string): string {
          const cell = `${alias}."${name}"`
          return column(name, cell, `typeof(${cell}) = 'text' AND octet_length(${cell}) <= ${TEXT_MAX}`)
        },
        number(name: string): string {
          const cell = `${alias}."${name}"`
          return column(name, `${cell} + 0.0`, `typeof(${cell}) IN ('integer', 'real')`)
        },
      }
    },

    /** Throws `validation_failed` if pages are damaged or used twice, so that reading takes time linear in the file. */
    check(table: string): void {
      for (const { quick_check: finding } of sqlite.prepare(`PRAGMA quick_check("${table}")`).iterate()) {
        const [head, problem = ''] = String(finding).split('\n')
        // Other findings concern values that violate the schema.
        if (head?.startsWith('***')) throw damaged(problem)
      }
    },

    count: (table: string): number =>
      Number(sqlite.prepare(`SELECT COUNT(*) AS count FROM "${table}"`).get()?.['count']),

    rows: (sql: string) => sqlite.prepare(sql).iterate() as Iterable<Row>,

    close: () => sqlite.close(),
  }
}

function damaged(what: string): DomainError {
  const words = what.replaceAll(/[\s\p{C}]+/gu, ' ').slice(0, MESSAGE_MAX)
  return new DomainError('validation_failed', `the database is damaged: ${words}`)
}

export function toDomainError(error: unknown): unknown {
  return /^ERR_(?:SQLITE|OUT_OF_RANGE)/.test(codeOf(error)) ? damaged(messageOf(error)) : error
}
