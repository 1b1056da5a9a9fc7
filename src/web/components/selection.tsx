import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { isNarrow } from '../hooks/narrow.ts'
import { t } from '../locales/index.ts'
import { attempt } from './feedback/notice.tsx'
import { Button } from './forms/button.tsx'

/** Keys of the selected list items; `undefined` unless the user is selecting. */
export type Selection = Signal<ReadonlySet<string> | undefined>

/** Selects or deselects an item. */
export function toggleSelected(selection: Selection, key: string): void {
  const next = new Set(selection.value)
  if (!next.delete(key)) next.add(key)
  selection.value = next
}

/** Button that starts or ends the selection. */
export function SelectButton({ selection }: { readonly selection: Selection }) {
  return (
    <Button
      kind="quiet"
      icon="select"
      {...(isNarrow.value && { label: t('common.selection.begin') })}
      aria-pressed={selection.value !== undefined}
      onClick={() => {
        selection.value = selection.value ? undefined : new Set()
      }}
    >
      {!isNarrow.value && t('common.selection.begin')}
    </Button>
  )
}

interface SelectionBarProps {
  readonly count: number
  /** Whether all listed items are selected. */
  readonly hasAll: boolean
  /** Selects all listed items, or deselects them if all are selected. */
  readonly onToggleAll: () => void
  readonly onEnd: () => void
  /** Buttons that act on the selected items. `actionOf` returns the properties of each button. */
  readonly children: (actionOf: ActionOf) => ComponentChildren
}

/** Returns the properties of a button that runs `work`, and shows a message if it fails. */
type ActionOf = (work: () => Promise<unknown>) => {
  readonly isBusy: boolean
  readonly disabled: boolean
  readonly onClick: () => Promise<void>
}

/** Number of selected items and the actions on them. Only one action runs at a time. Escape ends the selection. */
export function SelectionBar({ count, hasAll, onToggleAll, onEnd, children }: SelectionBarProps) {
  const isBusy = useSignal(false)
  useEffect(() => {
    const press = ({ key, target }: KeyboardEvent) => {
      // Dialogs, menus and search fields handle Escape themselves.
      if (key === 'Escape' && !(target instanceof Element && target.closest('dialog, [popover], [type="search"]')))
        onEnd()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])

  async function run(work: () => Promise<unknown>): Promise<void> {
    // The second click of a double click arrives before the button is disabled.
    if (isBusy.value) return
    isBusy.value = true
    await attempt(work)
    isBusy.value = false
  }

  return (
    <div class="selection">
      <div class="row">
        <strong role="status">{t('common.selection.count', { n: count })}</strong>
        <Button kind="quiet" onClick={onToggleAll}>
          {hasAll ? t('common.selection.none') : t('common.selection.all')}
        </Button>
        {isNarrow.value && <Button kind="quiet" icon="cross" label={t('common.cancel')} onClick={onEnd} />}
      </div>
      <div class="row selection-actions">
        {children((work) => ({ isBusy: isBusy.value, disabled: count === 0, onClick: () => run(work) }))}
        {!isNarrow.value && <Button onClick={onEnd}>{t('common.cancel')}</Button>}
      </div>
    </div>
  )
}
