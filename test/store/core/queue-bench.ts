import { Database } from 'bun:sqlite'
import { afterEach } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSnapshot } from '../../../src/store/sqlite/core/snapshot.ts'
import { createWriteQueue } from '../../../src/store/sqlite/core/write-queue.ts'
import { tempDirs } from '../temp-dir.ts'

export type SyncLevel = 'FULL' | 'NORMAL'

/** SQLite's numbers. */
const LEVELS: readonly (SyncLevel | undefined)[] = [undefined, 'NORMAL', 'FULL']

/** A queue over a real file with one table of numbers, in which 13 is not allowed; with a thread that keeps the log short if one is given. */
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
  const failures: { code: unknown; units: number }[] = []
  const snapshot = createSnapshot(db)
  const queue = createWriteQueue(db, snapshot, {
    startCheckpointWorker,
    onFailure: (error, units) =>
      failures.push({ code: error instanceof Error && 'code' in error ? error.code : undefined, units }),
  })
  const insert = db.prepare<undefined, [number]>('INSERT INTO numbers (value) VALUES (?1)')
  const list = other.prepare<{ value: number }, []>('SELECT value FROM numbers ORDER BY id')
  return {
    queue,
    snapshot,
    db,
    /** Another process, as far as SQLite can tell. */
    other,
    /** What the queue said about failed groups. */
    failures,
    /** A unit that adds `value` to the table of numbers. */
    add: (value: number) => () => void insert.run(value),
    /** Every number that is on disk, in order of insertion. */
    onDisk: () => list.all().map(({ value }) => value),
    /** How the transaction is to reach the disk that is under way, or the last one. Not kept: the answer is part of the statement. */
    level: () => LEVELS[db.prepare<{ synchronous: number }, []>('PRAGMA synchronous').get()?.synchronous ?? 0],
    /** Transactions written to the disk so far. */
    commits: () => countCommits(readFileSync(`${path}-wal`)),
    close() {
      other.close()
      db.close()
    },
  }
}

/** Opens benches, each in a folder of its own unless one is given; those that a test leaves open are closed after it. */
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

/** Lets everything that is scheduled for this turn of the event loop happen. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const WAL_HEADER = 32
const FRAME_HEADER = 24

/** The last page of each transaction in a write-ahead log says how large the database is afterwards; the others say 0. */
function countCommits(wal: Buffer): number {
  if (wal.length < WAL_HEADER) return 0
  const frame = FRAME_HEADER + wal.readUInt32BE(8)
  let commits = 0
  for (let at = WAL_HEADER; at + frame <= wal.length; at += frame) if (wal.readUInt32BE(at + 4) !== 0) commits++
  return commits
}
