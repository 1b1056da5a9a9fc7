import type { UserId } from '../../domain/shared/ids.ts'
import type { Changes, Database, Sql, Statement, Value } from '../engine.ts'

/** SQL that is asked for with parameters, and its outcome once it has been executed. */
export interface Execution {
  readonly sql: string
  readonly params: readonly Value[]
  /** Arrays of columns instead of objects. */
  readonly asArrays: boolean
  outcome: Outcome | undefined
}

/** Rows and how many were changed, or the error. */
export type Outcome = { readonly rows: unknown[]; readonly changes: number } | { readonly error: unknown }

/** A step that a call of work has taken: an execution, a value, or branches that do not need each other. */
type Entry = Execution | { readonly value: unknown; readonly end: number } | readonly Entry[][] | Loop

/** Results for the first items, and what the next one has asked for. */
interface Loop {
  readonly results: unknown[]
  entries: Entry[]
}

/** Thrown through work that cannot go on before an execution has its outcome. */
const WAIT = Symbol('wait')

interface Call {
  entries: Entry[]
  next: number
  /** Asked for and not yet executed. */
  readonly asked: Execution[]
}

export interface Replay {
  readonly db: Database
  /**
   * The result of `work`, which is called again and again: what it has asked for is executed, all of it at once, and the
   * next call gets the outcome. At last, `work` is complete, and there may be nothing left to execute. Rejects with what
   * `work` throws, or the first error of what is left.
   */
  run<T>(work: () => T, execute: (executions: readonly Execution[], isLast: boolean) => Promise<void>): Promise<T>
}

/**
 * Has synchronous work use a database that answers later. Work stops where it needs an outcome that is not there yet, and
 * is called from the start once it is, and gets the earlier outcomes as before. So it must ask the same each time
 * (`Snapshot` in engine.ts), which is checked. Changes whose number is not asked for are executed with what comes next.
 */
export function createReplay(translate: (sql: Sql) => string, lockUser: string): Replay {
  let current: Call | undefined

  function call(): Call {
    if (!current) throw new Error('a statement was executed outside work')
    return current
  }

  function ask(sql: string, params: readonly Value[], asArrays = false): Execution {
    const { entries, next, asked } = call()
    const known = entries[next]
    call().next++
    if (known === undefined) {
      const execution: Execution = { sql, params, asArrays, outcome: undefined }
      entries.push(execution)
      asked.push(execution)
      return execution
    }
    if (!('sql' in known) || known.sql !== sql) throw notTheSame(sql)
    return known
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
    const known = outer.entries[outer.next] ?? steps.map((): Entry[] => [])
    if (!Array.isArray(known) || known.length !== steps.length) throw notTheSame('steps together')
    const branches: Entry[][] = known
    outer.entries[outer.next++] = branches
    const results: unknown[] = []
    for (const [n, step] of steps.entries()) {
      current = { entries: branches[n] ?? [], next: 0, asked: outer.asked }
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
    const known = outer.entries[outer.next] ?? { results: [], entries: [] }
    if (!('results' in known)) throw notTheSame('a loop')
    const loop = known
    outer.entries[outer.next++] = loop
    const all = [...items]
    for (const item of all.slice(loop.results.length)) {
      current = { entries: loop.entries, next: 0, asked: outer.asked }
      try {
        loop.results.push(work(item))
        loop.entries = []
      } finally {
        current = outer
      }
    }
    // The results of the same `work`.
    return loop.results as Result[]
  }

  function once<T>(compute: () => T): T {
    const at = call()
    const place = at.next++
    const known = at.entries[place]
    if (known !== undefined && 'value' in known && known.end > 0) {
      at.next = known.end
      // The value of the same `compute`.
      return known.value as T
    }
    // What it asks for comes after it.
    at.entries[place] ??= { value: undefined, end: 0 }
    const value = compute()
    // Other work may have put into memory what it was waiting for, so that it has not asked again.
    at.entries.length = at.next
    at.entries[place] = { value, end: at.next }
    return value
  }

  const lock = statement(lockUser)
  return {
    db: {
      // The caller names the shape of its rows.
      prepare: (sql: Sql) => statement(translate(sql)) as never,
      // Each step names the type of its result.
      together: together as Database['together'],
      each,
      hold: (userId: UserId) => void lock.run(userId),
      once,
    },

    async run(work, execute) {
      const entries: Entry[] = []
      let asked: Execution[] = []
      for (;;) {
        current = { entries, next: 0, asked }
        let result: { readonly value: ReturnType<typeof work> } | undefined
        try {
          result = { value: work() }
        } catch (error) {
          if (error !== WAIT) throw error
        } finally {
          current = undefined
        }
        if (asked.length === 0 && !result) throw new Error('work waits for what it has not asked for')
        await execute(asked, result !== undefined)
        if (result) {
          for (const execution of asked) outcomeOf(execution)
          return result.value
        }
        asked = []
      }
    },
  }
}

function notTheSame(sql: string): Error {
  return new Error(`work asked for something else when it was called again: ${sql}`)
}
