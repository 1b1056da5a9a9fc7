import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()

/** The path of a database that `fill` has written. */
export function databaseAt(fill: (db: Database) => void, pragmas = ''): string {
  const path = join(dirs.make(), 'app.db')
  const db = new Database(path, { create: true })
  db.run(`PRAGMA synchronous = OFF; ${pragmas}`)
  fill(db)
  db.close()
  return path
}

/** The path of a file of these bytes, and how to replace them. */
export function fileOf(bytes: Uint8Array) {
  const path = join(dirs.make(), 'file')
  writeFileSync(path, bytes)
  return { path, write: (changed: Uint8Array) => writeFileSync(path, changed) }
}
