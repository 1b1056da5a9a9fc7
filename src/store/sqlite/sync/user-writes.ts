import type { Database } from 'bun:sqlite'
import { isUnavailable } from '../../../domain/shared/errors.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { Sync, WriteQueue } from '../core/write-queue.ts'
import type { ActionRemoval } from './actions/action-removal.ts'
import type { FormerGuids } from './actions/former-guids.ts'
import type { FormerGuid } from './actions/joined-episodes.ts'
import type { Rename, Renames } from './renames.ts'
import type { SyncState } from './sync-state.ts'

/** What is needed to take back the work of a user that was begun and never finished. */
export interface Unfinished {
  /** Of all rows that the work has written; greater than the user's clock until the work is finished. */
  readonly seq: number
  /** Of the device that the work has made, or the first of several. */
  readonly newDeviceId?: number | undefined
  /** Of a device that is to go: this work is not taken back but finished. */
  readonly goneDeviceId?: number | undefined
  /** Addresses that the work has replaced by others since it yielded last. */
  readonly renames?: Rename[] | undefined
  /** Guids that the work has replaced since it yielded last. */
  readonly formerGuids?: FormerGuid[] | undefined
}

/** Work that may be interrupted at each `yield`, where others have their turn. */
export type Steps<T> = Generator<Unfinished, Sync<T>>

/** Rows that one job writes: some ten milliseconds' work, or fifty on a small computer. */
export const ROWS_PER_JOB = 500

/** A job that found the user's rows in the middle of something. */
const AGAIN = Symbol('again')

export interface UserWritesParts {
  readonly db: Database
  readonly queue: WriteQueue
  readonly sync: SyncState
  readonly actionRemoval: ActionRemoval
  readonly renames: Renames
  readonly formerGuids: FormerGuids
}

interface MarkRow {
  readonly userId: UserId
  readonly seq: number
  readonly newDeviceId: number | null
  readonly goneDeviceId: number | null
}

export type UserWrites = ReturnType<typeof createUserWrites>

