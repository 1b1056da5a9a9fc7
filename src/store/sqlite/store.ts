import type { Database as Driver } from 'bun:sqlite'
import type { Quotas } from '../../domain/shared/limits.ts'
import type { WriteQueue } from '../engine.ts'
import { createStores, type Store } from '../stores.ts'
import { createDatabaseState, type DatabaseStateOptions, quickCheck } from './core/database-state.ts'
import { createEngine } from './core/engine.ts'
import { hadReadError } from './core/errors.ts'
import { createSnapshot } from './core/snapshot.ts'
import { createWriteQueue, type WriteQueue as Queue, type WriteQueueOptions } from './core/write-queue.ts'
import { createDiskStore, pathOf } from './server/disk.ts'

export interface StoreOptions
  extends Omit<WriteQueueOptions, 'state'>,
    Partial<Pick<DatabaseStateOptions, 'onTrouble' | 'monotonic'>> {
  readonly startCheckWorker?: () => Worker
  /** Without quotas, only the disk limits what users store. */
  readonly quotas?: Quotas
  /** Prepare every statement now instead of on first use, to detect invalid SQL. */
  readonly preparesAtOnce?: boolean
}

export function createSqliteStore(driver: Driver, options: StoreOptions = {}): Store {
  const {
    quotas,
    onTrouble = () => undefined,
    monotonic = () => 0,
    startCheckWorker,
    preparesAtOnce,
    ...queueOptions
  } = options
  const path = pathOf(driver)
  const stamp = driver.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
  const state = createDatabaseState({
    path,
    stamp,
    hadReadError: () => path !== undefined && hadReadError(driver),
    onTrouble,
    monotonic,
  })
  const db = createEngine(driver, state.noteError, preparesAtOnce)
  const snapshot = createSnapshot(driver)
  const queue = createWriteQueue(driver, snapshot, { ...queueOptions, state })
  // Always writes a page. An UPDATE without an effect would not, and so would not detect a full disk.
  const probe = db.prepare(`PRAGMA user_version = ${stamp}`)
  return {
    ...createStores(db, snapshot, unlocked(queue), quotas),
    disk: createDiskStore(driver, db, snapshot),
    /** Settles if the database can be read and written, otherwise rejects with `unavailable`. Results are cached. */
    probe: (): Promise<void> => state.ready(() => queue.run(() => void void probe.run())),
    async idle(): Promise<void> {
      await queue.idle()
      snapshot.end()
    },
    /** Rejects all later changes, since the database is about to be closed. */
    end(): void {
      queue.end()
      snapshot.end()
    },
    /** Checks the whole database and returns the number of faults. If any, later changes are rejected. */
    async check(): Promise<number> {
      if (path === undefined || startCheckWorker === undefined) return 0
      const faults = await quickCheck(path, startCheckWorker)
      if (faults.length > 0) state.noteDamage({ faults })
      return faults.length
    },
    /** Whether the database and its files have no known faults. */
    isSound: (): boolean => state.refusal() === undefined,
    /** Whether other programs have overwritten the files. If so, the database must not be closed, which would write. */
    isOverwritten: state.isOverwritten,
    counters: queue.counters,
  }
}

/** Ignores locks, since the queue runs changes one after the other. */
function unlocked(queue: Queue): WriteQueue {
  return { run: (_, work) => queue.run(work), runDeferred: (_, work) => queue.runDeferred(work) }
}
