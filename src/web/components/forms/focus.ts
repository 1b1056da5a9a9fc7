import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef } from 'preact/hooks'

interface FocusAdded<E extends HTMLElement> {
  /** For the list. */
  readonly list: RefObject<E | null>
  /** To be called before items are added at the end. */
  readonly expect: () => void
}

/**
 * For a list that grows when somebody asks for more: the first link of the first new item takes the focus, which the pressed button
 * loses, unless it has gone elsewhere meanwhile. `count` is the number of items.
 */
export function useFocusAdded<E extends HTMLElement>(count: number): FocusAdded<E> {
  const list = useRef<E>(null)
  const from = useRef<number | undefined>(undefined)
  useEffect(() => {
    const first = from.current
    if (first === undefined || count <= first) return undefined
    from.current = undefined
    const item = list.current?.children[first]
    // The browser takes the focus from a button that is gone or cannot be pressed when it next draws.
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document
      const isFree =
        activeElement === document.body || (activeElement instanceof HTMLButtonElement && activeElement.disabled)
      if (isFree) item?.querySelector('a')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [count])
  const expect = useCallback(() => {
    from.current = count
  }, [count])
  return { list, expect }
}

/** Gives the focus to something nearby when what had it is gone, so that nobody begins at the top of the page again. */
export function restoreFocus(element: HTMLElement | null | undefined): void {
  // The browser takes the focus from what can no longer have it when it next draws.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) element?.focus({ preventScroll: true })
  })
}

/** For an element with `tabIndex={-1}` that takes over a lost focus whenever `key` changes, but not while there is nothing that could have had it: no key. */
export function useRestoredFocus<E extends HTMLElement>(key: unknown) {
  const element = useRef<E>(null)
  useEffect(() => {
    if (key !== undefined) restoreFocus(element.current)
  }, [key])
  return element
}

/**
 * For a form: after a refusal the field to blame takes the focus. Without one the button takes back what it has lost while it was busy;
 * a field that the form was sent from has kept it.
 */
export function useErrorFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error === undefined) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const button = form.current?.querySelector<HTMLElement>('[type="submit"]')
    if (field) field.focus()
    else if (!form.current?.contains(document.activeElement)) button?.focus()
  }, [error])
  return form
}
