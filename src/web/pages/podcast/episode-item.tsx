import type { Answer } from '../../api/client.ts'
import { Icon } from '../../parts/icon.tsx'
import { href } from '../../state/base.ts'
import { date, fill, number, t } from '../../text/index.ts'
import { clock, type Heard } from './progress.ts'

type Episode = Answer<'listEpisodes'>['episodes'][number]

export function EpisodeItem({ episode, heard }: { episode: Episode; heard: Heard | undefined }) {
  const { title, released, duration, description, url, podcast_url: podcast } = episode
  return (
    <li class="episode">
      <h3 dir="auto">
        <a
          href={`${href('/episode')}?podcast=${encodeURIComponent(podcast)}&url=${encodeURIComponent(url)}`}
          data-item=""
        >
          {title}
        </a>
      </h3>
      <p class="row small muted">
        {released !== '' && <time dateTime={`${released}Z`}>{date(released)}</time>}
        {duration !== null && (
          <span>{fill(t().podcast.minutes, { n: number(Math.max(1, Math.round(duration / 60))) })}</span>
        )}
        {heard && <HeardMark heard={heard} duration={duration} />}
      </p>
      {description !== '' && (
        <p class="episode-about small muted" dir="auto">
          {description}
        </p>
      )}
    </li>
  )
}

/** How far it was heard, in words; the bar is for the eyes. */
export function HeardMark({ heard, duration }: { heard: Heard; duration: number | null }) {
  const texts = t().podcast
  const total = heard.total ?? duration ?? 0
  if (heard.isDone)
    return (
      <span class="chip chip-good">
        <Icon name="check" />
        {texts.played}
      </span>
    )
  return (
    <span class="episode-heard">
      {fill(texts.playedUpTo, { position: clock(heard.position), total: total > 0 ? clock(total) : '?' })}
      {total > 0 && <progress class="progress" max={total} value={heard.position} aria-hidden="true" />}
    </span>
  )
}
