import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef } from 'preact/hooks'

interface FocusAdded<E extends HTMLElement> {
  /** The list element. */
  readonly list: RefObject<E | null>
  /** Call this before items are added at the end. */
  readonly expect: () => void
}

/**
 * For a list with a “show more” button: when items are added, the first link of the first new item gets the focus that
 * the button loses, unless the user has moved it elsewhere. `count` is the number of items. `items` selects them where
 * they are not the children of the list; one with a `tabIndex` gets the focus itself.
 */
export function useFocusAdded<E extends HTMLElement>(count: number, items = ':scope > *'): FocusAdded<E> {
  const list = useRef<E>(null)
  const from = useRef<number | undefined>(undefined)
  useEffect(() => {
    const first = from.current
    if (first === undefined || count <= first) return undefined
    from.current = undefined
    const item = list.current?.querySelectorAll<HTMLElement>(items)[first]
    // Browsers take the focus from a removed or disabled button only when they draw the next frame.
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document
      const isFree =
        activeElement === document.body || (activeElement instanceof HTMLButtonElement && activeElement.disabled)
      if (!isFree) return
      if (item?.hasAttribute('tabindex')) item.focus()
      else item?.querySelector('a')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [count])
  const expect = useCallback(() => {
    from.current = count
  }, [count])
  return { list, expect }
}

/** Focuses an element if the focus was lost, so that keyboard users do not start at the top of the page again. */
export function restoreFocus(element: HTMLElement | null | undefined): void {
  // Browsers take the focus from a removed or disabled element only when they draw the next frame.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) element?.focus({ preventScroll: true })
  })
}

/** For an element with `tabIndex={-1}` that gets a lost focus when `key` changes to a value other than undefined. */
export function useRestoredFocus<E extends HTMLElement>(key: unknown) {
  const element = useRef<E>(null)
  useEffect(() => {
    if (key !== undefined) restoreFocus(element.current)
  }, [key])
  return element
}
