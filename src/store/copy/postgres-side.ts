import type { SQL, TransactionSQL } from 'bun'
import { systemTimer } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { messageOf } from '../../platform/unknown.ts'
import { type AppliedRow, findPending, UnusableDatabase } from '../migrations.ts'
import { createConnections, partsOf, serverOf, withTimeout } from '../postgres/connect.ts'
import { isConnectionLoss, sqlState } from '../postgres/errors.ts'
import { ACTIVE } from '../postgres/leader.ts'
import { MIGRATIONS } from '../postgres/migrate.ts'
import {
  BATCH_LENGTH,
  BATCH_ROWS,
  byKey,
  columnsOf,
  FILLED,
  FULL_TEXT,
  INDEXED,
  lengthOf,
  quoted,
  type Row,
  requireExact,
  type Side,
  type Table,
  type Target,
} from './tables.ts'

/** Returns the name of a database for messages, without the password of its URL. */
export function nameOf(url: Secret): string {
  return `database "${partsOf(url).database}" of ${serverOf(url)}`
}

/** Connection settings that limit requests and are turned off for copies. */
const NO_LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** Runs `work` with a connection to the database at `url`. Throws `UnusableDatabase`. */
export async function withPostgres<T>(url: Secret, work: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = createConnections(url, { max: 1 })
  try {
    await withTimeout(sql`SELECT 1`, url, systemTimer)
    for (const limit of NO_LIMITS) await sql.unsafe(`SET ${limit} = 0`)
    await sql.unsafe(`SET bytea_output = 'hex'`)
    return await work(sql)
  } catch (error) {
    throw explainError(error, nameOf(url))
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const DISK_FULL = '53100'
const LOCK_NOT_AVAILABLE = '55P03'

function explainError(error: unknown, name: string): unknown {
  const state = sqlState(error)
  const cause = { cause: error }
  if (isConnectionLoss(error))
    return new UnusableDatabase(`the connection to ${name} was lost: ${messageOf(error)}`, cause)
  if (state === undefined) return error
  if (state === DISK_FULL) return new UnusableDatabase(`the disk of the server of ${name} is full`, cause)
  if (state === LOCK_NOT_AVAILABLE)
    return new UnusableDatabase(`another program is using ${name}; stop it first`, cause)
  return new UnusableDatabase(`${name}: ${messageOf(error)}`, cause)
}

/** Seconds that a copy waits for locks of other programs. A killed process may hold one for a moment. */
const LOCK_SECONDS = 5

/** Runs `work` on a snapshot of the database, which a server may be using. Throws `UnusableDatabase`. */
export async function readPostgres<T>(
  sql: SQL,
  { name, version }: { readonly name: string; readonly version: string },
  work: (side: Side) => Promise<T>,
): Promise<T> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    await requireCurrent(tx, name, version)
    return await work(sideOf(tx))
  })
}

async function requireCurrent(tx: TransactionSQL, name: string, version: string): Promise<void> {
  const [found] = await tx<{ table: string | null }[]>`SELECT to_regclass('schema_migrations')::text AS table`
  if (!found?.table) throw new UnusableDatabase(`${name} is not a database of podstep`)
  const applied = await tx<AppliedRow[]>`SELECT name, sha256, version FROM schema_migrations ORDER BY name`
  if (findPending(applied, { migrations: MIGRATIONS, version }).length > 0)
    throw new UnusableDatabase(`${name} is of an older version; start the server of this version on it once`)
}

/** Throws if the database contains accounts. To be called before it is migrated. */
export async function requireUnused(sql: SQL, name: string): Promise<void> {
  const [found] = await sql<{ table: string | null }[]>`SELECT to_regclass('users')::text AS table`
  const isUsed = Boolean(found?.table) && (await sql`SELECT 1 FROM users LIMIT 1`).length > 0
  if (isUsed) throw notEmpty(name, 'users')
}

function notEmpty(name: string, table: string): UnusableDatabase {
  return new UnusableDatabase(`${name} is not empty (table "${table}" has rows); name an empty database`)
}

