import { describe, expect, test } from 'bun:test'
import { adjacentIndex, capturesKeys, createKeyReader, PAGE_KEYS } from '../../src/web/hooks/use-key-commands.ts'

const NEXT = { kind: 'move', by: 1 } as const

/** What the last of some keys asks for; they come 100 ms apart. `Ctrl+` in front of one is for any modifier. */
function lastOf(keys: readonly string[], apart = 100): unknown {
  const read = createKeyReader()
  const commands = keys.map((key, index) =>
    read({ key: key.replace('Ctrl+', ''), at: 5000 + index * apart, hasModifier: key.startsWith('Ctrl+') }),
  )
  return commands.at(-1)
}

describe('keys', () => {
  test.each([
    ['the search', ['/'], { kind: 'search' }],
    ['the last message', ['u'], { kind: 'message' }],
    ['the list of them all', ['?'], { kind: 'help' }],
    ['the next item', ['j'], NEXT],
    ['the previous item', ['k'], { kind: 'move', by: -1 }],
    ['a page', ['g', 'd'], { kind: 'go', path: '/discover' }],
    ['a page for one who held Shift meanwhile', ['g', 'Shift', 'd'], { kind: 'go', path: '/discover' }],
    ['a page for one who began twice', ['g', 'g', 'h'], { kind: 'go', path: '/' }],
    ['a page after another', ['g', 'd', 'g', 'l'], { kind: 'go', path: '/listening' }],
    ['nothing: the letter of a page without g', ['d'], undefined],
    ['nothing: g alone', ['g'], undefined],
    ['nothing: a letter once g is used up', ['g', 'h', 'd'], undefined],
    ['nothing: a letter once g is given up', ['g', 'x', 'd'], undefined],
    ['what a key means without g, where it leads to no page', ['g', 'j'], NEXT],
    ['nothing: the browser’s own', ['Ctrl+/'], undefined],
    ['nothing: the browser’s own after g', ['g', 'Ctrl+d'], undefined],
    ['nothing: after g with a modifier', ['Ctrl+g', 'd'], undefined],
    ['nothing: a capital', ['J'], undefined],
    ['nothing: another key', ['Enter'], undefined],
    ['nothing: a name that every object has', ['constructor'], undefined],
  ])('lead to %s', (_, keys, expected) => {
    expect(lastOf(keys)).toEqual(expected)
  })

  test.each([
    ['in time', 1500, { kind: 'go', path: '/devices' }],
    ['too late', 1501, undefined],
  ])('g waits for its letter: %s', (_, apart, expected) => {
    expect(lastOf(['g', 's'], apart)).toEqual(expected)
  })

  test('no two pages have the same letter, and no page has that of g', () => {
    const letters = PAGE_KEYS.map(([letter]) => letter)
    expect(new Set<string>([...letters, 'g']).size).toBe(letters.length + 1)
  })
})

describe('keys are left to', () => {
  test.each([
    ['a line of text', { tagName: 'INPUT', type: 'text' }, true],
    ['a search box', { tagName: 'INPUT', type: 'search' }, true],
    ['a kind of input that is not known here', { tagName: 'INPUT', type: 'month' }, true],
    ['a text', { tagName: 'TEXTAREA', type: 'textarea' }, true],
    ['a choice', { tagName: 'SELECT', type: 'select-one' }, true],
    ['what can be edited', { tagName: 'DIV', isContentEditable: true }, true],
    ['no checkbox', { tagName: 'INPUT', type: 'checkbox' }, false],
    ['no radio button', { tagName: 'INPUT', type: 'radio' }, false],
    ['no button', { tagName: 'BUTTON', type: 'submit', isContentEditable: false }, false],
    ['no link', { tagName: 'A', type: '', isContentEditable: false }, false],
    ['no page', { tagName: 'BODY', isContentEditable: false }, false],
  ])('%s', (_, focused, expected) => {
    expect(capturesKeys(focused)).toBe(expected)
  })
})

describe('through the items of a list', () => {
  test.each([
    ['onwards', 1, 5, 1, 2],
    ['back', 3, 5, -1, 2],
    ['from outside to the first', -1, 5, 1, 0],
    ['from outside back to the last', -1, 5, -1, 4],
    ['not beyond the last', 4, 5, 1, 4],
    ['not before the first', 0, 5, -1, 0],
    ['nowhere without items', -1, 0, 1, -1],
    ['nowhere back without items', -1, 0, -1, -1],
  ] as const)('%s', (_, current, count, by, expected) => {
    expect(adjacentIndex(current, count, by)).toBe(expected)
  })
})
