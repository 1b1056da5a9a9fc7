/** Where on a page somebody was. */
export interface ScrollPosition {
  /** Pixels from the top of the page. */
  readonly y: number
  /** What was to be seen there: it may stand elsewhere when the page comes back. */
  readonly item?: ItemPosition
}

export interface ItemPosition {
  /** Of its link. */
  readonly href: string
  /** Pixels from the top of the window. */
  readonly top: number
  readonly hadFocus: boolean
}

/** What is remembered for each entry of the browser's history while this tab is open. */
export interface ScrollPositions {
  /** The entry's page is there now. Returns where it was left; undefined for one that is new. */
  show(): ScrollPosition | undefined
  /** The page that is there may be left now. */
  save(spot: ScrollPosition): void
  /** How much of something the entry shows, such as pages of a list; undefined if nobody has said. */
  count(name: string): number | undefined
  setCount(name: string, count: number): void
}

interface ScrollPositionsOptions {
  readonly history: Pick<History, 'state' | 'replaceState'>
  /** Path of the address now. */
  readonly path: () => string
  /** Not the same for two loads of the client: keys in the history outlive it. */
  readonly prefix: string
}

interface HistoryEntry {
  position?: ScrollPosition
  readonly counts: Map<string, number>
}

/** Entries that are remembered; nobody goes back further. */
const ENTRIES_MAX = 100

export function createScrollPositions({ history, path, prefix }: ScrollPositionsOptions): ScrollPositions {
  const places = new Map<string, HistoryEntry>()
  let shown: { readonly key: string; readonly path: string } | undefined
  let made = 0

  function mark(key: string): string {
    history.replaceState({ place: key }, '')
    return key
  }

  function here(): HistoryEntry {
    const key = keyIn(history.state) ?? mark(`${prefix}.${made++}`)
    const place = places.get(key) ?? { counts: new Map() }
    places.set(key, place)
    for (const oldest of places.keys()) {
      if (places.size <= ENTRIES_MAX) break
      places.delete(oldest)
    }
    shown = { key, path: path() }
    return place
  }

  return {
    show: () => here().position,
    save(spot) {
      if (!shown) return
      // The router puts entries of its own in place of ours, also for a page that stays.
      if (keyIn(history.state) === undefined && path() === shown.path) mark(shown.key)
      const place = places.get(shown.key)
      if (place) place.position = spot
    },
    count: (name) => places.get(keyIn(history.state) ?? '')?.counts.get(name),
    setCount(name, count) {
      here().counts.set(name, count)
    },
  }
}

function keyIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('place' in state)) return undefined
  return typeof state.place === 'string' ? state.place : undefined
}
