/** How far down a page was scrolled. */
export interface ScrollPosition {
  /** Pixels from the top of the page. */
  readonly y: number
  /** The list item that was visible; it may be elsewhere on the page when the user returns. */
  readonly item?: ItemPosition
}

export interface ItemPosition {
  /** The address of the item's link, by which it is found again. */
  readonly href: string
  /** Pixels from the top of the window. */
  readonly top: number
  readonly hadFocus: boolean
}

/** Remembers scroll positions for each entry of the browser's history while this tab is open. */
export interface ScrollPositions {
  /** To be called when the page of an entry is shown. Returns its position, or undefined if the entry is new. */
  restore(): ScrollPosition | undefined
  /** Saves the position of the page that is shown, which may be left next. */
  save(position: ScrollPosition): void
  /** A number saved with the entry, such as how many pages of a list it shows. */
  count(name: string): number | undefined
  setCount(name: string, count: number): void
}

interface ScrollPositionsOptions {
  readonly history: Pick<History, 'state' | 'replaceState'>
  /** The path of the current address. */
  readonly path: () => string
  /** Different for each load of the client, since keys in the history outlive it. */
  readonly prefix: string
}

interface HistoryEntry {
  position?: ScrollPosition
  readonly counts: Map<string, number>
}

/** The number of entries that are remembered. */
const ENTRIES_MAX = 100

export function createScrollPositions({ history, path, prefix }: ScrollPositionsOptions): ScrollPositions {
  const entries = new Map<string, HistoryEntry>()
  let shown: { readonly key: string; readonly path: string } | undefined
  let created = 0

  function mark(key: string): string {
    history.replaceState({ entry: key }, '')
    return key
  }

  function currentEntry(): HistoryEntry {
    const key = keyIn(history.state) ?? mark(`${prefix}.${created++}`)
    const entry = entries.get(key) ?? { counts: new Map() }
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= ENTRIES_MAX) break
      entries.delete(oldest)
    }
    shown = { key, path: path() }
    return entry
  }

  return {
    restore: () => currentEntry().position,
    save(position) {
      if (!shown) return
      // The router replaces the state of the entry, even when the page stays.
      if (keyIn(history.state) === undefined && path() === shown.path) mark(shown.key)
      const entry = entries.get(shown.key)
      if (entry) entry.position = position
    },
    count: (name) => entries.get(keyIn(history.state) ?? '')?.counts.get(name),
    setCount(name, count) {
      currentEntry().counts.set(name, count)
    },
  }
}

function keyIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('entry' in state)) return undefined
  return typeof state.entry === 'string' ? state.entry : undefined
}