export function createUserWrites({ db, queue, sync, actionRemoval, renames, formerGuids }: UserWritesParts) {
  const mark = db.prepare<undefined, [UserId, number, number | null, number | null]>(
    'INSERT INTO unfinished_writes (user_id, seq, new_device_id, gone_device_id) VALUES (?1, ?2, ?3, ?4)',
  )
  const markNewDevices = db.prepare<undefined, [UserId, number]>(
    'UPDATE unfinished_writes SET new_device_id = ?2 WHERE user_id = ?1 AND new_device_id IS NULL',
  )
  const unmark = db.prepare<undefined, [UserId]>('DELETE FROM unfinished_writes WHERE user_id = ?1')
  const marked = db.prepare<MarkRow, []>(
    `SELECT user_id AS userId, seq, new_device_id AS newDeviceId, gone_device_id AS goneDeviceId FROM unfinished_writes`,
  )
  const markOf = db.prepare<MarkRow, [UserId]>(
    `SELECT user_id AS userId, seq, new_device_id AS newDeviceId, gone_device_id AS goneDeviceId
       FROM unfinished_writes WHERE user_id = ?1`,
  )
  const written = (condition: string) =>
    `(SELECT s.device_id, s.podcast_id FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id AND s.seq = +?2
       WHERE d.user_id = +?1 AND ${condition} LIMIT ${ROWS_PER_JOB})`
  const removeNew = db.prepare<undefined, [UserId, number]>(
    `DELETE FROM subscriptions WHERE (device_id, podcast_id) IN ${written('s.previous_seq IS NULL')}`,
  )
  const restoreOld = db.prepare<undefined, [UserId, number]>(
    `UPDATE subscriptions SET subscribed = 1 - subscribed, seq = previous_seq
      WHERE (device_id, podcast_id) IN ${written('s.previous_seq IS NOT NULL')}`,
  )
  const removeOfDevice = db.prepare<undefined, [number]>(
    `DELETE FROM subscriptions WHERE device_id = ?1 AND podcast_id IN
       (SELECT podcast_id FROM subscriptions WHERE device_id = ?1 LIMIT ${ROWS_PER_JOB})`,
  )
  const removeDevice = db.prepare<undefined, [number]>('DELETE FROM devices WHERE id = ?1')
  // A new row has the greatest number of all, and nobody else makes devices of the user meanwhile.
  const removeNewDevices = db.prepare<undefined, [UserId, number]>(
    'DELETE FROM devices WHERE user_id = ?1 AND id >= ?2',
  )

  /** Of users in the middle of something; settles when it is over, one way or the other. */
  const underWay = new Map<UserId, Promise<void>>()
  /**
   * Users whose unfinished work could not be taken back, because the disk was full: the next request of theirs tries
   * again.
   */
  const stuck = new Set<UserId>()
  /** The end of the long work that began last. */
  let last: Promise<void> = Promise.resolve()

  /** A step back; false when there is none left. */
  function stepBack({ userId, seq, newDeviceId, goneDeviceId }: MarkRow): boolean {
    if (goneDeviceId !== null) {
      if (removeOfDevice.run(goneDeviceId).changes > 0) return true
      removeDevice.run(goneDeviceId)
    } else {
      // First, so that the rows are again those that have been changed.
      if (renames.takeBack(userId) || formerGuids.takeBack(userId)) return true
      if (actionRemoval.takeBack(userId, seq)) return true
      for (const remove of [removeNew, restoreOld]) if (remove.run(userId, seq).changes > 0) return true
      if (newDeviceId !== null) removeNewDevices.run(userId, newDeviceId)
    }
    unmark.run(userId)
    return false
  }

  /** Stores what the work has replaced since it yielded last. */
  function keepReplaced(userId: UserId, unfinished: Unfinished): void {
    renames.keep(userId, unfinished.renames)
    formerGuids.keep(userId, unfinished.formerGuids)
  }

  async function takeBack(userId: UserId): Promise<void> {
    const found = await queue.run(() => markOf.get(userId))
    if (found) while (await queue.run(() => stepBack(found)));
  }

  /** Keeps everybody else away from what the user has until `work` has settled. */
  async function exclusively<T>(userId: UserId, work: () => Promise<T>): Promise<T> {
    const over = Promise.withResolvers<void>()
    underWay.set(userId, over.promise)
    try {
      return await work()
    } finally {
      underWay.delete(userId)
      over.resolve()
    }
  }

  function repair(userId: UserId): Promise<void> {
    return exclusively(userId, async () => {
      await takeBack(userId)
      stuck.delete(userId)
    })
  }

  const isBusy = (userId: UserId) => underWay.has(userId) || stuck.has(userId)

  async function settle(userId: UserId): Promise<void> {
    for (;;) {
      const other = underWay.get(userId)
      if (other) await other
      else if (stuck.has(userId)) await repair(userId)
      else return
    }
  }

  /** One after the other: steps of several users in one group of jobs would keep everybody waiting for all of them. */
  async function finish<T>(userId: UserId, steps: Steps<T>): Promise<T> {
    const before = last
    const over = Promise.withResolvers<void>()
    last = over.promise
    try {
      await before
      for (;;) {
        const step = await queue.run(() => {
          // The account may have been removed in between.
          sync.clockOf(userId)
          const next = steps.next()
          if (next.done) {
            unmark.run(userId)
            renames.forget(userId)
            formerGuids.forget(userId)
          } else {
            if (next.value.newDeviceId !== undefined) markNewDevices.run(userId, next.value.newDeviceId)
            keepReplaced(userId, next.value)
          }
          return next
        })
        if (step.done) return step.value
      }
    } catch (error) {
      stuck.add(userId)
      await takeBack(userId)
      stuck.delete(userId)
      throw error
    } finally {
      over.resolve()
    }
  }

  /** Undefined where `work` has to wait for its turn. */
  async function attempt<T>(userId: UserId, work: () => Steps<T>): Promise<{ readonly value: T } | undefined> {
    let begun: { readonly steps: Steps<T>; readonly over: PromiseWithResolvers<void> } | undefined
    try {
      const first = await queue.run(() => {
        if (isBusy(userId)) return AGAIN
        const steps = work()
        const step = steps.next()
        if (!step.done) {
          const { seq, newDeviceId, goneDeviceId } = step.value
          mark.run(userId, seq, newDeviceId ?? null, goneDeviceId ?? null)
          keepReplaced(userId, step.value)
          // From here on, and not from the commit on: the next job of this group may be the same user's.
          begun = { steps, over: Promise.withResolvers<void>() }
          underWay.set(userId, begun.over.promise)
        }
        return step
      })
      if (first === AGAIN) return undefined
      if (first.done) return { value: first.value }
      return begun && { value: await finish(userId, begun.steps) }
    } finally {
      if (begun) {
        underWay.delete(userId)
        begun.over.resolve()
      }
    }
  }

  async function run<T>(userId: UserId, work: () => Steps<T>): Promise<T> {
    for (;;) {
      const done = await attempt(userId, work)
      if (done) return done.value
      await settle(userId)
    }
  }

  /** What is always one job, which `enqueue` puts into the write queue. */
  async function runOnce<T>(userId: UserId, work: () => Sync<T>, enqueue: WriteQueue['run']): Promise<T> {
    for (;;) {
      const done = await enqueue(() => (isBusy(userId) ? undefined : { value: work() }))
      if (done) return done.value
      await settle(userId)
    }
  }

  return {
    /**
     * Runs `work` inside of the write queue. Most work never yields and is one job. What yields is as many jobs more,
     * and all or nothing all the same: meanwhile no other work of this user is done, and nothing of the user is read
     * that waits for `settled`; if a step fails, or the process ends, what has been written is taken back.
     */
    run,

    /** As `run`, for what is always one job. */
    runAtOnce: <T>(userId: UserId, work: () => Sync<T>): Promise<T> => runOnce(userId, work, queue.run),

    /** As `runAtOnce`, as a deferred write: nobody waits for the disk because of it. */
    runDeferred: <T>(userId: UserId, work: () => Sync<T>): Promise<T> => runOnce(userId, work, queue.runDeferred),

    /** Before reading what the user has; undefined if nothing is under way. Rejects with `unavailable`. */
    settled: (userId: UserId): Promise<void> | undefined => (isBusy(userId) ? settle(userId) : undefined),

    /** Takes back what the last process has left unfinished. */
    async recover(): Promise<void> {
      try {
        const users = marked.all().map(({ userId }) => userId)
        for (const userId of users) stuck.add(userId)
        for (const userId of users) await repair(userId)
      } catch (error) {
        // A full disk is no reason not to start: the next request of these users tries again.
        if (!isUnavailable(error)) throw error
      }
    },
  }
}

export type Pace = ReturnType<typeof createPace>

/**
 * Says where work is to yield, so that no job writes more rows than it should. No generator, which most uploads would
 * make in vain.
 */
export function createPace(work: Unfinished) {
  const unfinished = { ...work, renames: [] as Rename[], formerGuids: [] as FormerGuid[] }
  let rowsOfJob = 0
  return {
    unfinished,
    /** After the work has made devices, the first of which has this number. */
    noteNewDevices(id: number): void {
      unfinished.newDeviceId = id
    },
    /** Whether to yield `unfinished` before so many rows more are read or written. */
    isFull(rows: number): boolean {
      const isFull = rowsOfJob > 0 && rowsOfJob + rows > ROWS_PER_JOB
      rowsOfJob = isFull ? rows : rowsOfJob + rows
      return isFull
    },
  }
}
