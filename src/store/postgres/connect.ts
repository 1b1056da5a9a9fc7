import { SQL } from 'bun'
import type { Timer } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { codeOf, messageOf } from '../../platform/unknown.ts'
import { UnusableDatabase } from '../migrations.ts'
import { type Connections, keepConnections } from './connections.ts'
import { isConnectionLoss, sqlState } from './errors.ts'
import { listPending, type Migration, migrate } from './migrate.ts'

/** Thrown if PostgreSQL does not answer. The same attempt may succeed later. */
export class UnreachableDatabase extends UnusableDatabase {}

/** Connections per process. Further work waits for one of them. */
const CONNECTIONS = 16
const CONNECT_SECONDS = 10
const ANSWER_MS = 10_000

/** Settings of each connection. They take precedence over those in the URL. */
const CONNECTION = {
  application_name: 'podstep',
  statement_timeout: '30s',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '60s',
  // The server detects within 10 seconds that this machine has fallen silent, and releases its locks.
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: '10s',
  // Statements name tables in the order of the joins, as for SQLite, and have an index for each step. Planning them
  // each time took longer than executing them, and chose bad plans before the first ANALYZE.
  plan_cache_mode: 'force_generic_plan',
  join_collapse_limit: 1,
  from_collapse_limit: 1,
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  random_page_cost: 1,
  jit: 'off',
}

interface PoolOptions {
  readonly max?: number
  /** Called with the reason when a connection has ended. */
  readonly onClose?: (error: unknown) => void
}

/** Creates a pool that connects on the first query. */
export function createConnections(
  url: Secret,
  { max = CONNECTIONS, onClose = () => undefined }: PoolOptions = {},
): SQL {
  return new SQL({
    url: url.reveal(),
    max,
    connectionTimeout: CONNECT_SECONDS,
    connection: CONNECTION,
    onclose: onClose,
  })
}

export interface OpenOptions {
  readonly url: Secret
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  readonly timer: Timer
  readonly migrations?: readonly Migration[]
  /** Refuse a database that is not up to date instead of migrating it: another process is using it. */
  readonly asItIs?: boolean
}

export interface OpenPostgres {
  readonly connections: Connections
  readonly applied: readonly string[]
  /** Closes all connections and aborts running queries. */
  close(): Promise<void>
}

/** Connects and applies pending migrations. Throws `UnusableDatabase` without changing anything. */
export async function openPostgres({ url, timer, asItIs = false, ...options }: OpenOptions): Promise<OpenPostgres> {
  const sql = createConnections(url)
  const connections = keepConnections(sql)
  const close = () => sql.end({ timeout: 0 })
  try {
    await withTimeout(sql`SELECT 1`, url, timer)
    if (!asItIs) return { connections, applied: await migrate(sql, options), close }
    if ((await withTimeout(listPending(sql, options), url, timer)).length > 0)
      throw new UnusableDatabase('the database has an older version and a server is using it; restart the server first')
    return { connections, applied: [], close }
  } catch (error) {
    await close()
    throw explain(error, url)
  }
}

/** Returns the result of a query that should take no time. Rejects with `UnusableDatabase`. */
export async function withTimeout<T>(query: PromiseLike<T>, url: Secret, timer: Timer): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const cancel = timer(ANSWER_MS, () =>
    reject(
      new UnreachableDatabase(
        `${serverOf(url)} takes longer than ${ANSWER_MS / 1000} seconds for an answer; look whether it is overloaded, or its network is`,
      ),
    ),
  )
  try {
    return await Promise.race([query, expired])
  } catch (error) {
    throw explain(error, url)
  } finally {
    cancel()
  }
}

/** Returns an error with the cause and the remedy, without the password of the URL. */
function explain(error: unknown, url: Secret): unknown {
  if (error instanceof UnusableDatabase) return error
  const { database, role } = partsOf(url)
  const server = serverOf(url)
  const reason = messageOf(error)
  const unusable = (text: string) => new UnusableDatabase(text, { cause: error })
  switch (sqlState(error)) {
    case '28P01':
    case '28000':
      return unusable(
        `${server} does not let ${role} in: ${reason}; correct user name and password in the setting database, or pg_hba.conf of the server`,
      )
    case '3D000':
      return unusable(
        `${server} has no database "${database}"; create it with "createdb --encoding UTF8 --template template0 ${database}" or correct the setting database`,
      )
    case '42501':
      return unusable(`${server} does not let ${role} use database "${database}": ${reason}; grant it that right`)
    case '53300':
      return new UnreachableDatabase(
        `${server} has no connection left: ${reason}; raise max_connections there (podstep takes up to ${CONNECTIONS + 1})`,
        { cause: error },
      )
    case '57P03':
      return new UnreachableDatabase(`${server} is not ready: ${reason}`, { cause: error })
  }
  if (codeOf(error) === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return unusable(`${server} offers no TLS; turn ssl on there, or correct sslmode in the setting database`)
  if (isConnectionLoss(error))
    return new UnreachableDatabase(
      `${server} does not answer: ${reason}; look whether it is running, and correct host and port in the setting database`,
      { cause: error },
    )
  return codeOf(error).startsWith('ERR_POSTGRES') || isTlsFailure(error)
    ? unusable(`database "${database}" cannot be used: ${server} says: ${reason} (setting database)`)
    : error
}

function isTlsFailure(error: unknown): boolean {
  return /CERT|TLS|SSL|UNABLE_TO/.test(codeOf(error))
}

export function serverOf(url: Secret): string {
  return `PostgreSQL at ${partsOf(url).host}`
}

/** Returns the parts of a URL that may be shown. */
export function partsOf(url: Secret): { readonly database: string; readonly host: string; readonly role: string } {
  const { host, pathname, searchParams, username } = new URL(url.reveal())
  return {
    database: decodeURIComponent(pathname.slice(1)),
    host: decodeURIComponent(host) || (searchParams.get('host') ?? 'localhost'),
    role: username === '' ? 'this user' : `role "${decodeURIComponent(username)}"`,
  }
}
