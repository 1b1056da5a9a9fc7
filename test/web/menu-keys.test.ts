import { expect, test } from 'bun:test'
import { itemByKey } from '../../src/web/components/forms/menu-keys.ts'

const ITEMS = ['Account', 'Light', 'Dark', 'Deutsch', ' Sign out']

test.each([
  ['ArrowDown', 4, 0],
  ['ArrowDown', -1, 0],
  ['ArrowRight', 1, 2],
  ['ArrowUp', 0, 4],
  ['ArrowUp', -1, 4],
  ['ArrowLeft', 3, 2],
  ['Home', 3, 0],
  ['End', 0, 4],
  ['d', 0, 2],
  ['D', 2, 3],
  ['d', 3, 2],
  ['s', -1, 4],
  ['x', 0, undefined],
  ['Enter', 0, undefined],
])('in a menu %s leads from item %i to %p', (key, current, expected) => {
  expect(itemByKey(key, current, ITEMS)).toBe(expected)
})

test('a menu without items has nowhere to go', () => {
  expect(itemByKey('ArrowDown', -1, [])).toBeUndefined()
})
