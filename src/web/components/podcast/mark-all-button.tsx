import { useSignal } from '@preact/signals'
import { isNarrow } from '../../hooks/narrow.ts'
import { t } from '../../locales/index.ts'
import type { MarkFilter } from '../../store/episodes/marks.ts'
import { Button } from '../forms/button.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { markAllWithUndo } from './offer-undo.tsx'

interface MarkAllButtonProps {
  readonly filter: MarkFilter
  /** Reloads the list. */
  readonly onChange: () => Promise<unknown>
}

/** Button that marks all episodes of a filter as played, including those not loaded yet. */
export function MarkAllButton({ filter, onChange }: MarkAllButtonProps) {
  const isBusy = useSignal(false)

  async function mark(): Promise<void> {
    isBusy.value = true
    await markAllWithUndo(filter, 'played', onChange)
    isBusy.value = false
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <Button
      kind="quiet"
      icon="played"
      isBusy={isBusy.value}
      {...(isNarrow.value && { label: t('inbox.markAll') })}
      onClick={mark}
    >
      {!isNarrow.value && t('inbox.markAll')}
    </Button>
  )
}
