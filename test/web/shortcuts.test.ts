import { expect, test } from 'bun:test'
import { ALL_PAGE_KEYS, adjacentIndex, capturesKeys, createKeyReader } from '../../src/web/components/shortcut-keys.ts'

const go = (path: string) => ({ kind: 'go', path })

/** The command of the last of some keys; `Ctrl+` stands for any modifier. */
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

test('g waits for its letter for a second and a half', () => {
  expect([commandOf('g s', 1500), commandOf('g s', 1501)]).toEqual([go('/devices'), undefined])
})

test('no two pages have the same letter, and none has g', () => {
  const letters = ALL_PAGE_KEYS.map(([letter]) => letter)
  expect(new Set<string>([...letters, 'g']).size).toBe(letters.length + 1)
})

test.each([
  [{ tagName: 'INPUT', type: 'text' }, true],
  [{ tagName: 'TEXTAREA' }, true],
  [{ tagName: 'DIV', isContentEditable: true }, true],
  [{ tagName: 'INPUT', type: 'checkbox' }, false],
  [{ tagName: 'BUTTON', type: 'submit', isContentEditable: false }, false],
])('%j needs the keys itself: %p', (focused, expected) => {
  expect(capturesKeys(focused)).toBe(expected)
})

test('the next item of a list is never beyond its ends', () => {
  expect([-1, 1, 4].map((current) => adjacentIndex(current, 5, 1))).toEqual([0, 2, 4])
  expect([-1, 0].map((current) => adjacentIndex(current, 5, -1))).toEqual([4, 0])
  expect(adjacentIndex(-1, 0, 1)).toBe(-1)
})
