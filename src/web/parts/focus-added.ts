import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef } from 'preact/hooks'

interface AddedFocus<E extends HTMLElement> {
  /** For the list. */
  readonly list: RefObject<E | null>
  /** To be called before items are added at the end. */
  readonly expect: () => void
}

/**
 * For a list that grows when somebody asks for more: the first link of the first new item takes the focus, which the pressed button
 * loses, unless it has gone elsewhere meanwhile. `count` is the number of items.
 */
export function useAddedFocus<E extends HTMLElement>(count: number): AddedFocus<E> {
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
