import type { Answer } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { date, number, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

type Episode = Answer<'listEpisodes'>['episodes'][number]

export function EpisodeItem({ episode, heard }: { episode: Episode; heard: Heard | undefined }) {
  const { title, released, duration, description, url, podcast_url: podcast } = episode
  return (
    <li class="episode">
      <h3 dir="auto">
        <a href={href('/episode', { podcast, url })} data-item="">
          {title}
        </a>
      </h3>
      <p class="row small muted">
        {released !== '' && <time dateTime={`${released}Z`}>{date(released)}</time>}
        {duration !== null && (
          <span>{t('podcast.minutes', { n: number(Math.max(1, Math.round(duration / 60))) })}</span>
        )}
        {heard && <ProgressMark heard={heard} duration={duration} />}
      </p>
      {description !== '' && (
        <p class="episode-about small muted" dir="auto">
          {description}
        </p>
      )}
    </li>
  )
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
      {t('podcast.playedUpTo', { position: clock(heard.position), total: total > 0 ? clock(total) : '?' })}
      {total > 0 && <progress class="progress" max={total} value={heard.position} aria-hidden="true" />}
    </span>
  )
}

/** How far an episode was played, in seconds, by the latest report of any app. */
interface Heard {
  readonly position: number
  /** Undefined if no app has reported it. */
  readonly total: number | undefined
  readonly isDone: boolean
}

interface Action {
  readonly episode: string
  readonly action: string
  readonly timestamp: string
  readonly position?: number
  readonly total?: number
}

/** Seconds before the end from which an episode counts as played, since apps stop in the credits. */
const NEARLY = 0.97

/** The progress of each episode by media URL. */
export function progressOf(actions: readonly Action[]): Map<string, Heard> {
  const latest = new Map<string, Action>()
  for (const action of actions) {
    if (action.action !== 'play' || action.position === undefined) continue
    const known = latest.get(action.episode)
    if (!known || known.timestamp <= action.timestamp) latest.set(action.episode, action)
  }
  return new Map([...latest].map(([episode, { position = 0, total }]) => [episode, heard(position, total)]))
}

function heard(position: number, total: number | undefined): Heard {
  return { position, total, isDone: total !== undefined && total > 0 && position >= total * NEARLY }
}

/** Seconds as `1:02:03` or `2:03`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
