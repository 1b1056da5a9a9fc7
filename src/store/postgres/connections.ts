import type { ReservedSQL, SQL } from 'bun'

/** Connections of the server, each leased to one user at a time. */
export interface Connections {
  lease(): Promise<Lease>
}

interface Lease {
  readonly connection: ReservedSQL
  /** An earlier lease used it, so the server may have closed it since. */
  readonly isUsed: boolean
  /** Ends the lease. `isLost`: the connection is broken, and idle ones probably are too. */
  end(isLost: boolean): void
}

/**
 * Leases the connections of a pool that has no other users, and keeps them reserved between leases, since reserving one
 * takes longer than a short query. Returns them to the pool only while a lease is waiting.
 */
export function keepConnections(pool: Pick<SQL, 'reserve'>): Connections {
  const idle: ReservedSQL[] = []
  let waiting = 0

  function toLease(connection: ReservedSQL, isUsed: boolean): Lease {
    return {
      connection,
      isUsed,
      end(isLost) {
        if (!isLost && waiting === 0) idle.push(connection)
        else for (const each of isLost ? [connection, ...idle.splice(0)] : [connection]) each.release()
      },
    }
  }

  return {
    async lease() {
      const reused = idle.pop()
      if (reused) return toLease(reused, true)
      waiting++
      try {
        return toLease(await pool.reserve(), false)
      } finally {
        waiting--
      }
    },
  }
}
