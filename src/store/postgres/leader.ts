import type { ReservedSQL } from 'bun'
import type { Timer } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { createConnections, UnreachableDatabase, withTimeout } from './connect.ts'

/** Key of the advisory lock: "pods" in ASCII, and 4 for the active process. */
export const ACTIVE = '1886348403, 4'
const TRY_LOCK = `SELECT pg_try_advisory_lock(${ACTIVE}) AS "isOurs"`

/** Interval of checks for a server that has fallen silent without closing the connection. */
const HEARTBEAT_MS = 2000

/**
 * A dedicated connection that holds the lock of the active process. PostgreSQL releases the lock when the connection
 * ends, so another process can become active as soon as this one is gone.
 */
export interface LeaderLock {
  /** Returns whether this connection now holds the lock. Rejects with `UnusableDatabase`. */
  tryTake(): Promise<boolean>
  /** Settles with the reason when the connection, and so the lock, is lost. */
  readonly lost: Promise<unknown>
  release(): Promise<void>
}

/** Rejects with `UnusableDatabase`. */
export async function openLeaderLock({
  url,
  timer,
}: {
  readonly url: Secret
  readonly timer: Timer
}): Promise<LeaderLock> {
  const { promise: lost, resolve } = Promise.withResolvers<unknown>()
  const sql = createConnections(url, { max: 1, onClose: lose })
  let isHeld = false
  let stopHeartbeat: (() => void) | undefined

  function lose(reason: unknown): void {
    isHeld = false
    resolve(reason)
  }

  async function release(): Promise<void> {
    stopHeartbeat?.()
    isHeld = false
    await sql.end({ timeout: 0 })
  }

  async function reserve(): Promise<ReservedSQL> {
    try {
      return await withTimeout(sql.reserve(), url, timer)
    } catch (error) {
      await release()
      throw error
    }
  }

  function beat(connection: ReservedSQL): void {
    stopHeartbeat = timer(HEARTBEAT_MS, () => {
      withTimeout(connection`SELECT 1`, url, timer).then(
        () => {
          if (isHeld) beat(connection)
        },
        async (error) => {
          lose(error)
          await release()
        },
      )
    })
  }

  const connection = await reserve()
  return {
    lost,
    release,
    async tryTake() {
      if (isHeld) return true
      const [row] = await withTimeout(connection.unsafe<{ isOurs: boolean }[]>(TRY_LOCK), url, timer)
      if (row === undefined) throw new UnreachableDatabase('PostgreSQL returned no row for a lock')
      isHeld = row.isOurs
      if (isHeld) beat(connection)
      return isHeld
    },
  }
}
