import { expect, test } from 'bun:test'
import { findRemoval } from '../../src/web/pages/home/removal.ts'

const TIME = Date.UTC(2026, 2, 4, 12) / 1000

const change = (added_count: number, removed_count: number, can_undo = true) => {
  return { time: TIME, added_count, removed_count, can_undo }
}

test.each([
  ['a new account', [], undefined],
  ['an app that has removed everything', [change(0, 6), change(6, 0)], 6],
  ['a change of no podcasts after it', [change(0, 0), change(0, 6)], 6],
  ['podcasts that were only added', [change(6, 0), change(0, 2)], undefined],
  ['what cannot be taken back', [change(0, 6, false)], undefined],
])('an empty Home tells what has removed its podcasts: %s', (_, changes, count) => {
  const removal = findRemoval(changes)
  expect(removal).toEqual(count === undefined ? undefined : { count, time: '2026-03-04T12:00:00' })
})
