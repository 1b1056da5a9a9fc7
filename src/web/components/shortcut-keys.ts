export interface Press {
  /** `KeyboardEvent.key`, which depends on the user's keyboard layout. */
  readonly key: string
  /** Milliseconds since an arbitrary fixed moment. */
  readonly at: number
  /** Whether Ctrl, Alt or Meta is held. Shift does not count because some layouts need it for `/` and `?`. */
  readonly hasModifier: boolean
}

export type Command =
  | { readonly kind: 'search' | 'help' | 'message' }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'player'; readonly key: PlayerKey }

/** Actions of the player that have a key. */
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

/** Pages in the order of the navigation: the letter to press after `g`, the path, and the name in the navigation. */
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

/** Pages missing from the navigation because the user menu or other pages link to them. */
export const OTHER_PAGE_KEYS = [
  ['a', '/account', 'account'],
  ['o', '/outlets', 'outlets'],
] as const

export const ALL_PAGE_KEYS = [...PAGE_KEYS, ...OTHER_PAGE_KEYS]

/** Milliseconds that `g` waits for a letter. */
const SECOND_KEY_MS = 1500

/** Returns a function that takes each key press in turn and returns its command, if any. */
export function createKeyReader(): (press: Press) => Command | undefined {
  let leaderAt = Number.NEGATIVE_INFINITY

  return ({ key, at, hasModifier }) => {
    const isSecond = at - leaderAt <= SECOND_KEY_MS
    // Shift causes an event of its own, which must not come between `g` and its letter.
    if (key === 'Shift') return undefined
    leaderAt = key === 'g' && !hasModifier ? at : Number.NEGATIVE_INFINITY
    if (hasModifier) return undefined
    const page = isSecond ? ALL_PAGE_KEYS.find(([letter]) => letter === key) : undefined
    return page ? { kind: 'go', path: page[1] } : COMMANDS.get(key)
  }
}

/** The focused element. */
interface Focused {
  /** Upper case, as in HTML documents. */
  readonly tagName: string
  readonly type?: unknown
  readonly isContentEditable?: unknown
}

const PRESSED_TYPES: readonly unknown[] = ['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image', 'range']

/** Whether the focused element needs the keys itself, to enter or select something. */
export function capturesKeys({ tagName, type, isContentEditable }: Focused): boolean {
  if (tagName === 'INPUT') return !PRESSED_TYPES.includes(type)
  return tagName === 'TEXTAREA' || tagName === 'SELECT' || isContentEditable === true
}

/** Whether browsers use a key to scroll or to press a control. It controls the player only if no control is focused. */
export function isBrowserKey(key: string): boolean {
  return key === ' ' || key.startsWith('Arrow')
}

/**
 * Returns the index next to `current` in a list of `count` items, or `current` at the end of the list. From outside the
 * list (-1), returns the first or last index; -1 if the list is empty.
 */
export function adjacentIndex(current: number, count: number, step: 1 | -1): number {
  if (current === -1) return step === 1 ? Math.min(0, count - 1) : count - 1
  return Math.min(count - 1, Math.max(0, current + step))
}
