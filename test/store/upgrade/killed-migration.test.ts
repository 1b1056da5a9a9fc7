import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { beforeStatements } from '../../support/database.ts'
import { tempDirs } from '../temp-dir.ts'
import { contentsOf, restoreDump, upTo } from './dump.ts'
import { readFixture } from './fixtures.ts'

const dirs = tempDirs()
const NAMES = MIGRATIONS.map(({ name }) => name)
const OPTIONS = { version: 'test', now: 1_740_909_600 }

/** What the files of a killed process hold is all that there is of it; no shared memory. */
const FILES = ['podstep.db', 'podstep.db-wal']
const WAL_HEADER = 32
const FRAME_HEADER = 24
/** Of `hash` in `episode_actions`. */
const HASH_COLUMN = 7

interface Upgrade {
  readonly dataDir: string
  readonly before: readonly Migration[]
  readonly after: readonly Migration[]
}

function oldFolder(name: string, last: string): Upgrade {
  const dataDir = dirs.make()
  restoreDump(join(dataDir, 'podstep.db'), name, readFixture(name).dump)
  return { dataDir, before: upTo(name), after: upTo(last) }
}

/** Finishing an upgrade takes longest, and what it starts from is the same each time. */
const FINISHED_EVERY = 8

/** What a server finds that starts on the files as they are now. It may be of either version. */
function createCrashes({ dataDir, before, after }: Upgrade) {
  const old = inFolder(dataDir, before)
  const seen = new Set<string>()
  let upgraded: Record<string, unknown> | undefined
  const found = { old: 0, new: 0 }

  function look(cutTo?: number): void {
    const state = `${Bun.hash(Buffer.concat(FILES.map((file) => readIfThere(join(dataDir, file)))))} ${cutTo}`
    // Most statements have changed nothing but the memory of the process.
    if (seen.has(state)) return
    seen.add(state)
    const crashed = join(dataDir, 'crashed')
    mkdirSync(crashed)
    for (const file of FILES) copyIfThere(join(dataDir, file), join(crashed, file))
    if (cutTo !== undefined) truncateSync(join(crashed, 'podstep.db-wal'), cutTo)
    const isOld = countApplied(crashed) === before.length
    if (isOld) expect(inFolder(crashed, before)).toEqual(old)
    if (isOld ? found.old++ % FINISHED_EVERY === 0 : found.new++ === 0) {
      // The next start of the new version finishes, or has nothing to do any more.
      const finished = openDatabase({ ...OPTIONS, dataDir: crashed, migrations: after })
      expect(finished.applied).toHaveLength(isOld ? after.length - before.length : 0)
      if (finished.backup !== undefined) expect(inFile(finished.backup)).toEqual(old)
      const contents = withoutChance(contentsOf(finished.db))
      upgraded ??= contents
      expect(contents).toEqual(upgraded)
      finished.db.close()
    }
    rmSync(crashed, { recursive: true })
  }
  return { look, found }
}

/** Runs the migrations as a start does, with so little memory that unfinished pages reach the disk. */
function upgrade({ dataDir, after }: Upgrade, beforeEach: () => void): void {
  const db = new Database(join(dataDir, 'podstep.db'), { strict: true })
  db.run('PRAGMA synchronous = OFF; PRAGMA cache_size = 1; PRAGMA wal_autocheckpoint = 0')
  beforeStatements(db, beforeEach)
  migrate(db, { ...OPTIONS, migrations: after, beforeChange: () => undefined })
  beforeEach()
}

describe('a server that is killed before any statement of a migration leaves the old schema or the new one', () => {
  test.each(NAMES.slice(1).map((name, index) => [name, NAMES[index] ?? '']))('%s', (name, previous) => {
    const folder = oldFolder(previous, name)
    const crashes = createCrashes(folder)
    let statements = 0
    upgrade(folder, () => {
      statements++
      crashes.look()
    })
    expect(statements).toBeGreaterThan(4)
    expect(crashes.found.old).toBeGreaterThan(0)
    expect(crashes.found.new).toBe(1)
  })
})

describe('a server that is killed in an upgrade over all versions leaves the oldest or the newest schema', () => {
  test('before any statement, and while the last of them is written', () => {
    const folder = oldFolder('0000_init', NAMES.at(-1) ?? '')
    const crashes = createCrashes(folder)
    let statements = 0
    // Each takes as long as a whole upgrade.
    upgrade(folder, () => {
      if (statements++ % 16 === 0) crashes.look()
    })
    crashes.look()
    expect(crashes.found.new).toBe(1)
    expect(crashes.found.old).toBeGreaterThan(10)

    const log = join(folder.dataDir, 'podstep.db-wal')
    const frame = readFileSync(log).readUInt32BE(8) + FRAME_HEADER
    const frames = (statSync(log).size - WAL_HEADER) / frame
    const oldBefore = crashes.found.old
    for (const left of [0, 1, Math.floor(frames / 2), frames - 1]) crashes.look(WAL_HEADER + left * frame)
    // In the middle of a page.
    crashes.look(WAL_HEADER + frames * frame - 100)
    expect(crashes.found).toEqual({ old: oldBefore + 5, new: 1 })
  })
})

/** All that the old version finds, which must not have anything to do. */
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

/** Without what two upgrades do not have in common: 0013_actions draws the factors of its hashes, 0026_list_changes notes when it ran. */
function withoutChance({ action_hash: _, list_change_starts: __, ...contents }: Record<string, unknown>) {
  const actions = contents['episode_actions']
  if (Array.isArray(actions))
    contents['episode_actions'] = actions.map((row: unknown[]) => row.toSpliced(HASH_COLUMN, 1))
  return contents
}

function readIfThere(path: string): Buffer {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path) : Buffer.alloc(0)
}

function copyIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })) copyFileSync(from, to)
}
