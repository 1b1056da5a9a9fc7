import type { PostgresFacts } from '../../domain/server/doctor.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { createConnections, withTimeout } from './connect.ts'
import { type Connections, keepConnections } from './connections.ts'
import { listPending } from './migrate.ts'

/** `left` considers all databases, which share the server's connections. */
const FACTS = `
  SELECT current_setting('server_version') AS version,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - (SELECT COALESCE(sum(numbackends), 0) FROM pg_stat_database)::int AS left,
         extract(epoch FROM clock_timestamp())::float8 AS now,
         (SELECT COALESCE(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
           WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off') AS off`

interface FactRow {
  readonly version: string
  readonly left: number
  readonly now: number
  readonly off: string
}

export async function readFacts(connections: Connections, clock: Clock): Promise<PostgresFacts> {
  const { connection, end } = await connections.lease()
  let isLost = true
  try {
    const [row] = await connection.unsafe<FactRow[]>(FACTS)
    if (!row) throw new Error('PostgreSQL returned no row for a SELECT of settings')
    const secondsApart = Math.round(Math.abs(row.now - clock.seconds()))
    const start = clock.monotonic()
    await connection.unsafe('SELECT 1')
    const roundTripMs = Math.round((clock.monotonic() - start) * 10) / 10
    isLost = false
    return { version: row.version, off: row.off, connectionsLeft: row.left, secondsApart, roundTripMs }
  } finally {
    end(isLost)
  }
}

interface ConnectingOptions {
  readonly version: string
  readonly clock: Clock
  readonly timer: Timer
}

/** Reads the facts without a running server. Rejects with `UnusableDatabase` if no server could use the database. */
export async function connectForFacts(
  url: Secret,
  { version, clock, timer }: ConnectingOptions,
): Promise<PostgresFacts> {
  const sql = createConnections(url, { max: 1 })
  try {
    await withTimeout(listPending(sql, { version }), url, timer)
    return await withTimeout(readFacts(keepConnections(sql), clock), url, timer)
  } finally {
    await sql.end({ timeout: 0 })
  }
}
