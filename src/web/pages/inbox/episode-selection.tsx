import { Button } from '../../components/forms/button.tsx'
import { markWithUndo } from '../../components/podcast/episode-row.tsx'
import { MARKS } from '../../components/podcast/offer-undo.tsx'
import { SelectionBar } from '../../components/selection.tsx'
import { t } from '../../locales/index.ts'
import { type InboxFilter, keyOf, type ListedEpisode } from '../../store/episodes/lists.ts'
import { findOlder } from '../../store/episodes/marks.ts'
import { toast } from '../../store/toasts.ts'
import { selected } from './inbox-view.ts'

interface EpisodeSelectionProps {
  /** The episodes that are listed. */
  readonly items: readonly ListedEpisode[]
  /** What they were asked for with. */
  readonly filter: InboxFilter
  readonly onEnd: () => void
}

/** The actions on selected episodes. */
export function EpisodeSelection({ items, filter, onEnd }: EpisodeSelectionProps) {
  const chosen = items.filter((item) => selected.value?.has(keyOf(item)))
  const hasAll = chosen.length === items.length

  async function mark(as: 'played' | 'new'): Promise<void> {
    await markWithUndo(chosen, as)
    onEnd()
  }

  /** Marks what is selected, and everything that is older than the newest of it. */
  async function markWithOlder(): Promise<void> {
    const [first] = chosen
    const older = first ? await findOlder(first, filter, showProgress) : []
    const all = new Map([...older, ...chosen].map((item) => [keyOf(item), item]))
    await markWithUndo([...all.values()], 'played')
    onEnd()
  }

  return (
    <SelectionBar
      count={chosen.length}
      hasAll={hasAll}
      onToggleAll={() => {
        selected.value = new Set(hasAll ? [] : items.map(keyOf))
      }}
      onEnd={onEnd}
    >
      {(actionOf) => (
        <>
          <Button kind="main" {...actionOf(() => mark('played'))}>
            {t('episodes.markPlayed')}
          </Button>
          {!filter.onlyUnplayed && <Button {...actionOf(() => mark('new'))}>{t('episodes.markNew')}</Button>}
          <Button {...actionOf(markWithOlder)}>{t('inbox.markOlder')}</Button>
        </>
      )}
    </SelectionBar>
  )
}

/** The message about what was marked takes its place. */
function showProgress(n: number): void {
  toast(t('inbox.findingOlder', { n }), { subject: MARKS })
}
