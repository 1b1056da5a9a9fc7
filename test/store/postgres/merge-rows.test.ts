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

const merged: readonly [what: string, given: readonly Given[], expected: readonly Given[]][] = [
  [
    'rows of one table',
    [
      [INSERT, 1, 'a'],
      [INSERT, 2, null],
    ],
    [[INSERTS, '[{"one":1,"other":"a"},{"one":2,"other":null}]']],
  ],
  [
    'updates of rows',
    [
      [UPDATE, 1, 'a'],
      [UPDATE, 2, 'b'],
    ],
    [[UPDATES, '[{"id":1,"other":"a"},{"id":2,"other":"b"}]']],
  ],
  [
    'each run of the same',
    [
      [INSERT, 1, 'a'],
      [INSERT, 2, 'b'],
      [UPDATE, 1, 'c'],
      [INSERT, 3, 'd'],
    ],
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
  ['a single row', [[INSERT, 1, 'a']]],
  ['rows with another statement between them', [[INSERT, 1, 'a'], ['SELECT 1'], [INSERT, 2, 'b']]],
  [
    'blobs, which JSON does not have',
    [
      [INSERT, 1, new Uint8Array(1)],
      [INSERT, 2, new Uint8Array(1)],
    ],
  ],
  [
    'two updates of a row',
    [
      [UPDATE, 1, 'a'],
      [UPDATE, 1, 'b'],
    ],
  ],
  [
    'rows that may not be inserted',
    [
      [IGNORING, 1, 'a'],
      [IGNORING, 2, 'b'],
    ],
  ],
  [
    'rows whose result is read',
    [
      [RETURNING, 1, 'a'],
      [RETURNING, 2, 'b'],
    ],
  ],
]
test.each(kept)('does not merge %s', (_, given) => {
  expect(mergeRows(toExecutions(given)).map(({ sql, params }): Given => [sql, ...params])).toEqual([...given])
})

test('each row has its own number of changes', () => {
  const [inserts] = mergeRows(
    toExecutions([
      [INSERT, 1, 'a'],
      [INSERT, 2, 'b'],
    ]),
  )
  expect(inserts?.members.map((member) => inserts.outcomeOf(member, { rows: [], changes: 2 }))).toMatchObject([
    { changes: 1 },
    { changes: 1 },
  ])
  const [updates] = mergeRows(
    toExecutions([
      [UPDATE, 1, 'a'],
      [UPDATE, 2, 'b'],
    ]),
  )
  expect(updates?.members.map((member) => updates.outcomeOf(member, { rows: [{ id: 2 }], changes: 1 }))).toMatchObject([
    { changes: 0 },
    { changes: 1 },
  ])
  const error = new Error('no')
  expect(updates?.members.map((member) => updates.outcomeOf(member, { error }))).toEqual([{ error }, { error }])
})
