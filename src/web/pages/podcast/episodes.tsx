import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { call, callWithHeaders } from '../../api/client.ts'
import { ActionButton, QueryState } from '../../components/feedback/notice.tsx'
import { Select } from '../../components/forms/choice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { listPages, saveListPages } from '../../components/layout/scroll-restoration.ts'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { PlayList } from '../../components/player/play-list.ts'
import { MarkAllButton } from '../../components/podcast/mark-all-button.tsx'
import { markAllWithUndo, offerUndo } from '../../components/podcast/offer-undo.tsx'
import { setter } from '../../hooks/setters.ts'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { withChanges } from '../../store/episodes/changes.ts'
import { sendMarks, type Undo, undoMarks } from '../../store/episodes/marks.ts'
import { loadFavorites } from '../../store/favorites.ts'
import type { Hint } from '../../store/live/live.ts'
import { progressOfItem } from '../../store/playback/progress.ts'
import { ownName } from '../../store/session.ts'
import { holdersOf } from '../../store/subscriptions.ts'
import { EpisodeItem, type OwnEpisode, playableOf, toMarkable } from './episode-item.tsx'

const PER_PAGE = 50
/** Milliseconds from the last keystroke to the search. */
const DEBOUNCE_MS = 250
/** Search and filters appear above this number of episodes. */
const FILTERS_ABOVE = 8
/** Number of episodes loaded by scrolling. A button loads more. */
const AUTOMATIC = 200
/** Safety margin in seconds, for actions reported while a request is in flight. */
const MARGIN_SECONDS = 60
/** Distance in pixels from the end of the list at which more is loaded. */
const AHEAD = 800

interface EpisodesProps {
  readonly url: string
  readonly hasCover: boolean
  /** Explanation shown for an empty list. */
  readonly whyNone: string
  /** Called with the newest episodes whenever they or their playback states change. */
  readonly onNewest: (episodes: readonly OwnEpisode[]) => void
}

