import { useSignal } from '@preact/signals'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { markWithUndo } from '../../components/podcast/episode-row.tsx'
import { t } from '../../locales/index.ts'
import { keyOf, type ListedEpisode } from '../../store/episodes/lists.ts'
import { findOlder } from '../../store/episodes/marks.ts'
import { filter, selected } from './inbox-view.ts'

interface SelectionBarProps {
  /** The episodes that are listed. */
  readonly items: readonly ListedEpisode[]
  readonly onEnd: () => void
}

/** The actions on selected episodes. */
export function SelectionBar({ items, onEnd }: SelectionBarProps) {
  const isBusy = useSignal(false)
  const chosen = items.filter((item) => selected.value?.has(keyOf(item)))
  const hasAll = chosen.length === items.length

  async function run(work: () => Promise<unknown>): Promise<void> {
    // A double click arrives before the button is disabled.
    if (isBusy.value) return
    isBusy.value = true
    await attempt(work)
    isBusy.value = false
    onEnd()
  }

  /** Marks what is selected, and everything that is older than the newest of it. */
  async function markWithOlder(): Promise<void> {
    const [first] = chosen
    const older = first ? await findOlder(first, filter.value) : []
    const all = new Map([...older, ...chosen].map((item) => [keyOf(item), item]))
    await markWithUndo([...all.values()], 'played')
  }

  return (
    <div class="home-selection">
      <div class="row">
        <strong role="status">{t('home.selected', { n: chosen.length })}</strong>
        <Button
          kind="quiet"
          onClick={() => {
            selected.value = new Set(hasAll ? [] : items.map(keyOf))
          }}
        >
          {hasAll ? t('home.selectNone') : t('home.selectAll')}
        </Button>
      </div>
      <div class="row">
        <Button
          kind="main"
          isBusy={isBusy.value}
          disabled={chosen.length === 0}
          onClick={() => run(() => markWithUndo(chosen, 'played'))}
        >
          {t('episodes.markPlayed')}
        </Button>
        {!filter.value.onlyUnplayed && (
          <Button
            isBusy={isBusy.value}
            disabled={chosen.length === 0}
            onClick={() => run(() => markWithUndo(chosen, 'new'))}
          >
            {t('episodes.markNew')}
          </Button>
        )}
        <Button isBusy={isBusy.value} disabled={chosen.length === 0} onClick={() => run(markWithOlder)}>
          {t('inbox.markOlder')}
        </Button>
        <Button onClick={onEnd}>{t('common.cancel')}</Button>
      </div>
    </div>
  )
}
