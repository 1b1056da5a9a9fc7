import type { UserId } from '../../domain/shared/ids.ts'
import type { Changes, Database, Sql, Statement, Value } from '../engine.ts'

/** A requested statement with its parameters, and its outcome once it has been executed. */
export interface Execution {
  readonly sql: string
  readonly params: readonly Value[]
  /** Return rows as arrays instead of objects. */
  readonly asArrays: boolean
  outcome: Outcome | undefined
}

/** Rows and the number of changed rows, or the error. */
export type Outcome = { readonly rows: unknown[]; readonly changes: number } | { readonly error: unknown }

/** A recorded step of work: an execution, a value, independent branches, or a loop. */
type Entry = Execution | { readonly value: unknown; readonly end: number } | readonly Entry[][] | Loop

/** Results of the finished items, and the entries of the current one. */
interface Loop {
  readonly results: unknown[]
  entries: Entry[]
}

/** Thrown to interrupt work until an execution has its outcome. */
const WAIT = Symbol('wait')

interface Call {
  entries: Entry[]
  next: number
  /** Requested but not yet executed. */
  readonly requested: Execution[]
}

export interface Replay {
  readonly db: Database
  /**
   * Calls `work` repeatedly until it completes, and returns its result. Between calls, `execute` runs all requested
   * statements at once, and the next call gets their outcomes. The last `execute` gets the remaining statements,
   * possibly none. Rejects with what `work` throws, or with the first error of the remaining statements.
   */
  run<T>(work: () => T, execute: (executions: readonly Execution[], isLast: boolean) => Promise<void>): Promise<T>
}

/**
 * Lets synchronous work use an asynchronous database. Work is interrupted where it needs an outcome that is not known
 * yet, and is called from the start once it is, with the earlier outcomes replayed. So it must execute the same
 * statements each time (`Snapshot` in engine.ts), which is checked. Writes do not interrupt work unless it reads
 * `changes`; they are sent with the next statements.
 */
export function createReplay(translate: (sql: Sql) => string, lockUser: string): Replay {
  let current: Call | undefined

  function call(): Call {
    if (!current) throw new Error('a statement was executed outside work')
    return current
  }

  function ask(sql: string, params: readonly Value[], asArrays = false): Execution {
    const { entries, next, requested } = call()
    const recorded = entries[next]
    call().next++
    if (recorded === undefined) {
      const execution: Execution = { sql, params, asArrays, outcome: undefined }
      entries.push(execution)
      requested.push(execution)
      return execution
    }
    if (!('sql' in recorded) || recorded.sql !== sql) throw notTheSame(sql)
    return recorded
  }

  function outcomeOf({ outcome }: Execution) {
    if (outcome === undefined) throw WAIT
    if ('error' in outcome) throw outcome.error
    return outcome
  }

  function statement(sql: string): Statement<unknown, Value[]> {
    return {
      get: (...params) => outcomeOf(ask(sql, params)).rows[0] ?? null,
      all: (...params) => [...outcomeOf(ask(sql, params)).rows],
      iterate: (...params) => outcomeOf(ask(sql, params)).rows,
      values: (...params) => outcomeOf(ask(sql, params, true)).rows as unknown[][],
      run(...params): Changes {
        const execution = ask(sql, params)
        if (execution.outcome) outcomeOf(execution)
        return {
          get changes() {
            return outcomeOf(execution).changes
          },
        }
      },
    }
  }

  function together(steps: readonly (() => unknown)[]): unknown[] {
    const outer = call()
    const recorded = outer.entries[outer.next] ?? steps.map((): Entry[] => [])
    if (!Array.isArray(recorded) || recorded.length !== steps.length) throw notTheSame('steps together')
    const branches: Entry[][] = recorded
    outer.entries[outer.next++] = branches
    const results: unknown[] = []
    for (const [n, step] of steps.entries()) {
      current = { entries: branches[n] ?? [], next: 0, requested: outer.requested }
      try {
        results.push(step())
      } catch (error) {
        if (error !== WAIT) throw error
      } finally {
        current = outer
      }
    }
    if (results.length < steps.length) throw WAIT
    return results
  }

  function each<Item, Result>(items: Iterable<Item>, work: (item: Item) => Result): Result[] {
    const outer = call()
    const recorded = outer.entries[outer.next] ?? { results: [], entries: [] }
    if (!('results' in recorded)) throw notTheSame('a loop')
    const loop = recorded
    outer.entries[outer.next++] = loop
    const all = [...items]
    for (const item of all.slice(loop.results.length)) {
      current = { entries: loop.entries, next: 0, requested: outer.requested }
      try {
        loop.results.push(work(item))
        loop.entries = []
      } finally {
        current = outer
      }
    }
    // Recorded by the same `work`.
    return loop.results as Result[]
  }

  function once<T>(compute: () => T): T {
    const at = call()
    const index = at.next++
    const recorded = at.entries[index]
    if (recorded !== undefined && 'value' in recorded && recorded.end > 0) {
      at.next = recorded.end
      // Recorded by the same `compute`.
      return recorded.value as T
    }
    // Reserves the place before the statements of `compute`.
    at.entries[index] ??= { value: undefined, end: 0 }
    const value = compute()
    // `compute` may have executed fewer statements this time, if other work has put the result into memory meanwhile.
    at.entries.length = at.next
    at.entries[index] = { value, end: at.next }
    return value
  }

  const lock = statement(lockUser)
  return {
    db: {
      // The caller declares the type of its rows.
      prepare: (sql: Sql) => statement(translate(sql)) as never,
      // Each step declares the type of its result.
      together: together as Database['together'],
      each,
      hold: (userId: UserId) => void lock.run(userId),
      once,
    },

    async run(work, execute) {
      const entries: Entry[] = []
      let requested: Execution[] = []
      for (;;) {
        current = { entries, next: 0, requested }
        let result: { readonly value: ReturnType<typeof work> } | undefined
        try {
          result = { value: work() }
        } catch (error) {
          if (error !== WAIT) throw error
        } finally {
          current = undefined
        }
        if (requested.length === 0 && !result) throw new Error('work waits for what it has not asked for')
        await execute(requested, result !== undefined)
        if (result) {
          for (const execution of requested) outcomeOf(execution)
          return result.value
        }
        requested = []
      }
    },
  }
}

function notTheSame(sql: string): Error {
  return new Error(`work asked for something else when it was called again: ${sql}`)
}
