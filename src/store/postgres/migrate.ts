import type { SQL, TransactionSQL } from 'bun'
import init from '../../../migrations/postgres/0000_init.sql' with { type: 'text' }
import listening from '../../../migrations/postgres/0001_listening.sql' with { type: 'text' }
import { messageOf } from '../../platform/unknown.ts'
import { type AppliedRow, findPending, fingerprint, UnusableDatabase } from '../migrations.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** Oldest first, append-only, with the same names as SQLite's. A test compares this list with the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_init', sql: init },
  { name: '0001_listening', sql: listening },
]

interface MigrateOptions {
  readonly migrations?: readonly Migration[]
  readonly version: string
  /** Unix seconds. */
  readonly now: number
}

/** Key of the advisory lock: "pods" in ASCII, and 1 for migrations. */
const LOCK = '1886348403, 1'

/**
 * Applies pending migrations in one transaction and returns their names. If two processes start at the same time, the
 * second waits and finds no pending migrations. Throws `UnusableDatabase` without changing anything.
 */
export async function migrate(sql: SQL, { version, now, migrations = MIGRATIONS }: MigrateOptions): Promise<string[]> {
  // With a stricter default level, the snapshot would be from before the wait for the lock.
  return await sql.begin('isolation level read committed', async (tx) => {
    await tx.unsafe(`SELECT pg_advisory_xact_lock(${LOCK})`)
    const server = await readServer(tx)
    checkServer(server)
    const applied = await readApplied(tx, server)
    const pending = findPending(applied ?? [], { migrations, version })
    if (pending.length > 0 && !server.mayCreate) throw new UnusableDatabase(mayNotCreate(server))
    try {
      if (pending.length > 0) await applyAll(tx, pending, { isNew: applied === undefined, version, now })
    } catch (error) {
      throw explain(error, server)
    }
    return pending.map(({ name }) => name)
  })
}

/** Returns the names of pending migrations without changing anything. Throws `UnusableDatabase`. */
export async function listPending(
  sql: SQL,
  { version, migrations = MIGRATIONS }: Pick<MigrateOptions, 'version' | 'migrations'>,
): Promise<string[]> {
  return await sql.begin('isolation level read committed', async (tx) => {
    const server = await readServer(tx)
    checkServer(server)
    const applied = await readApplied(tx, server)
    return findPending(applied ?? [], { migrations, version }).map(({ name }) => name)
  })
}

/** Facts that decide whether a server and its database can be used. */
export interface Server {
  readonly database: string
  readonly role: string
  /** Schema for new tables; null if no schema of the search path exists. */
  readonly schema: string | null
  readonly searchPath: string
  readonly release: string
  readonly versionNumber: number
  readonly encoding: string
  readonly isReadOnly: boolean
  readonly mayCreate: boolean
}

async function readServer(tx: TransactionSQL): Promise<Server> {
  const [server] = await tx<Server[]>`
    SELECT current_database() AS database, current_user AS role, current_schema() AS schema,
           current_setting('search_path') AS "searchPath", current_setting('server_version') AS release,
           current_setting('server_version_num')::int AS "versionNumber", current_setting('server_encoding') AS encoding,
           current_setting('transaction_read_only') = 'on' AS "isReadOnly",
           COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"`
  if (!server) throw new Error('PostgreSQL returned no row for a SELECT of settings')
  return server
}

const OLDEST = 15

/** Throws `UnusableDatabase`. */
export function checkServer({ database, release, versionNumber, encoding, isReadOnly }: Server): void {
  if (versionNumber < OLDEST * 10_000)
    throw new UnusableDatabase(
      `the server of database "${database}" is PostgreSQL ${release}, and podstep needs ${OLDEST} or newer; upgrade the server`,
    )
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(
      `database "${database}" has the encoding ${encoding}, and podstep needs UTF8; create one WITH ENCODING 'UTF8' TEMPLATE template0`,
    )
  if (isReadOnly)
    throw new UnusableDatabase(
      `database "${database}" is read-only; connect to the primary server, without default_transaction_read_only`,
    )
}

function mayNotCreate({ database, role, schema, searchPath }: Server): string {
  return schema === null
    ? `database "${database}" has no schema to create tables in: none of the search path ${searchPath} exists; create one or correct search_path`
    : `role "${role}" may not create tables in schema "${schema}" of database "${database}"; run GRANT CREATE ON SCHEMA "${schema}" TO "${role}", or make it the owner of the database`
}

/** Tables, views and columns of the schema, except those that came with an extension. */
const RELATIONS = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = current_schema())
     AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
     AND NOT EXISTS (SELECT 1 FROM pg_depend d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
   GROUP BY c.relname ORDER BY c.relname`
const COLUMNS = ['name', 'sha256', 'applied_at', 'version']

/** Returns the applied migrations; undefined for an empty database. */
async function readApplied(tx: TransactionSQL, server: Server): Promise<AppliedRow[] | undefined> {
  const relations = await tx.unsafe<{ name: string; columns: string[] }[]>(RELATIONS)
  if (relations.length === 0) return undefined
  const migrationsTable = relations.find(({ name }) => name === 'schema_migrations')
  // Other programs also have a table of this name.
  if (!COLUMNS.every((column) => migrationsTable?.columns.includes(column)))
    throw new UnusableDatabase(
      `database "${server.database}" has tables of another program in schema "${server.schema}": ${joinNames(relations.map(({ name }) => name))}; use an empty database`,
    )
  return await tx<AppliedRow[]>`SELECT name, sha256, version FROM schema_migrations ORDER BY name`
}

const NAMED_MAX = 3

function joinNames(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

async function applyAll(
  tx: TransactionSQL,
  pending: readonly Migration[],
  { isNew, version, now }: { readonly isNew: boolean; readonly version: string; readonly now: number },
): Promise<void> {
  // The limits are for requests. Migrations may take longer.
  await tx`SET LOCAL statement_timeout = 0`
  await tx`SET LOCAL lock_timeout = 0`
  if (isNew)
    await tx`CREATE TABLE schema_migrations (
      name text COLLATE "C" PRIMARY KEY,
      sha256 text COLLATE "C" NOT NULL,
      applied_at bigint NOT NULL,
      version text COLLATE "C" NOT NULL
    )`
  for (const { name, sql } of pending) {
    await tx.unsafe(sql).simple()
    await tx`INSERT INTO schema_migrations (name, sha256, applied_at, version)
             VALUES (${name}, ${fingerprint(sql)}, ${now}, ${version})`
  }
}

function explain(error: unknown, { database, role }: Server): UnusableDatabase {
  const reason = messageOf(error)
  // The server lacks the extension, the role may not create it, or it is in a schema outside the search path.
  if (/trgm/.test(reason))
    return new UnusableDatabase(
      `database "${database}" needs the extension pg_trgm, which role "${role}" could not create: ${reason}; install the contrib modules of PostgreSQL, and have a superuser run CREATE EXTENSION pg_trgm in this database`,
      { cause: error },
    )
  return new UnusableDatabase(`database "${database}" could not be upgraded and is as it was: ${reason}`, {
    cause: error,
  })
}
