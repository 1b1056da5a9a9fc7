import { Database } from 'bun:sqlite'
import { afterEach } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSnapshot } from '../../../src/store/sqlite/core/snapshot.ts'
import { createWriteQueue } from '../../../src/store/sqlite/core/write-queue.ts'
import { tempDirs } from '../temp-dir.ts'

export type SyncLevel = 'FULL' | 'NORMAL'

/** By SQLite's numbers. */
const LEVELS: readonly (SyncLevel | undefined)[] = [undefined, 'NORMAL', 'FULL']

/** A queue on a database file with one table of numbers, which does not accept 13. */
function openBench(dir: string, startCheckpointWorker?: () => Worker) {
  const path = join(dir, 'bench.db')
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run(
    'CREATE TABLE numbers (id INTEGER PRIMARY KEY, value INTEGER NOT NULL CHECK (value <> 13), ballast BLOB) STRICT',
  )
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const other = new Database(path, { strict: true })
  const failures: { code: unknown; jobs: number }[] = []
  const snapshot = createSnapshot(db)
  const queue = createWriteQueue(db, snapshot, {
    startCheckpointWorker,
    onFailure: (error, jobs) =>
      failures.push({ code: error instanceof Error && 'code' in error ? error.code : undefined, jobs }),
  })
  const insert = db.prepare<undefined, [number]>('INSERT INTO numbers (value) VALUES (?1)')
  const list = other.prepare<{ value: number }, []>('SELECT value FROM numbers ORDER BY id')
  return {
    queue,
    snapshot,
    db,
    /** A second connection, which is like another process. */
    other,
    /** Reported failures of groups. */
    failures,
    /** Creates a job that adds `value` to the table. */
    add: (value: number) => () => void insert.run(value),
    /** All committed numbers, in order of insertion. */
    onDisk: () => list.all().map(({ value }) => value),
    /** Sync level of the current or the last transaction. Not cached, because SQLite evaluates the pragma when preparing. */
    level: () => LEVELS[db.prepare<{ synchronous: number }, []>('PRAGMA synchronous').get()?.synchronous ?? 0],
    /** Number of transactions in the log. */
    commits: () => countCommits(readFileSync(`${path}-wal`)),
    close() {
      other.close()
      db.close()
    },
  }
}

/** Opens benches, each in a new folder by default, and closes them after each test. */
export function queueBenches() {
  const dirs = tempDirs()
  const benches: ReturnType<typeof openBench>[] = []
  afterEach(() => {
    for (const bench of benches.splice(0)) bench.close()
  })
  return {
    dirs,
    open(dir = dirs.make(), startCheckpointWorker?: () => Worker) {
      const bench = openBench(dir, startCheckpointWorker)
      benches.push(bench)
      return bench
    },
  }
}

/** Waits for the next turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const WAL_HEADER = 32
const FRAME_HEADER = 24

/** The last page of each transaction in a write-ahead log has the new size of the database; others have 0. */
function countCommits(wal: Buffer): number {
  if (wal.length < WAL_HEADER) return 0
  const frame = FRAME_HEADER + wal.readUInt32BE(8)
  let commits = 0
  for (let at = WAL_HEADER; at + frame <= wal.length; at += frame) if (wal.readUInt32BE(at + 4) !== 0) commits++
  return commits
}
