import type { Value } from '../engine.ts'
import type { Execution, Outcome } from './replay.ts'

/** A statement that stands for one or more executions. */
export interface Merged extends Pick<Execution, 'sql' | 'params' | 'asArrays'> {
  readonly members: readonly Execution[]
  /** Returns the outcome of one member, given that of the statement. */
  outcomeOf(member: Execution, outcome: Outcome): Outcome
}

const INSERT = /^INSERT INTO (\w+)\s*\(([^()]*)\)\s*VALUES \((\$\d+(?:, \$\d+)*)\)$/
const UPDATE = /^UPDATE (\w+) SET (\w+ = \$\d+(?:, \w+ = \$\d+)*) WHERE id = \$1$/

/** A statement for several rows, made from one for a single row. */
interface Merging {
  /** Its parameter is a JSON array of objects. */
  readonly sql: string
  /** Whether the first parameter is the `id` of the row, which it returns. One statement updates a row only once. */
  readonly isUpdate: boolean
  toRow(params: readonly Value[]): object
}

const ROWS_MAX = 1000

/** Merges consecutive equal statements that INSERT one row, or UPDATE one row by its `id`. */
export function mergeRows(executions: readonly Execution[]): Merged[] {
  const all: Merged[] = []
  for (let at = 0; at < executions.length; ) {
    const first = executions[at] as Execution
    const merging = mergingOf(first.sql)
    const members = merging ? sameFrom(executions, at, merging) : [first]
    if (merging && members.length > 1) {
      const rows = members.map(({ params }) => merging.toRow(params))
      const { sql, isUpdate } = merging
      const outcomeOf = isUpdate ? outcomeOfUpdate() : outcomeOfInsert
      all.push({ sql, params: [JSON.stringify(rows)], asArrays: false, members, outcomeOf })
    } else all.push({ ...first, members: [first], outcomeOf: (_, outcome) => outcome })
    at += Math.max(1, members.length)
  }
  return all
}

/** Returns the executions from `at` on that one statement can replace. */
function sameFrom(executions: readonly Execution[], at: number, { isUpdate }: Merging): Execution[] {
  const sql = executions[at]?.sql
  const ids = new Set<unknown>()
  const same: Execution[] = []
  while (same.length < ROWS_MAX) {
    const next = executions[at + same.length]
    if (!next || next.sql !== sql || !next.params.every(isJson)) break
    if (isUpdate && ids.has(next.params[0])) break
    ids.add(next.params[0])
    same.push(next)
  }
  return same
}

const isJson = (value: Value) => value === null || typeof value === 'string' || typeof value === 'number'

function outcomeOfInsert(_: Execution, outcome: Outcome): Outcome {
  return 'error' in outcome ? outcome : { rows: [], changes: 1 }
}

function outcomeOfUpdate(): Merged['outcomeOf'] {
  let updated: Set<unknown> | undefined
  return ({ params }, outcome) => {
    if ('error' in outcome) return outcome
    updated ??= new Set((outcome.rows as { readonly id: number }[]).map(({ id }) => id))
    return { rows: [], changes: Number(updated.has(params[0])) }
  }
}

const mergings = new Map<string, Merging | undefined>()

function mergingOf(sql: string): Merging | undefined {
  // Excludes the query builder, which writes lower case and builds some texts for a single execution.
  if (!sql.startsWith('INSERT') && !sql.startsWith('UPDATE')) return undefined
  if (!mergings.has(sql)) mergings.set(sql, parseInsert(sql) ?? parseUpdate(sql))
  return mergings.get(sql)
}

const rowsOf = (table: string) => `json_populate_recordset(NULL::${table}, $1::text::json)`

function parseInsert(sql: string): Merging | undefined {
  const [, table = '', columns = '', values = ''] = INSERT.exec(sql) ?? []
  if (table === '') return undefined
  return {
    sql: `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${rowsOf(table)}`,
    isUpdate: false,
    toRow: rowBuilder(columns.split(','), values.split(',')),
  }
}

function parseUpdate(sql: string): Merging | undefined {
  const [, table = '', assignments = ''] = UPDATE.exec(sql) ?? []
  if (table === '') return undefined
  const pairs = assignments.split(',').map((assignment) => assignment.split(' = '))
  const columns = pairs.map(([column = '']) => column.trim())
  const set = columns.map((column) => `${column} = row.${column}`).join(', ')
  return {
    sql: `UPDATE ${table} SET ${set} FROM ${rowsOf(table)} row WHERE ${table}.id = row.id RETURNING ${table}.id`,
    isUpdate: true,
    toRow: rowBuilder(['id', ...columns], ['$1', ...pairs.map(([, value = '']) => value)]),
  }
}

/** Returns a function that makes the object of a row from parameters, whose numbers are in `values`. */
function rowBuilder(columns: readonly string[], values: readonly string[]): Merging['toRow'] {
  const members = columns.map((column, n) => [column.trim(), Number(values[n]?.trim().slice(1)) - 1] as const)
  return (params) => Object.fromEntries(members.map(([column, place]) => [column, params[place]]))
}
