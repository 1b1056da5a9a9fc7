import { expect, test } from 'bun:test'
import type { Value } from '../../../src/store/engine.ts'
import { mergeRows } from '../../../src/store/postgres/merge-rows.ts'

const INSERT = 'INSERT INTO pairs (one, other) VALUES ($1, $2)'
const INSERTS =
  'INSERT INTO pairs (one, other) SELECT one, other FROM json_populate_recordset(NULL::pairs, $1::text::json)'
const UPDATE = 'UPDATE pairs SET other = $2 WHERE id = $1'
const UPDATES =
  'UPDATE pairs SET other = row.other FROM json_populate_recordset(NULL::pairs, $1::text::json) row WHERE pairs.id = row.id RETURNING pairs.id'
const IGNORING = `${INSERT} ON CONFLICT DO NOTHING`
const RETURNING = `${INSERT} RETURNING id`

type Given = readonly [sql: string, ...params: Value[]]

const toExecutions = (given: readonly Given[]) =>
  given.map(([sql, ...params]) => ({ sql, params, asArrays: false, outcome: undefined }))

/** Executions of one statement, with a row of parameters each. */
const each = (sql: string, ...rows: Value[][]): Given[] => rows.map((row) => [sql, ...row])

const A = [1, 'a']
const B = [2, 'b']

const merged: readonly [what: string, given: readonly Given[], expected: readonly Given[]][] = [
  ['rows of one table', each(INSERT, A, [2, null]), each(INSERTS, ['[{"one":1,"other":"a"},{"one":2,"other":null}]'])],
  ['updates of rows', each(UPDATE, A, B), each(UPDATES, ['[{"id":1,"other":"a"},{"id":2,"other":"b"}]'])],
  [
    'consecutive executions of a statement',
    [...each(INSERT, A, B), [UPDATE, 1, 'c'], [INSERT, 3, 'd']],
    [
      [INSERTS, '[{"one":1,"other":"a"},{"one":2,"other":"b"}]'],
      [UPDATE, 1, 'c'],
      [INSERT, 3, 'd'],
    ],
  ],
]
test.each(merged)('merges %s', (_, given, expected) => {
  const all = mergeRows(toExecutions(given))
  expect(all.map(({ sql, params }): Given => [sql, ...params])).toEqual([...expected])
  expect(all.flatMap(({ members }) => [...members])).toEqual(toExecutions(given))
})

const kept: readonly [what: string, given: readonly Given[]][] = [
  ['a single row', each(INSERT, A)],
  ['rows with another statement between them', [...each(INSERT, A), ['SELECT 1'], ...each(INSERT, B)]],
  ['blobs, which JSON does not support', each(INSERT, [1, new Uint8Array(1)], [2, new Uint8Array(1)])],
  ['two updates of a row', each(UPDATE, A, [1, 'b'])],
  ['rows that may be ignored', each(IGNORING, A, B)],
  ['rows with a result', each(RETURNING, A, B)],
]
test.each(kept)('does not merge %s', (_, given) => {
  expect(mergeRows(toExecutions(given)).map(({ sql, params }): Given => [sql, ...params])).toEqual([...given])
})

test('each row has its own number of changes', () => {
  const outcomes = (sql: string, outcome: Parameters<ReturnType<typeof mergeRows>[0]['outcomeOf']>[1]) => {
    const [all] = mergeRows(toExecutions(each(sql, A, B)))
    return all?.members.map((member) => all.outcomeOf(member, outcome))
  }
  expect(outcomes(INSERT, { rows: [], changes: 2 })).toMatchObject([{ changes: 1 }, { changes: 1 }])
  expect(outcomes(UPDATE, { rows: [{ id: 2 }], changes: 1 })).toMatchObject([{ changes: 0 }, { changes: 1 }])
  const error = new Error('no')
  expect(outcomes(UPDATE, { error })).toEqual([{ error }, { error }])
})
