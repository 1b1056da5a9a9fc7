/** A key that was pressed, as far as shortcuts ask. */
export interface Press {
  /** As `KeyboardEvent.key` names it: what it writes, whatever the layout. */
  readonly key: string
  /** Milliseconds since some fixed moment. */
  readonly at: number
  /** Of Ctrl, Alt and Meta; the browser's own shortcuts have one. Some layouts write `/` and `?` with Shift. */
  readonly hasModifier: boolean
}

export type Command =
  | { readonly kind: 'search' | 'help' | 'message' }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  | { readonly kind: 'go'; readonly path: string }

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['u', { kind: 'message' }],
  ['j', { kind: 'move', by: 1 }],
  ['k', { kind: 'move', by: -1 }],
])

/** Paths of pages by the letter that follows `g`, with the names they have in the navigation. */
export const PAGE_KEYS = [
  ['h', '/', 'home'],
  ['d', '/discover', 'discover'],
  ['l', '/listening', 'listening'],
  ['s', '/devices', 'devices'],
  ['c', '/connect', 'connect'],
  ['u', '/upgrades', 'upgrades'],
  ['t', '/transfer', 'transfer'],
  ['a', '/account', 'account'],
] as const

/** Milliseconds for which `g` waits for its letter. */
const PATIENCE = 1500

/** Reads keys one after the other: returns what each asks for, if anything. */
export function createKeyReader(): (press: Press) => Command | undefined {
  let leaderAt = Number.NEGATIVE_INFINITY

  return ({ key, at, hasModifier }) => {
    const isSecond = at - leaderAt <= PATIENCE
    // Shift alone reports itself, too, and must not come between.
    if (key === 'Shift') return undefined
    leaderAt = key === 'g' && !hasModifier ? at : Number.NEGATIVE_INFINITY
    if (hasModifier) return undefined
    const page = isSecond ? PAGE_KEYS.find(([letter]) => letter === key) : undefined
    return page ? { kind: 'go', path: page[1] } : COMMANDS.get(key)
  }
}

/** What the browser knows of the element that has the focus. */
interface Focused {
  /** In capitals, as of HTML elements. */
  readonly tagName: string
  readonly type?: unknown
  readonly isContentEditable?: unknown
}

const PRESSED_TYPES: readonly unknown[] = ['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image']

/** Whether keys write or choose something there, so that they are no shortcuts. */
export function capturesKeys({ tagName, type, isContentEditable }: Focused): boolean {
  if (tagName === 'INPUT') return !PRESSED_TYPES.includes(type)
  return tagName === 'TEXTAREA' || tagName === 'SELECT' || isContentEditable === true
}

/** The item to go to from the `current` of `count` (-1: from outside, so to the first or last). It ends at the ends. -1 if there are none. */
export function adjacentIndex(current: number, count: number, by: 1 | -1): number {
  if (current === -1) return by === 1 ? Math.min(0, count - 1) : count - 1
  return Math.min(count - 1, Math.max(0, current + by))
}
