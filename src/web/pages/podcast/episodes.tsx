import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { scrollPositions } from '../../components/layout/scroll-restoration.ts'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { number } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import { account } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { EpisodeItem, progressOf } from './episode-item.tsx'
import type { OwnPodcast } from './health.tsx'

type Episode = Answer<'listEpisodes'>['episodes'][number]

const PER_PAGE = 30

interface EpisodesProps {
  /** The feed URL. */
  readonly url: string
  /** The state of the feed; only subscribers get to know it. */
  readonly health: OwnPodcast['health'] | undefined
}

/** The episodes, newest first. */
export function Episodes({ url, health }: EpisodesProps) {
  const shown = useSignal<readonly Episode[]>([])
  const isBusy = useSignal(false)
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const username = account.value?.username ?? ''
  const { data, error, reload } = useQuery(async (signal) => {
    // A user who returns to the page sees as many pages as before.
    const pages = Array.from({ length: scrollPositions.count('episodes') ?? 1 }, (_, page) =>
      call('listEpisodes', { query: { url, page, per_page: PER_PAGE }, signal }),
    )
    const [answers, actions] = await Promise.all([
      Promise.all(pages),
      call('listEpisodeActions', { path: { username }, query: { podcast: url, aggregated: 'true' }, signal }),
    ])
    shown.value = answers.flatMap(({ episodes }) => episodes)
    return { total: answers[0]?.total ?? 0, heard: progressOf(actions.actions) }
  })

  async function more(): Promise<void> {
    isBusy.value = true
    try {
      const page = Math.floor(shown.value.length / PER_PAGE)
      const { episodes } = await call('listEpisodes', { query: { url, page, per_page: PER_PAGE } })
      const known = new Set(shown.value.map((episode) => episode.url))
      expect()
      shown.value = [...shown.value, ...episodes.filter((episode) => !known.has(episode.url))]
      scrollPositions.setCount('episodes', page + 1)
    } catch (reason) {
      toast(errorMessage(reason), { kind: 'error' })
    }
    isBusy.value = false
  }

  const loaded = data.value
  return (
    <section class="stack" aria-labelledby="episodes">
      <h2 id="episodes">
        {t('podcast.episodes')} {loaded && <span class="muted">{number(loaded.total)}</span>}
      </h2>
      {error.value && !loaded ? (
        <Failure error={error.value} onRetry={() => void reload()} />
      ) : !loaded ? (
        <Skeleton height="5rem" count={5} />
      ) : loaded.total === 0 ? (
        <p class="muted">{whyNone(health)}</p>
      ) : (
        <>
          <ol class="episode-list" ref={list}>
            {shown.value.map((episode) => (
              <EpisodeItem key={episode.url} episode={episode} heard={loaded.heard.get(episode.url)} />
            ))}
          </ol>
          {shown.value.length < loaded.total && (
            <p>
              <Button isBusy={isBusy.value} onClick={more}>
                {t('podcast.moreEpisodes')}
              </Button>
            </p>
          )}
        </>
      )}
    </section>
  )
}

/** Tells apart a feed that could not be fetched yet and one without episodes. */
function whyNone(health: OwnPodcast['health'] | undefined): string {
  if (health?.state === 'new') return t('podcast.isNew')
  return health !== undefined && health.last_success === '' ? t('podcast.notFetched') : t('podcast.noEpisodes')
}
