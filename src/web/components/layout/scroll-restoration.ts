interface ScrollPosition {
  /** Pixels from the top of the page. */
  readonly y: number
  /** The list item that was visible; it may be elsewhere on the page when the user returns. */
  readonly item?: ItemPosition
}

interface ItemPosition {
  /** Address of the item's link; identifies the item when the user returns. */
  readonly href: string
  /** Pixels from the top of the window. */
  readonly top: number
  readonly hadFocus: boolean
}

/** State of an entry of the browser history, kept while this tab is open. */
interface HistoryEntry {
  position?: ScrollPosition
  /** Number of list pages shown. */
  listPages?: number
}

const ENTRIES_MAX = 100
/** Unique per load of the client, because keys in the history outlive it. */
const PREFIX = String(Date.now())

/** Milliseconds to wait for a list to reload before giving up its position. */
const RESTORE_TIMEOUT_MS = 8000
/** Input that cancels the restoration. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

const entries = new Map<string, HistoryEntry>()
let shown: { readonly key: string; readonly path: string } | undefined
let created = 0

/** Set while a position is being restored. */
let restoring: AbortController | undefined

// The browser would restore the position before the page has loaded its content.
history.scrollRestoration = 'manual'
for (const event of ['click', 'keydown', 'popstate']) addEventListener(event, savePosition, { capture: true })

/** Scrolls a newly shown page to its saved position, or to the top if it has none. */
export function restoreScroll(heading: HTMLElement | null): void {
  restoring?.abort()
  const { position } = currentEntry()
  if (!position) window.scrollTo(0, 0)
  else scrollBack(position, heading)
}

/** Restores the saved position, if any, after the address of the current page changed. */
export function restoreScrollInPlace(): void {
  const { position } = currentEntry()
  if (position) scrollBack(position, null)
}

function savePosition({ type, target }: Event): void {
  if (restoring || (type === 'keydown' && target instanceof HTMLInputElement)) return
  if (!shown) return
  const item = window.scrollY > 0 ? visibleItem() : undefined
  // The router replaces the state of the entry, even when the page stays.
  if (currentKey() === undefined && location.pathname === shown.path) mark(shown.key)
  const entry = entries.get(shown.key)
  if (entry) entry.position = { y: window.scrollY, ...(item && { item }) }
}

/** Returns the saved number of list pages; `undefined` for a new page. */
export function listPages(): number | undefined {
  return entries.get(currentKey() ?? '')?.listPages
}

export function saveListPages(count: number): void {
  currentEntry().listPages = count
}

function currentEntry(): HistoryEntry {
  const key = currentKey() ?? mark(`${PREFIX}.${created++}`)
  const entry = entries.get(key) ?? {}
  entries.set(key, entry)
  for (const oldest of entries.keys()) {
    if (entries.size <= ENTRIES_MAX) break
    entries.delete(oldest)
  }
  shown = { key, path: location.pathname }
  return entry
}

function mark(key: string): string {
  history.replaceState({ entry: key }, '')
  return key
}

function currentKey(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('entry' in state)) return undefined
  return typeof state.entry === 'string' ? state.entry : undefined
}

/** Returns the focused list item, or else the first visible one. */
function visibleItem(): ItemPosition | undefined {
  const { activeElement } = document
  const focused = activeElement instanceof HTMLAnchorElement && activeElement.matches('[data-item]')
  const item = focused ? activeElement : items().find((each) => topOf(each) >= 0)
  return item && { href: item.href, top: topOf(item), hadFocus: focused }
}

/** Scrolls once enough of the page has loaded, and keeps the item in place while the page grows, until user input. */
function scrollBack(position: ScrollPosition, heading: HTMLElement | null): void {
  const end = new AbortController()
  const { signal } = end
  const observer = new ResizeObserver(approach)
  restoring = end
  observer.observe(document.body)
  for (const event of USER_EVENTS) addEventListener(event, stop, { capture: true, signal })
  const timer = setTimeout(stop, RESTORE_TIMEOUT_MS)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
    if (restoring === end) restoring = undefined
  })

  function stop(): void {
    end.abort()
  }

  function approach(): void {
    const item = position.item && items().find(({ href }) => href === position.item?.href)
    if (item && position.item) {
      window.scrollBy(0, topOf(item) - position.item.top)
      if (position.item.hadFocus && document.activeElement === heading) item.focus({ preventScroll: true })
    } else if (document.documentElement.scrollHeight >= position.y + window.innerHeight) window.scrollTo(0, position.y)
  }
}

/** Measures the list item instead of the link, because measuring its content would force a slow layout. */
function topOf(item: HTMLAnchorElement): number {
  return (item.closest('li') ?? item).getBoundingClientRect().top
}

function items(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('a[data-item]')]
}
