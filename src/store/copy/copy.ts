import { dirname } from 'node:path'
import type { Secret } from '../../platform/secret.ts'
import { UnusableDatabase } from '../migrations.ts'
import { toStorableText } from '../postgres/engine.ts'
import { migrate } from '../postgres/migrate.ts'
import { sqliteCode } from '../sqlite/core/errors.ts'
import { nameOf, readPostgres, requireUnused, withPostgres, writePostgres } from './postgres-side.ts'
import { createSqliteFile, openSqliteSource, type SqliteFile } from './sqlite-side.ts'
import { createRowDigest, type Row, type Side, type Table, type Target } from './tables.ts'

export interface CopyOptions {
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
}

export interface CopyProgress {
  readonly stage: 'copied' | 'compared'
  readonly table: string
  readonly rows: number
}

export interface Copied {
  readonly tables: number
  readonly rows: number
  /** Number of texts in which U+FFFD replaces NUL or lone surrogates, which PostgreSQL cannot store. */
  readonly cleaned: number
}

/** Copies a SQLite database into an empty PostgreSQL database. Throws `UnusableDatabase`, copying nothing. */
export async function copyToPostgres(path: string, url: Secret, options: CopyOptions): Promise<Copied> {
  const source = openSqliteSource(path, options.version)
  try {
    return await withPostgres(url, async (sql) => {
      const target = { name: nameOf(url), tables: source.tables }
      await requireUnused(sql, target.name)
      await migrate(sql, options)
      const copied = await writePostgres(sql, target, (side) => copyTables(source, side, source.tables, options))
      // Statistics of the planner are still those of an empty database.
      await sql.unsafe('ANALYZE')
      return copied
    })
  } finally {
    source.close()
  }
}

/**
 * Copies a PostgreSQL database into a new SQLite file, named `partial` until it is complete. Also returns its size.
 * Throws `UnusableDatabase`, leaving no file.
 */
export async function copyToSqlite(
  url: Secret,
  path: string,
  { partial = `${path}.partial`, ...options }: CopyOptions & { readonly partial?: string },
): Promise<Copied & { readonly bytes: number }> {
  return await withPostgres(url, async (sql) => {
    let file: SqliteFile | undefined
    try {
      const copied = await readPostgres(sql, { name: nameOf(url), version: options.version }, async (source) => {
        file = createSqliteFile(path, { ...options, partial })
        return await copyTables(source, file, file.tables, options)
      })
      options.signal?.throwIfAborted()
      return { ...copied, bytes: file?.finish() ?? 0 }
    } catch (error) {
      throw explainError(error, dirname(path))
    } finally {
      file?.discard()
    }
  })
}

function explainError(error: unknown, folder: string): unknown {
  const code = sqliteCode(error)
  if (code?.startsWith('SQLITE_FULL')) return new UnusableDatabase(`the disk of ${folder} is full`, { cause: error })
  return error
}

async function copyTables(
  source: Side,
  target: Target,
  tables: readonly Table[],
  { signal, onProgress }: CopyOptions,
): Promise<Copied> {
  let all = 0
  let cleaned = 0
  for (const table of tables) {
    let rows = 0
    for await (const batch of source.read(table)) {
      signal?.throwIfAborted()
      cleaned += clean(batch)
      await target.write(table, batch)
      rows += batch.length
    }
    onProgress?.({ stage: 'copied', table: table.name, rows })
    all += rows
  }
  for (const table of tables) {
    const [original, copied] = [await digestOf(source, table, signal), await digestOf(target, table, signal)]
    if (original.count !== copied.count)
      throw new UnusableDatabase(
        `table "${table.name}" has ${original.count} rows in the source and ${copied.count} in the copy`,
      )
    if (original.text() !== copied.text())
      throw new UnusableDatabase(`table "${table.name}" has other rows in the copy than in the source`)
    onProgress?.({ stage: 'compared', table: table.name, rows: original.count })
  }
  await target.setLastNumbers(await source.lastNumbers())
  for (const statement of REINDEX) await target.run(statement)
  return { tables: tables.length, rows: all, cleaned }
}

/** Queues everything for the indexer, since the search indexes are empty after a copy. */
const REINDEX = [
  `INSERT INTO directory_changes (podcast_id, user_id, subscribers) SELECT id, 0, 0 FROM podcasts WHERE true
     ON CONFLICT (podcast_id, user_id) DO NOTHING`,
  `INSERT INTO episode_changes (episode_id) SELECT episode_id FROM episode_details WHERE is_listed = 1
     ON CONFLICT (episode_id) DO NOTHING`,
]

async function digestOf(side: Side, table: Table, signal: AbortSignal | undefined) {
  const digest = createRowDigest()
  for await (const rows of side.read(table)) {
    signal?.throwIfAborted()
    clean(rows)
    digest.add(rows)
  }
  return digest
}

/** Makes texts storable on both engines; returns the number of changed texts. */
function clean(rows: readonly Row[]): number {
  let changed = 0
  for (const row of rows)
    for (const name in row) {
      const value = row[name]
      if (typeof value !== 'string') continue
      const text = toStorableText(value)
      if (text === value) continue
      row[name] = text
      changed++
    }
  return changed
}
