import { createScrollPositions, type ItemPosition, type ScrollPosition } from '../../store/scroll-positions.ts'

/** Milliseconds a list has to load again before its position is given up. */
const PATIENCE = 8000
/** Input that shows that the user wants to go elsewhere. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

export const scrollPositions = createScrollPositions({
  history,
  path: () => location.pathname,
  prefix: String(Date.now()),
})

/** Set while a position is being restored. */
let restoring: AbortController | undefined

// The browser would restore the position before the page has loaded its content.
history.scrollRestoration = 'manual'
for (const event of ['click', 'keydown', 'popstate']) addEventListener(event, savePosition, { capture: true })

/** For a page that is shown: scrolls to where the user left it, or to the top if it is new. */
export function restoreScroll(heading: HTMLElement | null): void {
  restoring?.abort()
  const position = scrollPositions.restore()
  if (!position) window.scrollTo(0, 0)
  else scrollBack(position, heading)
}

/** For a page that stays while its address changes: scrolls to where the user left it, if it has been visited. */
export function restoreScrollInPlace(): void {
  const position = scrollPositions.restore()
  if (position) scrollBack(position, null)
}

function savePosition({ type, target }: Event): void {
  if (restoring || (type === 'keydown' && target instanceof HTMLInputElement)) return
  const item = window.scrollY > 0 ? visibleItem() : undefined
  scrollPositions.save({ y: window.scrollY, ...(item && { item }) })
}

/** The list item that has the focus, or else the first visible one. */
function visibleItem(): ItemPosition | undefined {
  const { activeElement } = document
  const focused = activeElement instanceof HTMLAnchorElement && activeElement.matches('[data-item]')
  const item = focused ? activeElement : items().find((each) => topOf(each) >= 0)
  return item && { href: item.href, top: topOf(item), hadFocus: focused }
}

/** Scrolls once enough of the page is there, and keeps the item in place while the page grows, until user input. */
function scrollBack(position: ScrollPosition, heading: HTMLElement | null): void {
  const end = new AbortController()
  const { signal } = end
  const observer = new ResizeObserver(approach)
  restoring = end
  observer.observe(document.body)
  for (const event of USER_EVENTS) addEventListener(event, stop, { capture: true, signal })
  const timer = setTimeout(stop, PATIENCE)
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

/** Measures the list item, not the link: measuring its content would force a slow layout. */
function topOf(item: HTMLAnchorElement): number {
  return (item.closest('li') ?? item).getBoundingClientRect().top
}

function items(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('a[data-item]')]
}