/** Episodes of a podcast with their playback states, newest first by default. */
export function Episodes({ url, hasCover, whyNone, onNewest }: EpisodesProps) {
  const shown = useSignal<readonly OwnEpisode[]>([])
  const text = useSignal('')
  const searched = useSignal('')
  const order = useSignal<'newest' | 'oldest'>('newest')
  const season = useSignal('')
  const isUnplayedOnly = useSignal(false)
  const search = useDebounce(DEBOUNCE_MS, setter(searched))
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const filter = {
    url,
    per_page: PER_PAGE,
    ...(searched.value !== '' && { q: searched.value }),
    ...(season.value !== '' && { season: season.value }),
    ...(isUnplayedOnly.value && { unplayed: 'true' }),
    ...(order.value === 'oldest' && { order: 'oldest' }),
  }
  const isFiltered = Object.keys(filter).length > 2
  const isOwn = holdersOf(url).size > 0
  // A user who returns to the page sees the same number of pages as before.
  const lastLoad = useRef({ filter: JSON.stringify(filter), pages: listPages() ?? 1 })
  /** Logical time up to which the playback states are known. */
  const since = useRef<number | undefined>(undefined)
  const query = useQuery(
    async (signal) => {
      if (lastLoad.current.filter !== JSON.stringify(filter))
        lastLoad.current = { filter: JSON.stringify(filter), pages: 1 }
      const pages = Array.from({ length: lastLoad.current.pages }, (_, page) =>
        callWithHeaders('listOwnEpisodes', { query: { ...filter, page }, signal }),
      )
      const answers = await Promise.all(pages)
      const [first] = answers
      // Logical times are never behind the server's clock (docs/protocol.md#D14).
      const date = Date.parse(first?.headers.get('date') ?? '')
      since.current = Number.isNaN(date) ? undefined : Math.max(0, Math.floor(date / 1000) - MARGIN_SECONDS)
      shown.value = answers.flatMap(({ answer }) => answer.episodes)
      return first?.answer
    },
    [searched.value, season.value, isUnplayedOnly.value, order.value],
  )

  useHints(['episodes', 'podcast', 'settings'], reloadFor)
  useEffect(() => {
    if (!isFiltered) onNewest(shown.value)
  }, [shown.value, isFiltered])

  /** Reloads the data that the hints concern, in at most three requests however many episodes are shown. */
  async function reloadFor(hints: readonly Hint[]): Promise<void> {
    const has = (topic: Hint['topic']) => hints.some((hint) => hint.topic === topic)
    const isNews = has('all') || hints.some((hint) => hint.topic === 'podcast' && hint.url === url)
    // Favorites are settings of episodes.
    const isFavorite = has('episodes') && has('settings')
    await Promise.allSettled([
      isNews && loadNewest(),
      (has('all') || has('episodes')) && loadStates(),
      isFavorite && reloadFavorites(),
    ])
  }

  /** Reloads the first page and keeps the later ones. */
  async function loadNewest(): Promise<void> {
    const filterBefore = lastLoad.current.filter
    const answer = await call('listOwnEpisodes', { query: { ...filter, page: 0 } })
    if (lastLoad.current.filter !== filterBefore || !query.data.value) return
    const loadedUrls = new Set(shown.value.map((episode) => episode.url))
    const fresh = new Set(answer.episodes.map((episode) => episode.url))
    const rest = shown.value.filter((episode) => !fresh.has(episode.url))
    // If the whole page is new, episodes may be missing between it and the known ones, which are then dropped.
    const hasGap = rest.length > 0 && !answer.episodes.some((episode) => loadedUrls.has(episode.url))
    shown.value = [...answer.episodes, ...(hasGap ? [] : rest)]
    query.data.value = answer
  }

  /** Loads the actions reported since the last load, for all episodes in one request. */
  async function loadStates(): Promise<void> {
    const { current } = since
    if (current === undefined) return query.reload()
    const stateQuery = { podcast: url, since: current, aggregated: 'true' }
    const { actions, timestamp } = await call('listEpisodeActions', {
      path: { username: ownName() },
      query: stateQuery,
    })
    if (since.current !== current) return
    since.current = timestamp
    shown.value = withChanges(shown.value, actions)
  }

  async function reloadFavorites(): Promise<void> {
    const favorites = new Set((await loadFavorites()).map((episode) => episode.url))
    shown.value = shown.value.map((episode) => ({ ...episode, favorite: favorites.has(episode.url) }))
  }

  async function load(): Promise<void> {
    const page = Math.floor(shown.value.length / PER_PAGE)
    const { episodes } = await call('listOwnEpisodes', { query: { ...filter, page } })
    const loadedUrls = new Set(shown.value.map((episode) => episode.url))
    shown.value = [...shown.value, ...episodes.filter((episode) => !loadedUrls.has(episode.url))]
    lastLoad.current = { ...lastLoad.current, pages: page + 1 }
    if (!isFiltered) saveListPages(page + 1)
  }

  async function mark(episode: OwnEpisode, isPlayed: boolean): Promise<void> {
    const as = isPlayed ? 'played' : 'new'
    const { position: _, ...rest } = episode
    await offerUndo({
      as,
      async mark() {
        const undo = await sendMarks([toMarkable(episode)], as)
        show({ ...rest, state: as })
        return { n: 1, restore: () => restore(undo) }
      },
    })

    async function restore(undo: Undo): Promise<void> {
      await undoMarks(undo)
      show(episode)
      // The episode may no longer match the filter.
      await query.reload()
    }
  }

  function markOlder({ podcast_url: podcast, url: episode }: OwnEpisode): Promise<void> {
    return markAllWithUndo({ podcasts: [url], newest: { podcast, episode } }, 'played', query.reload)
  }

  function show(episode: OwnEpisode): void {
    shown.value = shown.value.map((each) => (each.url === episode.url ? episode : each))
  }

  const loaded = query.data.value
  // Depends on the first page only, so that the layout does not shift when more pages load.
  const isPictured = loaded?.episodes.some((episode) => episode.has_picture) === true
  // The server cannot limit marking to a search or a season.
  const canMarkAll = isOwn && (loaded?.total ?? 0) > 0 && searched.value === '' && season.value === ''
  const hasTools = isFiltered || text.value !== '' || (loaded?.total ?? 0) > FILTERS_ABOVE
  return (
    <section class="stack" aria-labelledby="episodes">
      <div class="row-apart">
        <h2 id="episodes">
          {t('podcast.episodes')} {loaded && <span class="muted">{number(loaded.total)}</span>}
        </h2>
        {canMarkAll && <MarkAllButton filter={{ podcasts: [url] }} onChange={query.reload} />}
      </div>
      {hasTools && (
        <div class="episode-tools">
          <SearchBox label={t('podcast.searchEpisodes')} value={text} onInput={search} />
          <div class="row">
            <Select
              label={t('podcast.order')}
              value={order.value}
              options={[
                { value: 'newest', label: t('podcast.newest') },
                { value: 'oldest', label: t('podcast.oldest') },
              ]}
              onChoose={setter(order)}
            />
            {loaded && loaded.seasons.length > 1 && (
              <Select
                label={t('podcast.season')}
                value={season.value}
                options={[
                  { value: '', label: t('podcast.allSeasons') },
                  ...loaded.seasons.map((n) => ({ value: String(n), label: t('podcast.seasonNumber', { n }) })),
                ]}
                onChoose={setter(season)}
              />
            )}
            <button
              type="button"
              class="chip chip-choice"
              aria-pressed={isUnplayedOnly.value}
              onClick={() => (isUnplayedOnly.value = !isUnplayedOnly.value)}
            >
              {t('podcast.unplayed')}
            </button>
          </div>
        </div>
      )}
      <QueryState query={query} skeleton={<RowSkeleton count={5} />} />
      {loaded?.total === 0 && <p class="muted">{isFiltered ? t('podcast.noMatch') : whyNone}</p>}
      {loaded && loaded.total > 0 && (
        <>
          <PlayList.Provider value={() => shown.value.map((each) => playableOf(each, progressOfItem(each)))}>
            <ol class="episode-list" ref={list}>
              {shown.value.map((episode) => (
                <EpisodeItem
                  key={episode.url}
                  episode={episode}
                  isPictured={isPictured}
                  hasCover={hasCover}
                  onMark={(isPlayed) => mark(episode, isPlayed)}
                  onMarkOlder={isOwn ? () => markOlder(episode) : undefined}
                />
              ))}
            </ol>
          </PlayList.Provider>
          {shown.value.length < loaded.total && (
            <More
              isAutomatic={shown.value.length < AUTOMATIC}
              onReach={load}
              onPress={async () => {
                expect()
                await load()
              }}
            />
          )}
          {!isFiltered && loaded.total >= loaded.max_episodes && (
            <p class="muted small">{t('podcast.keptHere', { n: number(loaded.max_episodes) })}</p>
          )}
        </>
      )}
    </section>
  )
}

