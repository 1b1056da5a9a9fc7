import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { isNarrow } from './narrow.ts'

/** The mark of an entry of the history that stands for something that lies over the page. */
const MARK = 'overlay'

/** Functions that close the open overlays, the topmost last. */
const overlays: (() => void)[] = []
/** Whether this client goes back itself, to leave the entry of an overlay that has been closed. */
let isLeaving = false

/**
 * On phones the back key closes what lies over the page instead of leaving the page. For that the history has an entry
 * more while anything is open, one for all of it: a dialog may follow another, or lie over it.
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

/** Adds the entry, or leaves it. */
function matchHistory(): void {
  // Where a step back leads is known only after it.
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

/** A handler for links in such a thing. The next page takes its place in the history, so that one step back suffices. */
export function useLinkInPlace(): (event: MouseEvent) => void {
  const { route } = useLocation()
  return (event) => {
    const { currentTarget: link, ctrlKey, metaKey, shiftKey, altKey, button } = event
    if (!isOverlay() || !(link instanceof HTMLAnchorElement)) return
    if (ctrlKey || metaKey || shiftKey || altKey || button !== 0) return
    // The router would add an entry.
    event.preventDefault()
    event.stopPropagation()
    route(link.pathname + link.search, true)
  }
}

function isOverlay(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && MARK in state
}
