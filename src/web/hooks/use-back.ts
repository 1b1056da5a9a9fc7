import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { isNarrow } from './narrow.ts'

/** Key in `history.state` that marks the entry of an overlay. */
const MARK = 'overlay'

/** Close functions of the open overlays, topmost last. */
const overlays: (() => void)[] = []
/** Set while the client itself goes back, to leave the entry of a closed overlay. */
let isLeaving = false

/**
 * Makes the back key on phones close an overlay instead of leaving the page. The history has one extra entry while any
 * overlay is open. Overlays share it, because a dialog may replace or cover another.
 */
export function useBackToClose(isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    if (!isOpen || !isNarrow.value) return undefined
    const own = () => latest.current()
    if (overlays.push(own) === 1) addEventListener('popstate', followHistory)
    matchHistory()
    return () => {
      overlays.splice(overlays.indexOf(own), 1)
      matchHistory()
    }
  }, [isOpen])
}

/** Adds the history entry, or goes back from it. */
function matchHistory(): void {
  // The result of `history.back()` is known only when `popstate` fires.
  if (isLeaving) return
  if (overlays.length > 0 && !isOverlay()) {
    const state: unknown = history.state
    history.pushState({ ...(typeof state === 'object' && state), [MARK]: true }, '')
  } else if (overlays.length === 0) {
    isLeaving = isOverlay()
    if (isLeaving) history.back()
    else removeEventListener('popstate', followHistory)
  }
}

function followHistory(): void {
  if (isLeaving) {
    isLeaving = false
    matchHistory()
  } else overlays.at(-1)?.()
}

/** Returns a handler for links in an overlay. The next page replaces the overlay's history entry. */
export function useLinkInPlace(): (event: MouseEvent) => void {
  const { route } = useLocation()
  return (event) => {
    const { currentTarget: link, ctrlKey, metaKey, shiftKey, altKey, button } = event
    if (!isOverlay() || !(link instanceof HTMLAnchorElement)) return
    if (ctrlKey || metaKey || shiftKey || altKey || button !== 0) return
    // Otherwise the router would add an entry.
    event.preventDefault()
    event.stopPropagation()
    route(link.pathname + link.search + link.hash, true)
  }
}

function isOverlay(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && MARK in state
}
