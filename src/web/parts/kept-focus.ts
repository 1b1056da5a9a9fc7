import { useEffect, useRef } from 'preact/hooks'

/** Gives the focus to something nearby when what had it is gone, so that nobody begins at the top of the page again. */
export function regainFocus(element: HTMLElement | null | undefined): void {
  // The browser takes the focus from what can no longer have it when it next draws.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) element?.focus({ preventScroll: true })
  })
}

/** For an element with `tabIndex={-1}` that takes over a lost focus whenever `key` changes, but not while there is nothing that could have had it: no key. */
export function useKeptFocus<E extends HTMLElement>(key: unknown) {
  const element = useRef<E>(null)
  useEffect(() => {
    if (key !== undefined) regainFocus(element.current)
  }, [key])
  return element
}
