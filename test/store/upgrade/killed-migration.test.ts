import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { beforeStatements } from '../../support/database.ts'
import { tempDirs } from '../temp-dir.ts'
import { contentsOf } from './dump.ts'
import { restoreFixture } from './fixtures.ts'
import { NEXT } from './next-migration.ts'

const dirs = tempDirs()
const OPTIONS = { version: 'test', now: 1_740_909_600 }

/** The files that remain of a killed process, without shared memory. */
const FILES = ['podstep.db', 'podstep.db-wal']
const WAL_HEADER = 32
const FRAME_HEADER = 24

const ALL: readonly Migration[] = [...MIGRATIONS, NEXT]

/** Finishing an upgrade takes longest, and always starts from the same state. */
const FINISHED_EVERY = 8

/** Starts servers of both versions on copies of the current files. */
function createCrashes(dataDir: string, count: number) {
  const [before, after] = [ALL.slice(0, count), ALL.slice(0, count + 1)]
  const old = inFolder(dataDir, before)
  const seen = new Set<string>()
  let upgraded: Record<string, unknown> | undefined
  const found = { old: 0, new: 0 }

  function check(cutTo?: number): void {
    const state = `${Bun.hash(Buffer.concat(FILES.map((file) => readIfThere(join(dataDir, file)))))} ${cutTo}`
    // Most statements change only the memory of the process.
    if (seen.has(state)) return
    seen.add(state)
    const crashed = join(dataDir, 'crashed')
    mkdirSync(crashed)
    for (const file of FILES) copyIfThere(join(dataDir, file), join(crashed, file))
    if (cutTo !== undefined) truncateSync(join(crashed, 'podstep.db-wal'), cutTo)
    const isOld = countApplied(crashed) === count
    if (isOld) expect(inFolder(crashed, before)).toEqual(old)
    if (isOld ? found.old++ % FINISHED_EVERY === 0 : found.new++ === 0) {
      // The next start of the new version finishes the upgrade, if necessary.
      const finished = openDatabase({ ...OPTIONS, dataDir: crashed, migrations: after })
      expect(finished.applied).toHaveLength(isOld ? 1 : 0)
      if (finished.backup !== undefined) expect(inFile(finished.backup)).toEqual(old)
      const contents = contentsOf(finished.db)
      upgraded ??= contents
      expect(contents).toEqual(upgraded)
      finished.db.close()
    }
    rmSync(crashed, { recursive: true })
  }
  return { check, found }
}

/** Runs the migrations with so little memory that unfinished pages reach the disk. */
function upgrade(dataDir: string, count: number, beforeEach: () => void): void {
  const db = new Database(join(dataDir, 'podstep.db'), { strict: true })
  db.run('PRAGMA synchronous = OFF; PRAGMA cache_size = 1; PRAGMA wal_autocheckpoint = 0')
  beforeStatements(db, beforeEach)
  migrate(db, { ...OPTIONS, migrations: ALL.slice(0, count + 1), beforeChange: () => undefined })
  beforeEach()
}

describe('a server killed during a migration leaves the old schema or the new one', () => {
  test.each(ALL.slice(1).map(({ name }, index) => [name, index + 1] as const))('%s', (_, count) => {
    const { dataDir } = restoreFixture(dirs.make(), ALL[count - 1]?.name)
    const crashes = createCrashes(dataDir, count)
    let statements = 0
    upgrade(dataDir, count, () => {
      statements++
      crashes.check()
    })
    expect(statements).toBeGreaterThan(4)
    expect(crashes.found.old).toBeGreaterThan(0)
    expect(crashes.found.new).toBe(1)

    // Killed while the last pages are written, and within a page.
    const log = join(dataDir, 'podstep.db-wal')
    const frame = readFileSync(log).readUInt32BE(8) + FRAME_HEADER
    const frames = (statSync(log).size - WAL_HEADER) / frame
    const oldBefore = crashes.found.old
    for (const left of [0, 1, Math.floor(frames / 2), frames - 1]) crashes.check(WAL_HEADER + left * frame)
    crashes.check(WAL_HEADER + frames * frame - 100)
    expect(crashes.found).toEqual({ old: oldBefore + 5, new: 1 })
  })
})

/** The contents as the old version finds them, without migrations to apply. */
function inFolder(dataDir: string, migrations: readonly Migration[]): Record<string, unknown> {
  const opened = openDatabase({ ...OPTIONS, dataDir, migrations })
  expect(opened.applied).toEqual([])
  const contents = contentsOf(opened.db)
  opened.db.close()
  return contents
}

function inFile(path: string): Record<string, unknown> {
  const db = new Database(path, { readonly: true })
  try {
    expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    return contentsOf(db)
  } finally {
    db.close()
  }
}

function countApplied(dataDir: string): number {
  const db = new Database(join(dataDir, 'podstep.db'))
  try {
    return db.query('SELECT name FROM schema_migrations').values().length
  } finally {
    db.close()
  }
}

function readIfThere(path: string): Buffer {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path) : Buffer.alloc(0)
}

function copyIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })) copyFileSync(from, to)
}
