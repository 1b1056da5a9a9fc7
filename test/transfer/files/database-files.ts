import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()

/** Writes a database with `fill` and returns its path. */
export function databaseAt(fill: (db: Database) => void, pragmas = ''): string {
  const path = join(dirs.make(), 'app.db')
  const db = new Database(path, { create: true })
  db.run(`PRAGMA synchronous = OFF; ${pragmas}`)
  fill(db)
  db.close()
  return path
}

/** Writes a file. Returns its path, and a function that overwrites it. */
export function fileOf(bytes: Uint8Array) {
  const path = join(dirs.make(), 'file')
  writeFileSync(path, bytes)
  return { path, write: (changed: Uint8Array) => writeFileSync(path, changed) }
}
