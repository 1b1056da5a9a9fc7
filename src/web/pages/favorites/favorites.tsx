import { signal } from '@preact/signals'
import { EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Select } from '../../components/forms/choice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { useFolded } from '../../components/forms/folded.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Reserved } from '../../components/layout/reserved.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { PlayList } from '../../components/player/play-list.ts'
import { EpisodeEntry } from '../../components/podcast/episode-entry.tsx'
import { EpisodeMenu } from '../../components/podcast/episode-menu.tsx'
import { FavoriteButton } from '../../components/podcast/favorite-button.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { date, language, duration as lengthOf, number, t } from '../../locales/index.ts'
import { loadFavorites } from '../../store/favorites.ts'
import { href } from '../../store/paths.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { onUserChange } from '../../store/resource.ts'
import { type Favorite, matching, podcastsOf, sortFavorites } from './list.ts'

/** Number of favorites from which search and filters are shown. */
const SEARCH_FROM = 5
/** Number of favorites shown initially. */
const UNFOLDED = 100

const SORT_KEYS = ['starred', 'newest', 'oldest', 'podcast'] as const
const ORDERS = {
  starred: 'favorites.starred',
  newest: 'podcast.newest',
  oldest: 'podcast.oldest',
  podcast: 'favorites.byPodcast',
} as const
const sortKey = persistedSignal<(typeof SORT_KEYS)[number]>('favorites.order', SORT_KEYS, 'starred')

/** Search text. It is kept while the client is open, so that it is still set when the user returns. */
const text = signal('')
/** Feed URL; '' for all podcasts. */
const podcast = signal('')

onUserChange(showAll)

function showAll(): void {
  text.value = ''
  podcast.value = ''
}

/** Episodes that the user or an app has marked as favorites. */
export default function Favorites() {
  const query = useQuery((cancel) => loadFavorites(cancel))
  const favorites = query.data.value
  return (
    <Page title={t('favorites.title')}>
      <div class="stack">
        <Reserved name="favorites" isSettled={favorites !== undefined}>
          {favorites && favorites.length >= SEARCH_FROM && <Tools favorites={favorites} />}
        </Reserved>
        <QueryState query={query} skeleton={<RowSkeleton count={8} isWide />} />
        {favorites && favorites.length > 0 && <FavoriteList favorites={favorites} />}
      </div>
      {favorites?.length === 0 && (
        <EmptyState title={t('favorites.emptyTitle')} text={t('favorites.emptyText')}>
          <ButtonLink icon="inbox" href={href('/inbox')}>
            {t('inbox.title')}
          </ButtonLink>
        </EmptyState>
      )}
    </Page>
  )
}

/** Returns the chosen podcast, or '' if it no longer has favorites. */
function chosenAmong(podcasts: ReturnType<typeof podcastsOf>): string {
  return podcasts.some(({ url }) => url === podcast.value) ? podcast.value : ''
}

/** Search, filter and order of the list. */
function Tools({ favorites }: { favorites: readonly Favorite[] }) {
  const podcasts = podcastsOf(favorites, language.value)
  return (
    <div class="episode-tools">
      <SearchBox label={t('podcast.searchEpisodes')} value={text} />
      <div class="row">
        {podcasts.length > 1 && (
          <Select
            label={t('inbox.podcast')}
            title={t('inbox.podcast')}
            value={chosenAmong(podcasts)}
            options={[
              { value: '', label: t('inbox.allPodcasts') },
              ...podcasts.map(({ url, title, count }) => ({ value: url, label: `${title} (${number(count)})` })),
            ]}
            onChoose={setter(podcast)}
          />
        )}
        <Select
          label={t('home.sortBy')}
          title={t('home.sortBy')}
          value={sortKey.value}
          options={SORT_KEYS.map((value) => ({ value, label: t(ORDERS[value]) }))}
          onChoose={setter(sortKey)}
        />
      </div>
    </div>
  )
}

function FavoriteList({ favorites }: { favorites: readonly Favorite[] }) {
  const found = matching(favorites, { text: text.value, podcast: chosenAmong(podcastsOf(favorites, language.value)) })
  const sorted = sortFavorites(found, sortKey.value, language.value)
  const { shown, list, more } = useFolded<Favorite, HTMLUListElement>(sorted, UNFOLDED)
  return (
    <div class="stack">
      {found.length === 0 ? (
        <EmptyState title={t('podcast.noMatch')} text="">
          <Button onClick={showAll}>{t('home.showAll')}</Button>
        </EmptyState>
      ) : (
        <ul class="episode-entries episode-entries-wide" ref={list}>
          <PlayList.Provider value={() => sorted.map(playableOf)}>
            {shown.map((favorite) => (
              <FavoriteItem key={favorite.url} favorite={favorite} />
            ))}
          </PlayList.Provider>
        </ul>
      )}
      {more && <p>{more}</p>}
    </div>
  )
}

function FavoriteItem({ favorite }: { favorite: Favorite }) {
  const {
    podcast_url: feed,
    podcast_title: podcastTitle,
    url,
    title,
    released,
    duration,
    has_picture: hasPicture,
  } = favorite
  return (
    <EpisodeEntry
      {...{ podcast: feed, podcastTitle, url, title, hasPicture }}
      detail={
        released !== '' && (
          <>
            <time dateTime={`${released}Z`}>{date(released)}</time>
            {duration !== null && ` · ${lengthOf(duration)}`}
          </>
        )
      }
    >
      <FavoriteButton episode={{ podcast: feed, url, title }} loaded />
      <EpisodeMenu episode={playableOf(favorite)} />
      <PlayButton episode={playableOf(favorite)} />
    </EpisodeEntry>
  )
}

function playableOf(favorite: Favorite): Playable {
  const {
    podcast_url,
    podcast_title: podcastTitle,
    url,
    title,
    duration,
    mime_type,
    has_picture: hasPicture,
  } = favorite
  return { podcast: podcast_url, url, title, podcastTitle, duration, mediaType: mime_type, hasPicture }
}
