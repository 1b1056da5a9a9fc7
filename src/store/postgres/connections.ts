import type { ReservedSQL, SQL } from 'bun'

/** Connections of the server, one at a time for each who uses them. */
export interface Connections {
  lease(): Promise<Lease>
}

interface Lease {
  readonly connection: ReservedSQL
  /** An earlier lease used it, so the server may have closed it since. */
  readonly isUsed: boolean
  /** Ends the lease. `isLost`: the connection is broken, and so are probably those that are idle. */
  end(isLost: boolean): void
}

/**
 * Leases the connections of a pool, which nothing else may use, and keeps them reserved between leases: to reserve one takes
 * longer than a short query. They go back to the pool only while a lease waits for it.
 */
export function keepConnections(pool: Pick<SQL, 'reserve'>): Connections {
  const idle: ReservedSQL[] = []
  let waiting = 0

  function lend(connection: ReservedSQL, isUsed: boolean): Lease {
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
      const kept = idle.pop()
      if (kept) return lend(kept, true)
      waiting++
      try {
        return lend(await pool.reserve(), false)
      } finally {
        waiting--
      }
    },
  }
}
