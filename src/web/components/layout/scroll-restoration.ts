import { createScrollPositions, type ItemPosition, type ScrollPosition } from '../../store/scroll-positions.ts'

/** Milliseconds for which a list may take to be there again. */
const PATIENCE = 8000
/** What somebody does who does not wait for it. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

export const scrollPositions = createScrollPositions({
  history,
  path: () => location.pathname,
  prefix: String(Date.now()),
})

/** Not undefined while the way back to a spot is not over. */
let restoring: AbortController | undefined

// The browser would go back before what was there is there again.
history.scrollRestoration = 'manual'
for (const event of ['click', 'keydown', 'popstate']) addEventListener(event, savePosition, { capture: true })

/** For the page that has just come: goes to where it was left, or to the top. */
export function restoreScroll(heading: HTMLElement | null): void {
  restoring?.abort()
  const spot = scrollPositions.show()
  if (!spot) window.scrollTo(0, 0)
  else returnTo(spot, heading)
}

/** For a page that stays while its address changes: goes to where it was left, if it was. */
export function restoreScrollInPlace(): void {
  const spot = scrollPositions.show()
  if (spot) returnTo(spot, null)
}

function savePosition({ type, target }: Event): void {
  if (restoring || (type === 'keydown' && target instanceof HTMLInputElement)) return
  const item = window.scrollY > 0 ? visibleItem() : undefined
  scrollPositions.save({ y: window.scrollY, ...(item && { item }) })
}

/** The one with the focus, or the first to be seen. */
function visibleItem(): ItemPosition | undefined {
  const { activeElement } = document
  const focused = activeElement instanceof HTMLAnchorElement && activeElement.matches('[data-item]')
  const item = focused ? activeElement : items().find((each) => topOf(each) >= 0)
  return item && { href: item.href, top: topOf(item), hadFocus: focused }
}

/** As soon as there is enough of the page; what is still moving is followed until somebody does something. */
function returnTo(spot: ScrollPosition, heading: HTMLElement | null): void {
  const end = new AbortController()
  const { signal } = end
  const observer = new ResizeObserver(approach)
  restoring = end
  observer.observe(document.body)
  for (const deed of USER_EVENTS) addEventListener(deed, stop, { capture: true, signal })
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
    const item = spot.item && items().find(({ href }) => href === spot.item?.href)
    if (item && spot.item) {
      window.scrollBy(0, topOf(item) - spot.item.top)
      if (spot.item.hadFocus && document.activeElement === heading) item.focus({ preventScroll: true })
    } else if (document.documentElement.scrollHeight >= spot.y + window.innerHeight) window.scrollTo(0, spot.y)
  }
}

/** Of the whole item: what is within it has no place before it has been in sight, and giving it one takes long. */
function topOf(item: HTMLAnchorElement): number {
  return (item.closest('li') ?? item).getBoundingClientRect().top
}

function items(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('a[data-item]')]
}
