import type { Database } from 'bun:sqlite'
import { sqliteCode } from './errors.ts'

const MOVED_AT = 1000
/** So few that a change which is to be acknowledged has not many more to wait for than its own. */
const FLUSHED_AT = 100
/** If the thread does not get on, or is gone, it is done at the end of a commit after all. */
const LAST_RESORT = 16 * MOVED_AT

interface LogState {
  readonly log: number
  readonly checkpointed: number
}

/** Keeps the write-ahead log short on a thread; at the end of a commit all requests would wait for it. */
export function createCheckpointer(db: Database, startWorker: () => Worker) {
  const look = db.prepare<LogState, []>('PRAGMA wal_checkpoint(NOOP)')
  const moveRest = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  db.run(`PRAGMA wal_autocheckpoint = ${LAST_RESORT}`)

  let worker: Worker | undefined
  let job: { readonly what: CheckpointRequest['what']; readonly done: PromiseWithResolvers<void> } | undefined
  let isGone = false
  let flushed = 0
  let hasMoved = false

  function start(): Worker {
    const started = startWorker()
    started.onmessage = ({ data }: MessageEvent<CheckpointResponse>) => settle(data)
    started.onerror = giveUp
    started.addEventListener('close', giveUp)
    // It must not keep a server that stops.
    started.unref()
    return started
  }

  function order(what: CheckpointRequest['what']): void {
    job = { what, done: Promise.withResolvers() }
    worker ??= start()
    // A server that stops waits for this, and for nothing else perhaps.
    worker.ref()
    worker.postMessage({ path: db.filename, what } satisfies CheckpointRequest)
  }

  function settle(failure: CheckpointResponse): void {
    hasMoved = job?.what === 'move' && failure === undefined
    worker?.unref()
    job?.done.resolve()
    job = undefined
  }

  function giveUp(): void {
    isGone = true
    db.run(`PRAGMA wal_autocheckpoint = ${MOVED_AT}`)
    settle('the thread has ended')
  }

  /** As little as came while the thread was at the rest; without it the log would not start over. */
  function finish({ log, checkpointed }: LogState): void {
    if (hasMoved && checkpointed > 0 && log - checkpointed < MOVED_AT) moveRest.run()
    hasMoved = false
  }

  function keepShort(isFlushed: boolean): void {
    const state = look.get()
    if (!state) return
    const { log, checkpointed } = state
    if (isFlushed) flushed = log
    if (log < flushed) flushed = 0
    if (job) return
    finish(state)
    if (log - checkpointed >= MOVED_AT) order('move')
    else if (log - flushed >= FLUSHED_AT) {
      flushed = log
      order('flush')
    }
  }

  return {
    committed(isFlushed: boolean): void {
      if (isGone) return
      try {
        keepShort(isFlushed)
      } catch (error) {
        // What has been committed is; a disk that fails now will fail the next commit, which tells of it.
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
  readonly what: 'flush' | 'move'
}

/** Why the request failed; undefined if it did not. */
export type CheckpointResponse = string | undefined
