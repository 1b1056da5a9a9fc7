import './support/browser-globals.ts'
import { expect, test } from 'bun:test'
import { findRemoval } from '../../src/web/pages/home/removal.ts'

const NOW = Date.UTC(2026, 2, 4, 12) / 1000
const HOUR = 3600

type Change = Parameters<typeof findRemoval>[0][number]

function change(removed_count: number, fields: Partial<Change> & { readonly age?: number } = {}): Change {
  const { age = 0, ...rest } = fields
  return {
    ...{ id: NOW - age, time: NOW - age, device: 'phone', app: 'AntennaPod', kind: 'upload' },
    ...{ added_count: 0, removed_count, can_undo: true, ...rest },
  }
}

const wiped = change(40, { kind: 'replace' })
const added = (age = 0) => change(0, { added_count: 6, age })

test.each<[name: string, changes: readonly Change[], left: number, count: number | undefined]>([
  ['an empty account', [], 0, undefined],
  ['all podcasts', [change(2), added(9)], 0, 2],
  ['all but one', [wiped, added(9)], 1, 40],
  ['many of more', [change(5)], 400, 5],
  ['a third of a few', [change(2)], 4, 2],
  ['fewer than that', [change(2)], 5, undefined],
  ['one of two', [change(1)], 1, undefined],
  ['many, one by one', [1, 2, 3, 4, 5].map((n) => change(1, { age: n * HOUR })), 20, 5],
  ['a few each day', [0, 1, 2, 3, 4].map((n) => change(1, { age: n * 24 * HOUR })), 20, undefined],
  ['many on two devices', [change(3), change(3, { device: 'desk', age: 60 })], 20, 6],
  ['many, before a small removal', [change(1), change(9, { age: 2 * HOUR })], 20, 9],
  ['many last week', [change(40, { age: 8 * 24 * HOUR })], 20, undefined],
  [
    'many that were restored',
    [change(0, { added_count: 40, kind: 'restore' }), change(40, { age: 60 })],
    41,
    undefined,
  ],
  ['many that were replaced', [change(40, { added_count: 40 })], 40, undefined],
  ['many in a browser', [change(40, { app: 'Firefox on Linux' })], 3, undefined],
  ['many with their device', [change(40, { kind: 'device', can_undo: false })], 3, undefined],
  ['many that cannot be restored', [change(40, { can_undo: false })], 3, undefined],
])('the removals by apps that Home reports: %s', (_, changes, left, count) => {
  expect(findRemoval(changes, left, NOW)?.count).toBe(count)
})

test('podcasts are restored to the time before the first removal, on all affected devices', () => {
  const first = change(3, { age: 60 })
  const [one, both] = [
    [change(3), first],
    [change(3), change(3, { device: 'desk', age: 30 }), first],
  ]
  expect(findRemoval(one, 20, NOW)).toEqual({
    ...{ id: NOW, count: 6, time: '2026-03-04T12:00:00', hasOthers: false },
    before: { device: 'phone', time: NOW - 61 },
  })
  expect(findRemoval(both, 20, NOW)?.before).toEqual({ device: null, time: NOW - 61 })
})

test.each([
  ['later', added(30), true],
  ['in the same second', added(60), true],
  ['before', added(61), false],
])('another change %s is reverted as well: %p', (_, other, hasOthers) => {
  const changes = [change(3), other, change(3, { age: 60 })].toSorted((a, b) => b.time - a.time)
  expect(findRemoval(changes, 20, NOW)?.hasOthers).toBe(hasOthers)
})
