import type { Database } from 'bun:sqlite'
import { DomainError, isUnavailable, serverStopping } from '../../../domain/shared/errors.ts'
import { createHistogram, type Family, histogramSamples, single } from '../../../platform/metrics.ts'
import type { Sync } from '../../engine.ts'
import { createCheckpointer } from './checkpointer.ts'
import type { DatabaseState } from './database-state.ts'
import { driverError, isBusy, sqliteCode, toDomainError } from './errors.ts'
import type { Snapshot } from './snapshot.ts'

interface Job {
  readonly work: () => unknown
  readonly isDeferred: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export interface WriteQueue {
  /**
   * Runs `work` in the transaction of the next group, in its own savepoint, and settles after the commit has reached
   * the disk. Rejects with what `work` throws, after rolling back only its changes, or with `unavailable` if the group
   * could not be written.
   */
  run<T>(work: () => Sync<T>): Promise<T>
  /**
   * Variant of `run` for writes that no answer waits for and that can be repeated. Waits a few milliseconds so that
   * many of them share a commit, and settles when every reader sees the change, possibly before it is on disk. A power
   * cut can lose the whole group, but never a part of it or anything that was acknowledged.
   */
  runDeferred<T>(work: () => Sync<T>): Promise<T>
  idle(): Promise<void>
  /** Rejects waiting and future jobs, since the database is about to be closed. */
  end(): void
  counters(): Family[]
}

export interface WriteQueueOptions {
  /** Logs a failure: each single job that the disk refuses, but only the first of consecutive groups. */
  readonly onFailure?: (error: unknown, jobs: number) => void
  readonly onRecovery?: () => void
  readonly startCheckpointWorker?: (() => Worker) | undefined
  readonly onCommit?: (() => void) | undefined
  readonly state?: Pick<DatabaseState, 'isRefusing' | 'refusal' | 'noteWrite' | 'hasFailedWrite'>
}

const GROUP_MAX = 128
const WAITING_MAX = 20_000
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, GROUP_MAX]

const DEFERRED_MS = 5

/** Longest wait of one try for another process that writes. All tries take about 10 seconds. */
const BUSY_TIMEOUT_MS = 20
const BUSY_RETRY_MS = 5
const BUSY_TRIES = 400

/**
 * Group commit: all jobs waiting at the end of an event loop turn share one `BEGIN IMMEDIATE … COMMIT` and one fsync,
 * which is skipped if all of them are deferred.
 */
