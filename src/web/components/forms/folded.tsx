import { useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { number, t } from '../../locales/index.ts'
import { Button } from './button.tsx'
import { useFocusAdded } from './focus.ts'

interface Folded<T, E extends HTMLElement> {
  readonly shown: readonly T[]
  /** Ref for the list element. */
  readonly list: RefObject<E | null>
  /** Button that shows the rest; null if everything is shown. */
  readonly more: VNode | null
}

/** Shows the first items of a long list and a button for the rest. A rest of a single item is not folded. */
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
