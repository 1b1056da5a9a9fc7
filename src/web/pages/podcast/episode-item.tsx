import type { Answer } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { date, duration as lengthOf, t, timeLeft } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { clock, type Heard } from '../../store/playback/progress.ts'
import type { Playable } from '../../store/player.ts'

type Episode = Answer<'listEpisodes'>['episodes'][number]

export function EpisodeItem({ episode, heard }: { episode: Episode; heard: Heard | undefined }) {
  const { title, released, duration, description, url, podcast_url: podcast } = episode
  return (
    <li class="episode">
      <div class="episode-text">
        <h3 dir="auto">
          <a href={href('/episode', { podcast, url })} data-item="">
            {title}
          </a>
        </h3>
        <p class="row small muted">
          {released !== '' && <time dateTime={`${released}Z`}>{date(released)}</time>}
          {duration !== null && <span>{lengthOf(duration)}</span>}
          {heard && <ProgressMark heard={heard} duration={duration} />}
        </p>
        {description !== '' && (
          <p class="episode-about small muted" dir="auto">
            {description}
          </p>
        )}
      </div>
      <PlayButton episode={playableOf(episode, heard)} />
    </li>
  )
}

/** An episode as the player takes it. */
export function playableOf(episode: Episode, heard: Heard | undefined): Playable {
  const { podcast_url: podcast, podcast_title: podcastTitle, url, title, duration, mime_type, guid } = episode
  return {
    ...{ podcast, podcastTitle, url, title, duration },
    mediaType: mime_type,
    guid: guid === '' ? undefined : guid,
    position: heard && !heard.isDone ? heard.position : undefined,
  }
}

/** How far an episode was played, as text and as a bar that is hidden from screen readers. */
export function ProgressMark({ heard, duration }: { heard: Heard; duration: number | null }) {
  const total = heard.total ?? duration ?? 0
  if (heard.isDone)
    return (
      <span class="chip chip-good">
        <Icon name="check" />
        {t('podcast.played')}
      </span>
    )
  return (
    <span class="episode-heard">
      {total > heard.position
        ? t('podcast.left', {
            left: timeLeft(total - heard.position),
            position: clock(heard.position),
            total: clock(total),
          })
        : t('podcast.playedUpTo', { position: clock(heard.position) })}
      {total > 0 && <progress class="progress" max={total} value={heard.position} aria-hidden="true" />}
    </span>
  )
}
