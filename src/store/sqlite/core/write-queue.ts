import type { Database } from 'bun:sqlite'
import { DomainError, isUnavailable } from '../../../domain/shared/errors.ts'
import { createCheckpointer } from './checkpointer.ts'
import type { DatabaseState } from './database-state.ts'
import { driverError, isBusy, sqliteCode, toDomainError } from './errors.ts'
import type { Snapshot } from './snapshot.ts'

/** A result that is not a promise: work inside a transaction is synchronous, or it would commit half-done. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

interface Unit {
  readonly work: () => unknown
  readonly isLazy: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export interface WriteQueue {
  /**
   * Runs `work` inside the next group's transaction, in a savepoint of its own, and settles after the commit has reached the disk.
   * Rejects with what `work` throws (its changes rolled back alone), or with `unavailable` when the group could not be written.
   */
  run<T>(work: () => Sync<T>): Promise<T>
  /**
   * As `run`, for what can be had again: settles when everybody sees the change, which may be before the disk has it. A power cut can take
   * it away, but nothing that came after it and is on disk, nor a part of the group.
   */
  runLazily<T>(work: () => Sync<T>): Promise<T>
  /** As `runLazily`, and waits a moment for company: many of these make one commit, and leave the others in peace. */
  runAtLeisure<T>(work: () => Sync<T>): Promise<T>
  /** Settles when everything queued so far is written or refused. */
  idle(): Promise<void>
}

export interface WriteQueueOptions {
  /** Told of every failed group, for the log. */
  readonly onFailure?: (error: unknown, units: number) => void
  /** Of `log-worker.ts`; without it SQLite keeps the log short by itself, at the end of a commit. */
  readonly startLogWorker?: (() => Worker) | undefined
  /** Told how writing goes, and asked before anything is acknowledged. */
  readonly state?: Pick<DatabaseState, 'isRefusing' | 'refusal' | 'noteWrite'>
}

/** Enough to share one fsync among all waiting requests, few enough that reads get their turn in between. */
const GROUP_MAX = 128
const WAITING_MAX = 20_000

/** Nobody waits for what has so much time. */
const LEISURE_MS = 10

/**
 * While another process (the command line) is writing, SQLite may block us only this long at a time; in between reads get their turn.
 * Together the tries last some 10 seconds.
 */
const BUSY_TIMEOUT_MS = 20
const BUSY_RETRY_MS = 5
const BUSY_TRIES = 400

/**
 * Group commit: all units waiting at the end of an event loop turn share one `BEGIN IMMEDIATE … COMMIT` and so one fsync, which is left out
 * if all of them are lazy.
 */
export function createWriteQueue(db: Database, snapshot: Snapshot, options: WriteQueueOptions = {}): WriteQueue {
  const { onFailure, startLogWorker, state } = options
  const checkpointer = startLogWorker && createCheckpointer(db, startLogWorker)
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT unit')
  const release = db.prepare('RELEASE unit')
  const undo = db.prepare('ROLLBACK TO unit')

  let waiting: Unit[] = []
  let isSynced: boolean | undefined
  let scheduled = false
  let leisure: Timer | undefined
  /** Lazy units that wait for the disk. */
  let held = 0
  let busyTries = 0
  let idlers: (() => void)[] = []

  function schedule(): void {
    clearTimeout(leisure)
    leisure = undefined
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function scheduleAtLeisure(): void {
    if (scheduled) return
    leisure ??= setTimeout(() => {
      leisure = undefined
      schedule()
    }, LEISURE_MS)
  }

  /**
   * In a write-ahead log `NORMAL` leaves out the fsync of a commit and nothing else; that of the next commit at `FULL` is good for all
   * before it, since the log is one file. Not in a transaction, and not by a prepared statement: SQLite would set it while it prepares it.
   */
  function setSynced(wanted: boolean): void {
    if (isSynced === wanted) return
    db.run(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`)
    isSynced = wanted
  }

  function flush(): void {
    scheduled = false
    const group = waiting.slice(0, GROUP_MAX)
    const refusal = state?.isRefusing ? state.refusal() : undefined
    if (refusal) {
      rejectAll(waiting.splice(0), refusal)
      settleIdle()
      return
    }
    try {
      snapshot.end()
      setSynced(!group.every(({ isLazy }) => isLazy))
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

  function commitGroup(group: readonly Unit[]): void {
    const settle: (() => void)[] = []
    try {
      for (const unit of group) settle.push(runUnit(unit))
      commit.run()
    } catch (error) {
      rollBack()
      refuse(group, error)
      return
    }
    // Written, but perhaps into files that nobody will find again.
    const refusal = state?.refusal()
    if (refusal) {
      rejectAll(group, refusal)
      return
    }
    if (isSynced) state?.noteWrite()
    for (const done of settle) done()
    checkpointer?.committed(isSynced === true)
  }

  /** SQLite itself ends the transaction on some disk errors. */
  function rollBack(): void {
    try {
      if (db.inTransaction) rollback.run()
    } catch (error) {
      // Even when it fails the transaction is over, and the group is refused for the error that came first.
      if (sqliteCode(error) === undefined) throw error
    }
  }

  /** Throws only when the whole transaction is lost; a unit's own failure is kept for after the commit. */
  function runUnit(unit: Unit): () => void {
    savepoint.run()
    try {
      const value = unit.work()
      release.run()
      return () => unit.resolve(value)
    } catch (error) {
      // SQLite itself rolls everything back on some disk errors: then nobody's work exists any more.
      if (!db.inTransaction) throw error
      undo.run()
      release.run()
      const refusal = toDomainError(error)
      if (isUnavailable(refusal)) onFailure?.(driverError(error), 1)
      return () => unit.reject(refusal)
    }
  }

  function refuse(units: readonly Unit[], error: unknown): void {
    const cause = driverError(error)
    onFailure?.(cause, units.length)
    state?.noteWrite(cause)
    rejectAll(units, toDomainError(error))
  }

  function rejectAll(units: readonly Unit[], reason: unknown): void {
    for (const unit of units) unit.reject(reason)
  }

  function settleIdle(): void {
    if (waiting.length + held > 0 || idlers.length === 0) return
    const settled = idlers
    idlers = []
    for (const done of settled) done()
  }

  function enqueue<T>(work: () => Sync<T>, isLazy: boolean, scheduleFlush = schedule): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (waiting.length + held >= WAITING_MAX) {
        reject(new DomainError('unavailable', 'too many changes are waiting to be written', { retryAfter: 5 }))
        return
      }
      // Each unit settles its own promise with its own result; the queue only carries them.
      waiting.push({ work, isLazy, resolve: resolve as (value: unknown) => void, reject })
      scheduleFlush()
    })
  }

  /** Not more at once than the disk can take: others write as well, and do wait for it. */
  async function enqueueLazily<T>(work: () => Sync<T>, scheduleFlush = schedule): Promise<T> {
    held++
    while (checkpointer?.hasPending()) await checkpointer.caughtUp()
    held--
    return enqueue(work, true, scheduleFlush)
  }

  return {
    run: (work) => enqueue(work, false),
    runLazily: (work) => enqueueLazily(work),
    runAtLeisure: (work) => enqueueLazily(work, scheduleAtLeisure),
    async idle() {
      if (leisure) schedule()
      if (waiting.length + held > 0 || scheduled) await new Promise<void>((resolve) => idlers.push(resolve))
      await checkpointer?.caughtUp()
    },
  }
}
