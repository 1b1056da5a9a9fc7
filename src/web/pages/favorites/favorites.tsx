import type { Answer } from '../../api/client.ts'
import { EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Page } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { EpisodeEntry } from '../../components/podcast/episode-entry.tsx'
import { FavoriteButton } from '../../components/podcast/favorite-button.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { date, t } from '../../locales/index.ts'
import { loadFavorites } from '../../store/favorites.ts'

type Favorite = Answer<'listFavorites'>[number]

/** The episodes that the user, or an app, has marked as favorites, the newest first. */
export default function Favorites() {
  const query = useQuery((signal) => loadFavorites(signal))
  const favorites = query.data.value
  return (
    <Page title={t('favorites.title')}>
      <QueryState query={query} skeleton={<RowSkeleton count={6} />} />
      {favorites?.length === 0 && <EmptyState title={t('favorites.emptyTitle')} text={t('favorites.emptyText')} />}
      {favorites && favorites.length > 0 && (
        <ul class="episode-entries">
          {favorites.map((favorite) => (
            <FavoriteItem key={favorite.url} favorite={favorite} />
          ))}
        </ul>
      )}
    </Page>
  )
}

function FavoriteItem({ favorite }: { favorite: Favorite }) {
  const {
    podcast_url: podcast,
    podcast_title: podcastTitle,
    url,
    title,
    released,
    duration,
    mime_type: type,
    has_picture: hasPicture,
  } = favorite
  return (
    <EpisodeEntry
      {...{ podcast, podcastTitle, url, title, hasPicture }}
      detail={released !== '' && <time dateTime={`${released}Z`}>{date(released)}</time>}
    >
      <PlayButton episode={{ podcast, url, title, podcastTitle, duration, mediaType: type, hasPicture }} />
      <FavoriteButton episode={{ podcast, url, title }} loaded />
    </EpisodeEntry>
  )
}