interface MoreProps {
  /** Whether scrolling loads more. False for long lists, so that users can reach the content below them. */
  readonly isAutomatic: boolean
  readonly onReach: () => Promise<void>
  readonly onPress: () => Promise<void>
}

/** Loads more when the end of the list comes near or the button is pressed. */
function More({ isAutomatic, onReach, onPress }: MoreProps) {
  const container = useRef<HTMLDivElement>(null)
  const latest = useRef(onReach)
  latest.current = onReach
  const isBusy = useRef(false)
  useEffect(() => {
    if (!isAutomatic) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting || isBusy.current) return
        isBusy.current = true
        // After a failure, the button is still there.
        void latest
          .current()
          .catch(() => undefined)
          .then(() => {
            isBusy.current = false
            // Observes again, because the end may still be near.
            observer.disconnect()
            observeElement(observer, container)
          })
      },
      { rootMargin: `${AHEAD}px` },
    )
    observeElement(observer, container)
    return () => observer.disconnect()
  }, [isAutomatic])
  return (
    <div ref={container}>
      <ActionButton work={onPress}>{t('podcast.moreEpisodes')}</ActionButton>
    </div>
  )
}

function observeElement(observer: IntersectionObserver, { current }: RefObject<Element | null>): void {
  if (current) observer.observe(current)
}
