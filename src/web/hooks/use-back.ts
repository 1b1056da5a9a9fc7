import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { isNarrow } from './narrow.ts'

/** The mark of an entry of the history that stands for something that lies over the page. */
const MARK = 'overlay'

/**
 * On phones the back key closes what lies over the page instead of leaving the page. For that it gets an entry of the
 * history while it is open.
 */
export function useBackToClose(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen || !isNarrow.value) return undefined
    const state: unknown = history.state
    history.pushState({ ...(typeof state === 'object' && state), [MARK]: true }, '')
    addEventListener('popstate', close)
    return () => {
      removeEventListener('popstate', close)
      if (isOverlay()) history.back()
    }
  }, [isOpen])
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
