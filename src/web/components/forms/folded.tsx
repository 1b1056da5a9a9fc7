import { useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { number, t } from '../../locales/index.ts'
import { Button } from './button.tsx'
import { useFocusAdded } from './focus.ts'

interface Folded<T, E extends HTMLElement> {
  readonly shown: readonly T[]
  /** For the list element. */
  readonly list: RefObject<E | null>
  /** The button that shows the rest; null when there is none. */
  readonly more: VNode | null
}

/** Shows the first items of a list that may be long, and the others on a press. One more than that is shown at once. */
export function useFolded<T, E extends HTMLElement>(items: readonly T[], first: number): Folded<T, E> {
  const isAll = useSignal(false)
  const shown = isAll.value || items.length <= first + 1 ? items : items.slice(0, first)
  const { list, expect } = useFocusAdded<E>(shown.length)
  function showAll(): void {
    expect()
    isAll.value = true
  }
  const more =
    shown.length < items.length ? (
      <Button onClick={showAll}>{t('common.showAll', { n: number(items.length) })}</Button>
    ) : null
  return { shown, list, more }
}
