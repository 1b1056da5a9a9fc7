import type { Database } from 'bun:sqlite'
import { sqliteCode } from './errors.ts'

const MOVE_PAGES = 1000
/** Pages. Low, so that a commit with an fsync does not have to wait for many pages of deferred commits. */
const FLUSH_PAGES = 100
/** Pages at which a commit does the checkpoint itself, if the thread is stuck or gone. */
const AUTOCHECKPOINT_PAGES = 16 * MOVE_PAGES

interface LogState {
  readonly log: number
  readonly checkpointed: number
}

/** Checkpoints the write-ahead log on a thread, since all requests would wait for a checkpoint during a commit. */
export function createCheckpointer(db: Database, startWorker: () => Worker) {
  const look = db.prepare<LogState, []>('PRAGMA wal_checkpoint(NOOP)')
  const moveRest = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  db.run(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`)

  let worker: Worker | undefined
  let job: { readonly action: CheckpointRequest['action']; readonly done: PromiseWithResolvers<void> } | undefined
  let hasThreadEnded = false
  let flushed = 0
  let hasMoved = false

  function start(): Worker {
    const started = startWorker()
    started.onmessage = ({ data }: MessageEvent<CheckpointResponse>) => settle(data)
    started.onerror = giveUp
    started.addEventListener('close', giveUp)
    // The thread must not keep the process alive.
    started.unref()
    return started
  }

  function request(action: CheckpointRequest['action']): void {
    job = { action, done: Promise.withResolvers() }
    worker ??= start()
    // A stopping server has to wait for this job.
    worker.ref()
    worker.postMessage({ path: db.filename, action } satisfies CheckpointRequest)
  }

  function settle(failure: CheckpointResponse): void {
    hasMoved = job?.action === 'move' && failure === undefined
    worker?.unref()
    job?.done.resolve()
    job = undefined
  }

  function giveUp(): void {
    hasThreadEnded = true
    db.run(`PRAGMA wal_autocheckpoint = ${MOVE_PAGES}`)
    settle('the thread has ended')
  }

  /** Checkpoints the few pages written while the thread was busy, otherwise the log would not start over. */
  function finish({ log, checkpointed }: LogState): void {
    if (hasMoved && checkpointed > 0 && log - checkpointed < MOVE_PAGES) moveRest.run()
    hasMoved = false
  }

  function limitLog(isFlushed: boolean): void {
    const state = look.get()
    if (!state) return
    const { log, checkpointed } = state
    if (isFlushed) flushed = log
    if (log < flushed) flushed = 0
    if (job) return
    finish(state)
    if (log - checkpointed >= MOVE_PAGES) request('move')
    else if (log - flushed >= FLUSH_PAGES) {
      flushed = log
      request('flush')
    }
  }

  return {
    committed(isFlushed: boolean): void {
      if (hasThreadEnded) return
      try {
        limitLog(isFlushed)
      } catch (error) {
        // The commit itself has succeeded. If the disk is failing, the next commit reports it.
        if (sqliteCode(error) === undefined) throw error
      }
    },
    /** Whether the disk is behind, so that deferred jobs should wait. */
    hasPending: (): boolean => job !== undefined,
    async caughtUp(): Promise<void> {
      await job?.done.promise
    },
  }
}

export interface CheckpointRequest {
  readonly path: string
  readonly action: 'flush' | 'move'
}

/** Reason for a failure; undefined after a success. */
export type CheckpointResponse = string | undefined
