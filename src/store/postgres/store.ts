import type { DiskStore } from '../../domain/feeds/ports.ts'
import { DomainError, isUnavailable } from '../../domain/shared/errors.ts'
import type { Quotas } from '../../domain/shared/limits.ts'
import { single } from '../../platform/metrics.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { createStores, type Store } from '../stores.ts'
import type { Connections } from './connections.ts'
import { createEngine } from './engine.ts'

export interface PostgresStoreOptions {
  /** Without quotas, only the disk limits what users store. */
  readonly quotas?: Quotas | undefined
  /** Called after each change that is stored. */
  readonly onCommit?: () => void
  /** Called once when PostgreSQL becomes unusable. */
  readonly onFailure?: (error: unknown) => void
  readonly onRecovery?: () => void
  /** Milliseconds of a monotonic clock. */
  readonly monotonic?: () => number
}

/** Time for which a successful probe is cached, so that health checks do not take connections from users. */
const PROBE_COUNTS_MS = 5000

/** The stores on PostgreSQL. */
export function createPostgresStore(connections: Connections, options: PostgresStoreOptions = {}): Store {
  const { quotas, onCommit = () => undefined, monotonic = () => 0 } = options
  const engine = createEngine(connections)
  const { db } = engine
  // Separate, since reads still succeed on a full disk.
  const [reads, changes] = [watchFailures(options), watchFailures(options)]
  const snapshot: Snapshot = { read: (work) => reads.follow(engine.snapshot.read(work)) }
  const queue: WriteQueue = {
    run: (lock, work) => changes.follow(notifying(engine.queue.run(lock, work))),
    runDeferred: (lock, work) => changes.follow(notifying(engine.queue.runDeferred(lock, work))),
  }
  let probing: Promise<void> | undefined
  let probedAt: number | undefined

  async function notifying<T>(change: Promise<T>): Promise<T> {
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

  /** Free space is unknown, since the disk is the database server's. */
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
    // Integrity is PostgreSQL's job; amcheck and pg_checksums are tools of its administrator.
    check: async () => 0,
    isSound: () => true,
    isOverwritten: () => false,
    counters: () => [
      single('gauge', 'podstep_write_queue_depth', 'Changes that wait to be written.', engine.pending()),
    ],
  }
}

/** Reports the first failure of PostgreSQL, and the first success after it. */
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
        // Errors without a cause are rejections by this process: too many waiting changes, or a shutdown.
        if (isUnavailable(error) && error instanceof DomainError && error.cause !== undefined) {
          if (!isFailing) onFailure?.(error.cause)
          isFailing = true
        }
        throw error
      }
    },
  }
}
