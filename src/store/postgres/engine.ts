import type { ReservedSQL } from 'bun'
import { DomainError, serverStopping } from '../../domain/shared/errors.ts'
import type { Database, Lock, Snapshot, Value, WriteQueue } from '../engine.ts'
import type { Connections } from './connections.ts'
import { toPostgres } from './dialect.ts'
import { isConflict, isConnectionLoss, toDomainError } from './errors.ts'
import { mergeRows } from './merge-rows.ts'
import { createReplay, type Execution, type Outcome } from './replay.ts'

export interface Engine {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  /** Settles when no change is pending. */
  idle(): Promise<void>
  /** Rejects all later changes. */
  end(): void
  /** Number of changes that are waiting or running. */
  pending(): number
}

/** Statements that take the locks of accounts and server jobs. migrate.ts uses a different lock. */
const LOCKS = {
  accounts: 'SELECT pg_advisory_xact_lock(1886348403, 2)',
  // Locks a table that is otherwise only read. The first query of a transaction takes its snapshot, so the lock must
  // not be a query: the snapshot would be older than the lock.
  server: 'LOCK TABLE action_hash IN SHARE ROW EXCLUSIVE MODE',
}
const LOCK_USER = 'SELECT 1 FROM users WHERE id = ?1 FOR NO KEY UPDATE'

const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const WRITE = 'BEGIN'
/** Repeatable, so that a job of the server does not mark rows as done that were added after it read the others. */
const WRITE_OF_SERVER = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const DEFERRED = 'SET LOCAL synchronous_commit = off'

/** Attempts at a transaction that conflicts with others. */
const TRIES = 5
const WAITING_MAX = 20_000

/** Column types whose values the driver returns as text or as types that SQLite does not have. */
const TYPE = { boolean: 16, bytea: 17, bigint: 20, numeric: 1700 }

/**
 * The stores' database on PostgreSQL. Locks of PostgreSQL serialize changes of one user, of accounts and of server jobs
 * across processes. Changes of this process wait for each other in memory first, so that they hold no connections
 * meanwhile.
 */
export function createEngine(connections: Connections): Engine {
  const replay = createReplay(
    (text) => toPostgres(typeof text === 'string' ? text : text.postgres),
    toPostgres(LOCK_USER),
  )
  const last = new Map<NonNullable<Lock>, Promise<unknown>>()
  let pending = 0
  const idlers: (() => void)[] = []
  let hasEnded = false

  /** Executes `work` after all earlier work with the same lock. */
  function runInTurn<T>(lock: Lock, work: () => Promise<T>): Promise<T> {
    if (lock === null) return work()
    const before = last.get(lock) ?? Promise.resolve()
    const done = before.then(work, work)
    last.set(lock, done)
    const forget = () => {
      if (last.get(lock) === done) last.delete(lock)
    }
    done.then(forget, forget)
    return done
  }

  /** Executes `work` between `begin` and a commit. Waits for the commit if `isChange`. */
  async function transaction<T>(begin: readonly Execution[], isChange: boolean, work: () => T): Promise<T> {
    const { connection, isUsed, end } = await connections.lease()
    let rounds = 0
    let isCommitSent = false
    let isLost = false
    try {
      return await replay.run(work, async (executions, isLast) => {
        if (isLast && executions.length === 0 && rounds === 0) return
        const first = rounds++ === 0 ? begin.map((each) => ({ ...each })) : []
        // Sent together with the remaining statements. If one of them fails, PostgreSQL rolls back instead.
        const last = isLast ? [statement('COMMIT')] : []
        isCommitSent = isLast
        const all = [...first, ...executions, ...last]
        const done = executeAll(connection, all)
        // Reads need not wait for the end of their transaction.
        if (isLast && !isChange && executions.length === 0) return
        await done
        // After an error, PostgreSQL rejects all statements and turns a commit into a rollback without another error.
        for (const { outcome } of all) if (outcome && 'error' in outcome) throw outcome.error
      })
    } catch (error) {
      isLost = isConnectionLoss(error)
      // If this fails too, the connection is lost, and the transaction with it.
      if (rounds > 0 && !isCommitSent && !isLost) await connection.unsafe('ROLLBACK').catch(() => undefined)
      // The server may have closed an idle connection long ago. Retry once, on a new one.
      if (!isLost || isCommitSent || !isUsed) throw error
    } finally {
      end(isLost)
    }
    return transaction(begin, isChange, work)
  }

  async function change<T>(lock: Lock, isDeferred: boolean, work: () => T): Promise<T> {
    if (hasEnded) throw serverStopping()
    if (pending >= WAITING_MAX)
      throw new DomainError('unavailable', 'too many changes are waiting to be written', { retryAfter: 5 })
    pending++
    try {
      return await runInTurn(lock, async () => {
        for (let tries = 1; ; tries++)
          try {
            return await transaction(beginOf(lock, isDeferred), true, work)
          } catch (error) {
            if (!isConflict(error) || tries === TRIES) throw toDomainError(error)
          }
      })
    } finally {
      pending--
      if (pending === 0) for (const done of idlers.splice(0)) done()
    }
  }

  return {
    db: replay.db,
    snapshot: {
      read: (work) =>
        transaction([statement(READ)], false, work as () => unknown).catch((error) => {
          throw toDomainError(error)
        }) as never,
    },
    queue: {
      run: (lock, work) => change(lock, false, work as () => never),
      runDeferred: (lock, work) => change(lock, true, work as () => never),
    },
    async idle() {
      if (pending > 0) await new Promise<void>((resolve) => idlers.push(resolve))
    },
    end() {
      hasEnded = true
    },
    pending: () => pending,
  }
}

