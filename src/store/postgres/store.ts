import type { DiskStore } from '../../domain/feeds/ports.ts'
import { DomainError, isUnavailable } from '../../domain/shared/errors.ts'
import type { Quotas } from '../../domain/shared/limits.ts'
import { single } from '../../platform/metrics.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { createStores, type Store } from '../stores.ts'
import type { Connections } from './connections.ts'
import { createEngine } from './engine.ts'

export interface PostgresStoreOptions {
  /** Without them only the disk limits what users store. */
  readonly quotas?: Quotas | undefined
  /** Called after each change that is stored. */
  readonly onCommit?: () => void
  /** Called when PostgreSQL cannot be used any more, once until it can again. */
  readonly onFailure?: (error: unknown) => void
  readonly onRecovery?: () => void
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic?: () => number
}

/** A success of the probe counts for so long, so that health checks do not take connections from users. */
const PROBE_COUNTS_MS = 5000

/** The stores on PostgreSQL. */
export function createPostgresStore(connections: Connections, options: PostgresStoreOptions = {}): Store {
  const { quotas, onCommit = () => undefined, monotonic = () => 0 } = options
  const engine = createEngine(connections)
  const { db } = engine
  // A disk that is full lets everything be read and nothing be changed.
  const [reads, changes] = [watchFailures(options), watchFailures(options)]
  const snapshot: Snapshot = { read: (work) => reads.follow(engine.snapshot.read(work)) }
  const queue: WriteQueue = {
    run: (lock, work) => changes.follow(told(engine.queue.run(lock, work))),
    runDeferred: (lock, work) => changes.follow(told(engine.queue.runDeferred(lock, work))),
  }
  let probing: Promise<void> | undefined
  let probedAt: number | undefined

  async function told<T>(change: Promise<T>): Promise<T> {
    const result = await change
    onCommit()
    return result
  }

  async function probe(): Promise<void> {
    await snapshot.read(() => void one.get())
    probedAt = monotonic()
  }

  const size = db.prepare<{ bytes: number }, []>('SELECT pg_database_size(current_database()) AS bytes')
  const one = db.prepare<{ one: number }, []>('SELECT 1 AS one')

  /** Its disk is the administrator's: nothing here knows how much of it is free. */
  const disk: DiskStore = {
    async use() {
      const database = await snapshot.read(() => size.get()?.bytes ?? 0)
      return { database, writeAheadLog: 0, free: undefined }
    },
    async counters() {
      const { database } = await disk.use()
      return [single('gauge', 'podstep_database_size_bytes', 'Size of the database.', database)]
    },
  }

  return {
    ...createStores(db, snapshot, queue, quotas),
    disk,
    async probe() {
      if (!reads.isFailing() && probedAt !== undefined && monotonic() - probedAt < PROBE_COUNTS_MS) return
      probing ??= probe().finally(() => {
        probing = undefined
      })
      await probing
    },
    idle: engine.idle,
    end: engine.end,
    // PostgreSQL looks after what it stores; amcheck and pg_checksums belong to its administrator.
    check: async () => 0,
    isSound: () => true,
    isOverwritten: () => false,
    counters: () => [
      single('gauge', 'podstep_write_queue_depth', 'Changes that wait to be written.', engine.pending()),
    ],
  }
}

/** Tells of the first failure of PostgreSQL, and of the first success after it. */
function watchFailures({ onFailure, onRecovery }: PostgresStoreOptions) {
  let isFailing = false
  return {
    isFailing: () => isFailing,

    async follow<T>(work: Promise<T>): Promise<T> {
      try {
        const result = await work
        if (isFailing) onRecovery?.()
        isFailing = false
        return result
      } catch (error) {
        // Without a cause it is a change that was refused here: too many wait, or the server stops.
        if (isUnavailable(error) && error instanceof DomainError && error.cause !== undefined) {
          if (!isFailing) onFailure?.(error.cause)
          isFailing = true
        }
        throw error
      }
    },
  }
}
