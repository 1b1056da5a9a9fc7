import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef } from 'preact/hooks'

interface FocusAdded<E extends HTMLElement> {
  readonly list: RefObject<E | null>
  /** Call this before items are added at the end. */
  readonly expect: () => void
}

/**
 * For a list with a “show more” button: when items are added and the button loses the focus, focuses the first new item
 * if it has a `tabIndex`, otherwise its first link. Does nothing if the user has moved the focus elsewhere. `count` is
 * the number of items. `items` is the selector of items that are not children of the list.
 */
export function useFocusAdded<E extends HTMLElement>(count: number, items = ':scope > *'): FocusAdded<E> {
  const list = useRef<E>(null)
  const from = useRef<number | undefined>(undefined)
  useEffect(() => {
    const first = from.current
    if (first === undefined || count <= first) return undefined
    from.current = undefined
    const item = list.current?.querySelectorAll<HTMLElement>(items)[first]
    // A removed or disabled button loses the focus only when the browser renders the next frame.
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

/** Focuses an element if the focus was lost, so that keyboard users do not return to the top of the page. */
export function restoreFocus(element: HTMLElement | null | undefined): void {
  // A removed or disabled element loses the focus only when the browser renders the next frame.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) element?.focus({ preventScroll: true })
  })
}

/** Moves a lost focus to an element with `tabIndex={-1}` when `key` changes to a defined value. Returns its ref. */
export function useRestoredFocus<E extends HTMLElement>(key: unknown) {
  const element = useRef<E>(null)
  useEffect(() => {
    if (key !== undefined) restoreFocus(element.current)
  }, [key])
  return element
}
