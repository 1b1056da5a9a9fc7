import type { Answer } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { EpisodeMenu } from '../../components/podcast/episode-menu.tsx'
import { FavoriteButton } from '../../components/podcast/favorite-button.tsx'
import { MarkButton } from '../../components/podcast/mark-button.tsx'
import { date, duration as lengthOf, t, timeLeft } from '../../locales/index.ts'
import type { Markable } from '../../store/episodes/marks.ts'
import { href } from '../../store/paths.ts'
import { currentProgress } from '../../store/playback/now-playing.ts'
import { clock, type EpisodeProgress, progressOfItem } from '../../store/playback/progress.ts'
import type { Playable } from '../../store/player.ts'

export type OwnEpisode = Answer<'listOwnEpisodes'>['episodes'][number]

interface EpisodeItemProps {
  readonly episode: OwnEpisode
  /** Whether the list shows pictures. Episodes without one show the picture of the podcast. */
  readonly isPictured: boolean
  readonly hasCover: boolean
  /** Marks the episode as played or as unplayed. Never rejects. */
  readonly onMark: (isPlayed: boolean) => Promise<void>
  /** Marks the episode and all older ones as played; undefined unless the user has the podcast. Never rejects. */
  readonly onMarkOlder: (() => Promise<void>) | undefined
}

export function EpisodeItem({ episode, isPictured, hasCover, onMark, onMarkOlder }: EpisodeItemProps) {
  const { title, released, duration, description, url, podcast_url: podcast, explicit, favorite } = episode
  const progress = currentProgress(url) ?? progressOfItem(episode)
  const playable = playableOf(episode, progress)
  return (
    <li class="media episode" data-pictured={isPictured}>
      {isPictured && (
        <Artwork
          url={podcast}
          title={episode.podcast_title}
          size={128}
          hasPicture={hasCover}
          episode={episode.has_picture ? url : undefined}
        />
      )}
      <div class="media-text">
        <h3 class="clamp" dir="auto">
          <a href={href('/episode', { podcast, url })} data-item="">
            {title}
          </a>
        </h3>
        <p class="row small muted">
          {released !== '' && <time dateTime={`${released}Z`}>{date(released)}</time>}
          {duration !== null && <span>{lengthOf(duration)}</span>}
          <EpisodeNumber episode={episode} />
          {explicit && <span class="chip">{t('podcast.explicit')}</span>}
          {progress && <ProgressMark playback={progress} duration={duration} />}
        </p>
        {description !== '' && (
          <p class="episode-about clamp small muted" dir="auto">
            {description}
          </p>
        )}
      </div>
      <div class="episode-actions">
        <MarkButton title={title} isPlayed={progress?.isDone === true} onMark={onMark} />
        <FavoriteButton episode={{ podcast, url, title }} loaded={favorite} />
        <EpisodeMenu
          episode={playable}
          isOfPage
          isPlayed={progress?.isDone === true}
          onMark={onMark}
          onMarkOlder={onMarkOlder}
        />
      </div>
      <PlayButton episode={playable} />
    </li>
  )
}

/** Season and number, as far as the feed contains them. */
export function EpisodeNumber({ episode: { season, number } }: { episode: Pick<OwnEpisode, 'season' | 'number'> }) {
  if (season === null && number === null) return null
  if (number === null) return <span>{t('podcast.seasonNumber', { n: season ?? 0 })}</span>
  return (
    <span>
      {season === null ? t('podcast.episodeNumber', { n: number }) : t('podcast.seasonEpisode', { season, n: number })}
    </span>
  )
}

export function toMarkable({ podcast_url, url }: Pick<OwnEpisode, 'podcast_url' | 'url'>): Markable {
  return { podcast: { url: podcast_url }, episode: { url } }
}

/** Converts an episode for the player. */
export function playableOf(
  episode: Pick<
    OwnEpisode,
    'podcast_url' | 'podcast_title' | 'url' | 'title' | 'duration' | 'mime_type' | 'guid' | 'has_picture'
  >,
  progress: EpisodeProgress | undefined,
): Playable {
  const { podcast_url: podcast, podcast_title: podcastTitle, url, title, duration, mime_type, guid } = episode
  return {
    ...{ podcast, podcastTitle, url, title, duration },
    mediaType: mime_type,
    hasPicture: episode.has_picture,
    guid: guid === '' ? undefined : guid,
    position: progress && !progress.isDone ? progress.position : undefined,
    isPlayed: progress?.isDone,
  }
}

/** Playback progress, as text and as a bar that is hidden from screen readers. */
export function ProgressMark({ playback, duration }: { playback: EpisodeProgress; duration: number | null }) {
  const total = playback.total ?? duration ?? 0
  if (playback.isDone)
    return (
      <span class="chip chip-good">
        <Icon name="check" />
        {t('podcast.played')}
      </span>
    )
  return (
    <span class="row episode-heard">
      {total > playback.position
        ? timeLeft(total - playback.position)
        : t('podcast.playedUpTo', { position: clock(playback.position) })}
      {total > 0 && <progress class="progress" max={total} value={playback.position} aria-hidden="true" />}
    </span>
  )
}
