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
  /** Without them users may have whatever fits on the disk. */
  readonly quotas?: Quotas
  /** Has every statement prepared now instead of when it is first executed, so that bad SQL shows. */
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
  // Always writes a page; an UPDATE that changes nothing would not, and never meet the full disk it is to find.
  const probe = db.prepare(`PRAGMA user_version = ${stamp}`)
  return {
    ...createStores(db, snapshot, unlocked(queue), quotas),
    disk: createDiskStore(driver, db, snapshot),
    /** Settles while the database can be read and changed; rejects with `unavailable`. Asks the disk now and then. */
    probe: (): Promise<void> => state.ready(() => queue.run(() => void void probe.run())),
    async idle(): Promise<void> {
      await queue.idle()
      snapshot.end()
    },
    /** Refuses every change from now on, since the database is about to be closed. */
    end(): void {
      queue.end()
      snapshot.end()
    },
    /** Reads all that is stored; resolves with the number of faults, after which changes are refused. */
    async check(): Promise<number> {
      if (path === undefined || startCheckWorker === undefined) return 0
      const faults = await quickCheck(path, startCheckWorker)
      if (faults.length > 0) state.noteDamage({ faults })
      return faults.length
    },
    /** Whether nothing is known to be wrong with what is stored, nor with the files it is in. */
    isSound: (): boolean => state.refusal() === undefined,
    /** Whether other programs have written into its files: then they must be left as they are, also by closing them. */
    isOverwritten: state.isOverwritten,
    counters: queue.counters,
  }
}

/** Changes need no locks: the queue makes them one after the other. */
function unlocked(queue: Queue): WriteQueue {
  return { run: (_, work) => queue.run(work), runDeferred: (_, work) => queue.runDeferred(work) }
}
