import { call } from '../../api/client.ts'
import { Failure, QueryState } from '../../components/feedback/notice.tsx'
import { TitledSection } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { EpisodeRows } from '../../components/podcast/episode-row.tsx'
import { PodcastList } from '../../components/podcast/podcast-item.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { keyOf } from '../../store/episodes/lists.ts'
import { ensureSubscribedDevices, loadSubscribedDevices } from '../../store/subscriptions.ts'
import { listenersNote } from './browse.tsx'

/** Search results in the user's podcasts, their episodes and the history. */
export function OwnResults({ q }: { q: string }) {
  const query = useQuery(
    async (signal) => {
      const [found] = await Promise.all([call('searchOwn', { query: { q }, signal }), ensureSubscribedDevices()])
      return found
    },
    [q],
  )
  // Holders load first; otherwise a podcast just added by an app would be offered for subscription.
  useHints(['subscriptions', 'episodes'], () => loadSubscribedDevices().then(query.reload, query.reload))
  const found = query.data.value
  if (!found) return <QueryState query={query} skeleton={<RowSkeleton count={4} isWide />} />
  const { podcasts, episodes, history } = found
  const listed = new Set(episodes.map(keyOf))
  const unlisted = history.filter((item) => !listed.has(keyOf(item)))
  const isEmpty = podcasts.length + episodes.length + unlisted.length === 0
  const counts = [
    t('common.podcasts', { n: podcasts.length }),
    t('common.episodes', { n: episodes.length + unlisted.length }),
  ].join(', ')
  return (
    <div class="stack" aria-busy={query.isLoading.value}>
      <p class="hidden-text" role="status">
        {isEmpty ? t('discover.ownNone') : t('common.pair', { what: t('discover.ownFound'), value: counts })}
      </p>
      {query.error.value !== undefined && <Failure error={query.error.value} onRetry={() => void query.reload()} />}
      {podcasts.length > 0 && (
        <TitledSection class="stack" title={t('discover.ownPodcasts')}>
          <PodcastList podcasts={podcasts} noteOf={listenersNote} />
        </TitledSection>
      )}
      {episodes.length > 0 && (
        <TitledSection class="stack" title={t('discover.ownEpisodes')}>
          <EpisodeRows items={episodes} onChange={query.reload} />
        </TitledSection>
      )}
      {unlisted.length > 0 && (
        <TitledSection class="stack" title={t('discover.ownHistory')}>
          <EpisodeRows items={unlisted} onChange={query.reload} />
        </TitledSection>
      )}
      {isEmpty && <p class="muted">{t('discover.ownNone')}</p>}
    </div>
  )
}