/** Runs `work` on an empty database with podstep's tables, all in one transaction. Throws `UnusableDatabase`. */
export async function writePostgres<T>(
  sql: SQL,
  { name, tables }: { readonly name: string; readonly tables: readonly Table[] },
  work: (target: Target) => Promise<T>,
): Promise<T> {
  return await sql.begin('isolation level read committed', async (tx) => {
    const names = tables.map((table) => table.name)
    const derived = [...INDEXED, ...FULL_TEXT]
    await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`)
    // Excludes servers.
    await tx.unsafe(`SELECT pg_advisory_xact_lock(${ACTIVE})`)
    // Excludes other commands.
    await tx.unsafe(`LOCK TABLE ${quoted(['schema_migrations', ...names, ...derived])} IN SHARE ROW EXCLUSIVE MODE`)
    await requireEmpty(tx, name, names)
    for (const table of [...FILLED, ...derived]) await tx.unsafe(`DELETE FROM "${table}"`)
    // Triggers would count again what the copied counters contain. Only superusers could disable them in another way.
    const counted = await tx<{ table: string }[]>`
      SELECT DISTINCT t.tgrelid::regclass::text AS table FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`
    for (const { table } of counted) await tx.unsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    const result = await work({
      ...sideOf(tx),
      write: (table, rows) => writeRows(tx, table, rows),
      setLastNumbers: (numbers) => setLastNumbers(tx, numbers),
      run: async (text) => void (await tx.unsafe(text)),
    })
    for (const { table } of counted) await tx.unsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    return result
  })
}

async function requireEmpty(tx: TransactionSQL, name: string, tables: readonly string[]): Promise<void> {
  const checks = tables
    .filter((table) => !FILLED.includes(table))
    .map((table) => `SELECT '${table}' AS "table" WHERE EXISTS (SELECT 1 FROM "${table}")`)
  const [filled] = await tx.unsafe<{ table: string }[]>(checks.join(' UNION ALL '))
  if (filled) throw notEmpty(name, filled.table)
}

function sideOf(tx: TransactionSQL): Side {
  return { read: (table) => readRows(tx, table), lastNumbers: () => lastNumbersIn(tx) }
}

const FIRST_ROWS = 100

/** Reads with a cursor, since a transaction is open anyway. */
async function* readRows(tx: TransactionSQL, table: Table): AsyncGenerator<readonly Row[]> {
  const columns = table.columns.map(({ name, type }) =>
    type === 'BLOB' ? `"${name}"::text AS "${name}"` : `"${name}"`,
  )
  const numbers = table.columns.filter(({ type }) => type === 'INTEGER').map(({ name }) => name)
  await tx.unsafe(
    `DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM "${table.name}"${byKey(table)}`,
  )
  let count = FIRST_ROWS
  for (;;) {
    const rows = await tx.unsafe<Row[]>(`FETCH ${count} FROM copied`)
    let length = 0
    for (const row of rows) {
      for (const name of numbers) {
        const value = row[name]
        if (value !== null && value !== undefined) row[name] = requireExact(table.name, name, Number(value))
      }
      length += lengthOf(row)
    }
    if (rows.length > 0) yield rows
    if (rows.length < count) break
    count = Math.max(1, Math.min(BATCH_ROWS, Math.floor((BATCH_LENGTH * rows.length) / length)))
  }
  await tx.unsafe('CLOSE copied')
}

async function writeRows(tx: TransactionSQL, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = columnsOf(table)
  const from = `json_populate_recordset(NULL::"${table.name}", $1::text::json)`
  try {
    await tx.unsafe(`INSERT INTO "${table.name}" (${columns}) SELECT ${columns} FROM ${from}`, [JSON.stringify(rows)])
  } catch (error) {
    if (isConnectionLoss(error) || sqlState(error) === DISK_FULL) throw error
    throw new UnusableDatabase(`table "${table.name}" cannot be written: ${messageOf(error)}`, { cause: error })
  }
}

/** Sequences of identity columns (`i`), and those for blocks of numbers (`a`), by table. */
const SEQUENCES = `(
  SELECT t.relname AS "table", d.objid AS id, d.deptype AS kind, s.seqincrement AS size
    FROM pg_depend d JOIN pg_sequence s ON s.seqrelid = d.objid JOIN pg_class t ON t.oid = d.refobjid
   WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('i', 'a')
     AND t.relnamespace = current_schema()::regnamespace) sequences`

async function lastNumbersIn(tx: TransactionSQL): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.unsafe<{ table: string; last: string | null }[]>(
    `SELECT "table", pg_sequence_last_value(id) AS last FROM ${SEQUENCES} WHERE kind = 'i'`,
  )
  const numbers = new Map<string, number>()
  for (const { table, last } of rows) numbers.set(table, Number(last ?? 0))
  return numbers
}

/** A block begins at a multiple of its size, so the last one begun is rounded up. */
async function setLastNumbers(tx: TransactionSQL, numbers: ReadonlyMap<string, number>): Promise<void> {
  const json = JSON.stringify(Object.fromEntries([...numbers].filter(([, last]) => last > 0)))
  await tx.unsafe(
    `SELECT setval(id::regclass, (value::bigint + size - 1) / size * size)
       FROM ${SEQUENCES} JOIN json_each_text($1::text::json) numbers ON numbers.key = "table"`,
    [json],
  )
}
