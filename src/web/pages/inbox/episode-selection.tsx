import { Button } from '../../components/forms/button.tsx'
import { markWithUndo } from '../../components/podcast/episode-row.tsx'
import { markAllWithUndo } from '../../components/podcast/offer-undo.tsx'
import { SelectionBar } from '../../components/selection.tsx'
import { t } from '../../locales/index.ts'
import { type InboxFilter, keyOf, type ListedEpisode } from '../../store/episodes/lists.ts'
import { podcastsOf } from '../../store/episodes/marks.ts'
import { selected } from './inbox-view.ts'

interface EpisodeSelectionProps {
  /** The listed episodes. */
  readonly items: readonly ListedEpisode[]
  /** The filter of the list. */
  readonly filter: InboxFilter
  /** Reloads the list. */
  readonly onChange: () => Promise<unknown>
  readonly onEnd: () => void
}

export function EpisodeSelection({ items, filter, onChange, onEnd }: EpisodeSelectionProps) {
  const chosen = items.filter((item) => selected.value?.has(keyOf(item)))
  const hasAll = chosen.length === items.length

  async function mark(as: 'played' | 'new'): Promise<void> {
    await markWithUndo(chosen, as)
    onEnd()
  }

  /** Marks the newest selected episode and all older ones. */
  async function markWithOlder(): Promise<void> {
    const [first] = chosen
    if (!first) return
    const newest = { podcast: first.podcast.url, episode: first.episode.url }
    await markAllWithUndo({ ...podcastsOf(filter), newest }, 'played', onChange)
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
          {filter.show === 'all' && <Button {...actionOf(() => mark('new'))}>{t('episodes.markNew')}</Button>}
          <Button {...actionOf(markWithOlder)}>{t('inbox.markOlder')}</Button>
        </>
      )}
    </SelectionBar>
  )
}
