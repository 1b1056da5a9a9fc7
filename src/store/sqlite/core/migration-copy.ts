import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Migration } from './migrate.ts'
import { syncFile, syncFolder } from './sync-folder.ts'

const SUFFIX = '-before-migration.db'

/** Copies the database into `backups/` of the data folder; on the disk when this returns the path. */
export function copyBeforeMigration(db: Database, dataDir: string, now: number): string {
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stamp = new Date(now * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const target = join(folder, `podstep-${stamp}${SUFFIX}`)
  const unfinished = `${target}.partial`
  rmSync(unfinished, { force: true })
  try {
    db.query('VACUUM INTO ?').run(unfinished)
    chmodSync(unfinished, 0o600)
    syncFile(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    // The disk may be full because of it.
    rmSync(unfinished, { force: true })
    throw error
  }
  syncFolder(folder)
  return target
}

/** The newest copy made before a migration that a version with these migrations can use; undefined if there is none. */
export function findCopyFor(migrations: readonly Migration[], dataDir: string): string | undefined {
  const folder = join(dataDir, 'backups')
  if (!existsSync(folder)) return undefined
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .toSorted((one, other) => other.localeCompare(one))
    .map((name) => join(folder, name))
    .find((path) => isOf(migrations, path))
}

function isOf(migrations: readonly Migration[], path: string): boolean {
  let db: Database | undefined
  try {
    db = new Database(path, { readonly: true })
    const applied = db.query<{ name: string }, []>('SELECT name FROM schema_migrations ORDER BY name').all()
    return applied.length > 0 && applied.every(({ name }, index) => migrations[index]?.name === name)
  } catch {
    // Whatever it is, it is nothing to recommend.
    return false
  } finally {
    db?.close()
  }
}