export function createWriteQueue(db: Database, snapshot: Snapshot, options: WriteQueueOptions = {}): WriteQueue {
  const { onFailure, onRecovery, onCommit, startCheckpointWorker, state } = options
  const checkpointer = startCheckpointWorker && createCheckpointer(db, startCheckpointWorker)
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT job')
  const release = db.prepare('RELEASE job')
  const changes = db.prepare<{ count: number }, []>('SELECT total_changes() AS count')
  const undo = db.prepare('ROLLBACK TO job')

  let waiting: Job[] = []
  let isSynced: boolean | undefined
  let scheduled = false
  let deferral: Timer | undefined
  let delayed = 0
  let busyTries = 0
  let idlers: (() => void)[] = []
  let hasEnded = false
  const groupSizes = createHistogram(GROUP_SIZES)
  let failures = 0
  /** The last group failed. Logged once, so that a full disk does not fill the log overnight. */
  let isFailing = false

  function schedule(): void {
    clearTimeout(deferral)
    deferral = undefined
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function scheduleDeferred(): void {
    if (scheduled) return
    if (idlers.length > 0) schedule()
    else deferral ??= setTimeout(schedule, DEFERRED_MS)
  }

  /**
   * With a write-ahead log, `NORMAL` skips only the fsync of a commit. The next commit at `FULL` covers all earlier
   * ones, since the log is one file. Must run outside a transaction, and not as a prepared statement: SQLite would
   * apply it while preparing.
   */
  function setSynced(isRequired: boolean): void {
    if (isSynced === isRequired) return
    db.run(`PRAGMA synchronous = ${isRequired ? 'FULL' : 'NORMAL'}`)
    isSynced = isRequired
  }

  function flush(): void {
    scheduled = false
    if (hasEnded) return
    const group = waiting.slice(0, GROUP_MAX)
    const refusal = state?.isRefusing ? state.refusal() : undefined
    if (refusal) {
      rejectAll(waiting.splice(0), refusal)
      settleIdle()
      return
    }
    try {
      snapshot.end()
      setSynced(!group.every(({ isDeferred }) => isDeferred))
      begin.run()
    } catch (error) {
      if (isBusy(error) && busyTries < BUSY_TRIES) {
        busyTries++
        scheduled = true
        setTimeout(flush, BUSY_RETRY_MS)
        return
      }
      busyTries = 0
      refuse(waiting.splice(0), error)
      settleIdle()
      return
    }
    busyTries = 0
    waiting = waiting.slice(group.length)
    if (waiting.length > 0) schedule()
    commitGroup(group)
    settleIdle()
  }

  function commitGroup(group: readonly Job[]): void {
    const settle: (() => void)[] = []
    // Only a commit that writes something shows that the disk has recovered from a failure.
    const before = state?.hasFailedWrite ? changes.get()?.count : undefined
    try {
      for (const job of group) settle.push(runJob(job))
      commit.run()
    } catch (error) {
      rollBack()
      refuse(group, error)
      return
    }
    // The commit may have gone into files that have been deleted or replaced meanwhile.
    const refusal = state?.refusal()
    if (refusal) {
      rejectAll(group, refusal)
      return
    }
    if (isSynced && (before === undefined || changes.get()?.count !== before)) {
      state?.noteWrite()
      if (isFailing) onRecovery?.()
      isFailing = false
    }
    groupSizes.observe(group.length)
    for (const done of settle) done()
    onCommit?.()
    checkpointer?.committed(isSynced === true)
  }

  /** Ends the transaction, unless SQLite has already rolled it back on a disk error. */
  function rollBack(): void {
    try {
      if (db.inTransaction) rollback.run()
    } catch (error) {
      // The transaction is over even if this fails, and the group is rejected with the first error.
      if (sqliteCode(error) === undefined) throw error
    }
  }

  /** Throws only if the whole transaction is lost. A failure of the job itself is reported after the commit. */
  function runJob(job: Job): () => void {
    savepoint.run()
    try {
      const value = job.work()
      release.run()
      return () => job.resolve(value)
    } catch (error) {
      // SQLite has rolled back the whole transaction, as it does on some disk errors.
      if (!db.inTransaction) throw error
      undo.run()
      release.run()
      const refusal = toDomainError(error)
      if (isUnavailable(refusal)) {
        failures++
        onFailure?.(driverError(error), 1)
      }
      return () => job.reject(refusal)
    }
  }

  function refuse(jobs: readonly Job[], error: unknown): void {
    const cause = driverError(error)
    failures += jobs.length
    if (!isFailing) onFailure?.(cause, jobs.length)
    isFailing = true
    state?.noteWrite(cause)
    rejectAll(jobs, toDomainError(error))
  }

  function rejectAll(jobs: readonly Job[], reason: unknown): void {
    for (const job of jobs) job.reject(reason)
  }

  function settleIdle(): void {
    if (waiting.length + delayed > 0 || idlers.length === 0) return
    const settled = idlers
    idlers = []
    for (const done of settled) done()
  }

  function enqueue<T>(work: () => Sync<T>, isDeferred: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (hasEnded) {
        reject(serverStopping())
        return
      }
      if (waiting.length + delayed >= WAITING_MAX) {
        reject(new DomainError('unavailable', 'too many changes are waiting to be written', { retryAfter: 5 }))
        return
      }
      // Each job settles its own promise with its own result; the queue only carries them.
      waiting.push({ work, isDeferred, resolve: resolve as (value: unknown) => void, reject })
      if (isDeferred) scheduleDeferred()
      else schedule()
    })
  }

  /** Delays deferred jobs while the disk is behind, so that acknowledged changes do not queue up behind them. */
  async function enqueueDeferred<T>(work: () => Sync<T>): Promise<T> {
    delayed++
    while (checkpointer?.hasPending()) await checkpointer.caughtUp()
    delayed--
    return enqueue(work, true)
  }

  return {
    run: (work) => enqueue(work, false),
    runDeferred: enqueueDeferred,
    async idle() {
      if (deferral) schedule()
      if (waiting.length + delayed > 0 || scheduled) await new Promise<void>((resolve) => idlers.push(resolve))
      await checkpointer?.caughtUp()
    },
    end() {
      hasEnded = true
      clearTimeout(deferral)
      rejectAll(waiting.splice(0), serverStopping())
    },
    counters() {
      const name = 'podstep_write_group_size'
      const help = 'Changes that were written together, in one transaction.'
      return [
        single('gauge', 'podstep_write_queue_depth', 'Changes that wait to be written.', waiting.length + delayed),
        { name, help, type: 'histogram', values: histogramSamples(name, groupSizes.read()) },
        single('counter', 'podstep_write_failures_total', 'Changes that could not be written.', failures),
      ]
    },
  }
}
