import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { isNarrow } from '../hooks/narrow.ts'
import { t } from '../locales/index.ts'
import { attempt } from './feedback/notice.tsx'
import { Button } from './forms/button.tsx'

/** The keys of what is selected in a list; undefined unless the user is selecting. */
export type Selection = Signal<ReadonlySet<string> | undefined>

/** Selects an item, or no longer. */
export function toggleSelected(selection: Selection, key: string): void {
  const next = new Set(selection.value)
  if (!next.delete(key)) next.add(key)
  selection.value = next
}

/** Begins or ends selecting. */
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
  /** How many are selected. */
  readonly count: number
  /** Whether everything that is listed is selected. */
  readonly hasAll: boolean
  /** Selects everything that is listed, or none of it if all of it is selected. */
  readonly onToggleAll: () => void
  readonly onEnd: () => void
  /** Buttons for what can be done with what is selected: `actionOf` makes the properties of each. */
  readonly children: (actionOf: ActionOf) => ComponentChildren
}

/** The properties of a button that does `work`. A message is shown if that fails. */
type ActionOf = (work: () => Promise<unknown>) => {
  readonly isBusy: boolean
  readonly disabled: boolean
  readonly onClick: () => Promise<void>
}

/** How many items of a list are selected, and what can be done with them, one action at a time. */
export function SelectionBar({ count, hasAll, onToggleAll, onEnd, children }: SelectionBarProps) {
  const isBusy = useSignal(false)
  useEffect(() => {
    const press = ({ key, target }: KeyboardEvent) => {
      // Dialogs, menus and search fields have their own use for it.
      if (key === 'Escape' && !(target instanceof Element && target.closest('dialog, [popover], [type="search"]')))
        onEnd()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])

  async function run(work: () => Promise<unknown>): Promise<void> {
    // A double click arrives before the button is disabled.
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