function statement(sql: string, params: readonly Value[] = []): Execution {
  return { sql, params, asArrays: false, outcome: undefined }
}

function beginOf(lock: Lock, isDeferred: boolean): Execution[] {
  const write = statement(lock === 'server' ? WRITE_OF_SERVER : WRITE)
  const begin = isDeferred ? [write, statement(DEFERRED)] : [write]
  if (lock === null) return begin
  if (typeof lock === 'string') return [...begin, statement(LOCKS[lock])]
  return [...begin, statement(toPostgres(LOCK_USER), [lock])]
}

/** Sends all statements at once and stores their outcomes. After an error, PostgreSQL rejects the rest. */
async function executeAll(connection: ReservedSQL, executions: readonly Execution[]): Promise<void> {
  await Promise.all(
    mergeRows(executions).map(async (merged) => {
      const outcome = await execute(connection, merged)
      for (const member of merged.members) member.outcome = merged.outcomeOf(member, outcome)
    }),
  )
}

async function execute(
  connection: ReservedSQL,
  { sql, params, asArrays }: Pick<Execution, 'sql' | 'params' | 'asArrays'>,
): Promise<Outcome> {
  try {
    const values = params.map((param) => toParam(param, sql))
    const query = values.length > 0 ? connection.unsafe(sql, values) : connection(templateOf(sql))
    const result = await (asArrays ? query.values() : query)
    toNumbers(result, asArrays)
    return { rows: result, changes: result.count }
  } catch (error) {
    return { error }
  }
}

const templates = new Map<string, TemplateStringsArray>()

/**
 * Returns a statement without parameters as a template literal. `unsafe` would use the simple protocol, for which Bun
 * waits for all earlier answers, so `BEGIN` and `COMMIT` would each cost a round trip.
 */
function templateOf(sql: string): TemplateStringsArray {
  let template = templates.get(sql)
  if (!template) {
    template = Object.defineProperty([sql], 'raw', { value: [sql] }) as unknown as TemplateStringsArray
    templates.set(sql, template)
  }
  return template
}

/**
 * Replaces NUL and lone surrogates, which PostgreSQL cannot store, by U+FFFD. Removing them would make `ole\0` find `ole`.
 */
export function toStorableText(text: string): string {
  return text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', REPLACEMENT).toWellFormed() : text
}

const REPLACEMENT = '\ufffd'

function toParam(param: Value, sql: string): Value {
  if (typeof param !== 'string') return param
  const text = toStorableText(param)
  return sql.includes('json') && text.includes('\\u') ? text.replace(ESCAPED, `$1${REPLACEMENT}`) : text
}

/** JSON escapes of NUL and surrogates, after an even number of backslashes. */
const ESCAPED = /((?:^|[^\\])(?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g

interface Result extends Array<unknown> {
  readonly columns?: readonly { readonly name: string; readonly type: number }[]
}

/** Converts values to the types that SQLite returns. */
export function toNumbers(result: Result, asArrays: boolean): void {
  for (const [n, { name, type }] of (result.columns ?? []).entries()) {
    const convert = CONVERSIONS.get(type)
    if (!convert) continue
    const key = asArrays ? n : name
    for (const row of result as Record<string | number, unknown>[]) if (row[key] !== null) row[key] = convert(row[key])
  }
}

const CONVERSIONS: ReadonlyMap<number, (value: unknown) => unknown> = new Map([
  [TYPE.bigint, Number],
  [TYPE.numeric, Number],
  [TYPE.boolean, Number],
  [TYPE.bytea, (value: unknown) => (value instanceof Uint8Array ? new Uint8Array(value) : value)],
])
