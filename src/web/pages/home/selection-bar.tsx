import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { language, plural, t } from '../../text/index.ts'

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>
  /** Those that are shown. */
  readonly urls: readonly string[]
  readonly onSelect: (urls: ReadonlySet<string>) => void
  readonly onEnd: () => void
  readonly onUnsubscribe: (urls: readonly string[]) => Promise<void>
}

/** What can be done with the podcasts that are selected. */
export function SelectionBar({ selected, urls, onSelect, onEnd, onUnsubscribe }: SelectionBarProps) {
  const texts = t().home
  const isBusy = useSignal(false)
  const hasAll = selected.isSupersetOf(new Set(urls))

  async function unsubscribe(): Promise<void> {
    // The second click of two comes before the button knows.
    if (isBusy.value) return
    isBusy.value = true
    await onUnsubscribe([...selected])
    isBusy.value = false
  }

  return (
    <div class="home-selection">
      <div class="row">
        <strong role="status">{plural(texts.selected, selected.size, language.value)}</strong>
        <Button
          kind="quiet"
          onClick={() => onSelect(hasAll ? selected.difference(new Set(urls)) : selected.union(new Set(urls)))}
        >
          {hasAll ? texts.selectNone : texts.selectAll}
        </Button>
      </div>
      <div class="row">
        <Button
          kind="danger"
          icon="trash"
          isBusy={isBusy.value}
          disabled={selected.size === 0}
          onClick={() => unsubscribe()}
        >
          {texts.unsubscribe}
        </Button>
        <Button onClick={onEnd}>{t().common.cancel}</Button>
      </div>
    </div>
  )
}
