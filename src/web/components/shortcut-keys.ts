export interface Press {
  /** `KeyboardEvent.key`: what the key writes in the user's layout. */
  readonly key: string
  /** Milliseconds since any fixed moment. */
  readonly at: number
  /** Whether Ctrl, Alt or Meta is held, as in the browser's own shortcuts. Some layouts need Shift for `/` and `?`. */
  readonly hasModifier: boolean
}

export type Command =
  | { readonly kind: 'search' | 'help' | 'message' }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'player'; readonly key: PlayerKey }

/** What keys do to the player. */
export type PlayerKey = 'toggle' | 'next' | 'back' | 'forward' | 'slower' | 'faster'

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['u', { kind: 'message' }],
  ['j', { kind: 'move', by: 1 }],
  ['k', { kind: 'move', by: -1 }],
  ['p', { kind: 'player', key: 'toggle' }],
  [' ', { kind: 'player', key: 'toggle' }],
  ['n', { kind: 'player', key: 'next' }],
  ['ArrowLeft', { kind: 'player', key: 'back' }],
  ['ArrowRight', { kind: 'player', key: 'forward' }],
  [',', { kind: 'player', key: 'back' }],
  ['.', { kind: 'player', key: 'forward' }],
  ['<', { kind: 'player', key: 'slower' }],
  ['>', { kind: 'player', key: 'faster' }],
])

/** The pages, in the order of the navigation: the letter to press after `g`, the path, and the name there. */
export const PAGE_KEYS = [
  ['h', '/', 'home'],
  ['n', '/inbox', 'inbox'],
  ['q', '/queue', 'queue'],
  ['d', '/discover', 'discover'],
  ['f', '/favorites', 'favorites'],
  ['l', '/listening', 'listening'],
  ['s', '/devices', 'devices'],
  ['c', '/connect', 'connect'],
  ['y', '/activity', 'activity'],
  ['t', '/transfer', 'transfer'],
] as const

/** Pages that the navigation leaves out, because they are reached from the person's menu or from other pages. */
export const OTHER_PAGE_KEYS = [
  ['a', '/account', 'account'],
  ['o', '/outlets', 'outlets'],
] as const

/** All pages with a letter. */
export const ALL_PAGE_KEYS = [...PAGE_KEYS, ...OTHER_PAGE_KEYS]

/** Milliseconds for which `g` waits for the letter. */
const PATIENCE = 1500

/** Returns a function that takes key presses one after the other and returns the command of each, if it has one. */
export function createKeyReader(): (press: Press) => Command | undefined {
  let leaderAt = Number.NEGATIVE_INFINITY

  return ({ key, at, hasModifier }) => {
    const isSecond = at - leaderAt <= PATIENCE
    // The Shift key is reported by itself, too, and must not come between `g` and its letter.
    if (key === 'Shift') return undefined
    leaderAt = key === 'g' && !hasModifier ? at : Number.NEGATIVE_INFINITY
    if (hasModifier) return undefined
    const page = isSecond ? ALL_PAGE_KEYS.find(([letter]) => letter === key) : undefined
    return page ? { kind: 'go', path: page[1] } : COMMANDS.get(key)
  }
}

/** The element that has the focus. */
interface Focused {
  /** In capitals, as HTML elements have it. */
  readonly tagName: string
  readonly type?: unknown
  readonly isContentEditable?: unknown
}

const PRESSED_TYPES: readonly unknown[] = ['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image', 'range']

/** Whether the focused element needs the keys itself, to write or choose something. */
export function capturesKeys({ tagName, type, isContentEditable }: Focused): boolean {
  if (tagName === 'INPUT') return !PRESSED_TYPES.includes(type)
  return tagName === 'TEXTAREA' || tagName === 'SELECT' || isContentEditable === true
}

/** Keys with which browsers scroll and press what has the focus: they are the player's only where nothing has it. */
export function isBrowserKey(key: string): boolean {
  return key === ' ' || key.startsWith('Arrow')
}

/**
 * The index next to `current` in a list of `count` items, without leaving the list. From outside of the list (-1) it is
 * the first or the last one; -1 if the list is empty.
 */
export function adjacentIndex(current: number, count: number, by: 1 | -1): number {
  if (current === -1) return by === 1 ? Math.min(0, count - 1) : count - 1
  return Math.min(count - 1, Math.max(0, current + by))
}
