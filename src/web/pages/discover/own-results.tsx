import { call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { Failure, QueryState } from '../../components/feedback/notice.tsx'
import { TitledSection } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { EpisodeRow } from '../../components/podcast/episode-row.tsx'
import { PodcastList } from '../../components/podcast/podcast-item.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { keyOf, type ListedEpisode } from '../../store/episodes/lists.ts'
import { ensureHolders } from '../../store/subscriptions.ts'

/** What a search finds among the user's podcasts, their episodes and what was heard. */
export function OwnResults({ q }: { q: string }) {
  const query = useQuery(
    async (signal) => {
      const [found] = await Promise.all([call('searchOwn', { query: { q }, signal }), ensureHolders()])
      return found
    },
    [q],
  )
  useHints(['subscriptions', 'episodes'], query.reload)
  const found = query.data.value
  if (!found) return <QueryState query={query} skeleton={<RowSkeleton count={4} isWide />} />
  const { podcasts, episodes, history } = found
  const listed = new Set(episodes.map(keyOf))
  const heard = history.filter((item) => !listed.has(keyOf(item)))
  const isEmpty = podcasts.length + episodes.length + heard.length === 0
  const counts = [
    t('common.podcasts', { n: podcasts.length }),
    t('common.episodes', { n: episodes.length + heard.length }),
  ].join(', ')
  return (
    <div class="stack" aria-busy={query.isLoading.value}>
      <p class="hidden-text" role="status">
        {isEmpty ? t('discover.ownNone') : t('common.pair', { what: t('discover.ownFound'), value: counts })}
      </p>
      {query.error.value !== undefined && <Failure error={query.error.value} onRetry={() => void query.reload()} />}
      {podcasts.length > 0 && (
        <TitledSection class="stack" title={t('discover.ownPodcasts')}>
          <PodcastList podcasts={podcasts} />
        </TitledSection>
      )}
      <Episodes title={t('discover.ownEpisodes')} items={episodes} onChange={query.reload} />
      <Episodes title={t('discover.ownHistory')} items={heard} onChange={query.reload} />
      {isEmpty && <p class="muted">{t('discover.ownNone')}</p>}
    </div>
  )
}

interface EpisodesProps {
  readonly title: string
  readonly items: readonly ListedEpisode[]
  readonly onChange: () => Promise<unknown>
}

/** Nothing without episodes. */
function Episodes({ title, items, onChange }: EpisodesProps) {
  const deviceName = useDeviceCaptions()
  if (items.length === 0) return null
  return (
    <TitledSection class="stack" title={title}>
      <ul class="episode-rows">
        {items.map((item) => (
          <EpisodeRow key={keyOf(item)} item={item} deviceName={deviceName} onChange={onChange} />
        ))}
      </ul>
    </TitledSection>
  )
}
