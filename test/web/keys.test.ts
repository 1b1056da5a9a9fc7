import { expect, test } from 'bun:test'
import { itemByKey } from '../../src/web/components/forms/menu-keys.ts'
import { placeByKey } from '../../src/web/components/layout/roving-keys.ts'
import { ALL_PAGE_KEYS, adjacentIndex, capturesKeys, createKeyReader } from '../../src/web/components/shortcut-keys.ts'

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
])('in a menu %s moves from item %i to %p', (key, current, expected) => {
  expect(itemByKey(key, current, ITEMS)).toBe(expected)
})

test('an empty menu has no item to move to', () => {
  expect(itemByKey('ArrowDown', -1, [])).toBeUndefined()
})

/** The controls of three cards. */
const COUNTS = [3, 3, 1]

const at = (place: string) => {
  const [card = 0, control = 0] = place.split('.').map(Number)
  return { card, control }
}

test.each([
  ['ArrowRight', '0.2', '1.2'],
  ['ArrowRight', '1.2', '2.0'],
  ['ArrowRight', '2.0', undefined],
  ['ArrowLeft', '2.0', '1.0'],
  ['ArrowLeft', '0.1', undefined],
  ['ArrowDown', '0.0', '0.1'],
  ['ArrowDown', '0.2', undefined],
  ['ArrowUp', '1.2', '1.1'],
  ['ArrowUp', '1.0', undefined],
  ['Home', '2.0', '0.0'],
  ['End', '0.1', '2.0'],
  ['Enter', '0.0', undefined],
])('in a carousel %s moves from %s to %p', (key, from, to) => {
  expect(placeByKey(key, at(from), COUNTS, false)).toEqual(to === undefined ? undefined : at(to))
})

test.each([
  ['ArrowLeft', '0.1', '1.1'],
  ['ArrowRight', '1.1', '0.1'],
])('in a right-to-left carousel %s moves from %s to %s', (key, from, to) => {
  expect(placeByKey(key, at(from), COUNTS, true)).toEqual(at(to))
})

test('a card without controls is skipped', () => {
  expect(placeByKey('ArrowRight', at('0.0'), [1, 0], false)).toBeUndefined()
})

const go = (path: string) => ({ kind: 'go', path })

/** The command of the last key; `Ctrl+` stands for any modifier. */
function commandOf(keys: string, apart = 100): unknown {
  const read = createKeyReader()
  const press = (key: string, index: number) =>
    read({ key: key.replace('Ctrl+', ''), at: 5000 + index * apart, hasModifier: key.startsWith('Ctrl+') })
  return keys.split(' ').map(press).at(-1)
}

test.each([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['j', { kind: 'move', by: 1 }],
  ['g d', go('/discover')],
  ['g Shift d', go('/discover')],
  ['g d g l', go('/listening')],
  ['g j', { kind: 'move', by: 1 }],
  ['g h d', undefined],
  ['Ctrl+/', undefined],
  ['g Ctrl+d', undefined],
  ['constructor', undefined],
])('%s is %j', (keys, expected) => {
  expect(commandOf(keys)).toEqual(expected)
})

test('g waits a second and a half for its letter', () => {
  expect([commandOf('g s', 1500), commandOf('g s', 1501)]).toEqual([go('/devices'), undefined])
})

test('each page has its own letter, other than g', () => {
  const letters = ALL_PAGE_KEYS.map(([letter]) => letter)
  expect(new Set<string>([...letters, 'g']).size).toBe(letters.length + 1)
})

test.each([
  [{ tagName: 'INPUT', type: 'text' }, true],
  [{ tagName: 'TEXTAREA' }, true],
  [{ tagName: 'DIV', isContentEditable: true }, true],
  [{ tagName: 'INPUT', type: 'checkbox' }, false],
  [{ tagName: 'BUTTON', type: 'submit', isContentEditable: false }, false],
])('%j captures keys: %p', (focused, expected) => {
  expect(capturesKeys(focused)).toBe(expected)
})

test('moving in a list stops at its ends', () => {
  expect([-1, 1, 4].map((current) => adjacentIndex(current, 5, 1))).toEqual([0, 2, 4])
  expect([-1, 0].map((current) => adjacentIndex(current, 5, -1))).toEqual([4, 0])
  expect(adjacentIndex(-1, 0, 1)).toBe(-1)
})
