import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { ActionButton, QueryState } from '../../components/feedback/notice.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { scrollPositions } from '../../components/layout/scroll-restoration.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { ownName } from '../../store/session.ts'
import { EpisodeItem, progressOf } from './episode-item.tsx'

type Episode = Answer<'listEpisodes'>['episodes'][number]
type Health = Answer<'getOwnPodcast'>['health']

const PER_PAGE = 30

interface EpisodesProps {
  /** The feed URL. */
  readonly url: string
  /** The state of the feed; only subscribers get to know it. */
  readonly health: Health | undefined
}

/** The episodes, newest first. */
export function Episodes({ url, health }: EpisodesProps) {
  const shown = useSignal<readonly Episode[]>([])
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const username = ownName()
  const query = useQuery(async (signal) => {
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
    const page = Math.floor(shown.value.length / PER_PAGE)
    const { episodes } = await call('listEpisodes', { query: { url, page, per_page: PER_PAGE } })
    const known = new Set(shown.value.map((episode) => episode.url))
    expect()
    shown.value = [...shown.value, ...episodes.filter((episode) => !known.has(episode.url))]
    scrollPositions.setCount('episodes', page + 1)
  }

  const loaded = query.data.value
  return (
    <TitledSection title={[t('podcast.episodes'), ' ', loaded && <span class="muted">{number(loaded.total)}</span>]}>
      <QueryState query={query} skeleton={<Skeleton height="5rem" count={5} />} />
      {loaded?.total === 0 && <p class="muted">{whyNone(health)}</p>}
      {loaded && loaded.total > 0 && (
        <>
          <ol class="episode-list" ref={list}>
            {shown.value.map((episode) => (
              <EpisodeItem key={episode.url} episode={episode} heard={loaded.heard.get(episode.url)} />
            ))}
          </ol>
          {shown.value.length < loaded.total && (
            <p>
              <ActionButton work={more}>{t('podcast.moreEpisodes')}</ActionButton>
            </p>
          )}
        </>
      )}
    </TitledSection>
  )
}

/** Tells apart a feed that could not be fetched yet and one without episodes. */
function whyNone(health: Health | undefined): string {
  if (health?.state === 'new') return t('podcast.isNew')
  return health !== undefined && health.last_success === '' ? t('podcast.notFetched') : t('podcast.noEpisodes')
}
