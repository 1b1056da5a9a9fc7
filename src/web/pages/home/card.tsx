import { useComputed } from '@preact/signals'
import { captionOf } from '../../components/device.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { PodcastHeading } from '../../components/podcast/podcast-item.tsx'
import { ago, date, t } from '../../locales/index.ts'
import { unplayed } from '../../store/episodes/lists.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { isOutbound } from '../../store/session.ts'
import type { OwnPodcast } from '../../store/subscriptions.ts'
import { countLabels } from './list.ts'
import { selected } from './view.ts'

export interface CardProps {
  readonly podcast: OwnPodcast
  readonly isSelecting: boolean
  readonly onToggle: (url: string) => void
}

/**
 * A podcast in the list. As there may be a thousand, values that change often, such as the selection, are bound to
 * elements as signals, which avoids rerendering the card.
 */
export function PodcastCard({ podcast, isSelecting, onToggle }: CardProps) {
  const { url, title, newest_release: newestRelease } = podcast
  const isSelected = useComputed(() => selected.value?.has(url) ?? false)
  const problem = problemOf(podcast)
  return (
    <li class="home-card" data-selected={isSelected}>
      {isSelecting && (
        <label class="home-card-check">
          <input type="checkbox" checked={isSelected} onChange={() => onToggle(url)} />
          <span class="hidden-text">{t('home.selectPodcast', { title })}</span>
        </label>
      )}
      <div class="home-card-cover">
        <Artwork url={url} title={title} size={300} hasPicture={podcast.has_picture} />
        <NewCount url={url} />
      </div>
      <div class="home-card-text">
        <div class="media-text">
          <PodcastHeading as="h3" podcast={podcast} />
        </div>
        <p class="row home-card-notes small muted">
          {newestRelease !== '' && (
            <time dateTime={`${newestRelease}Z`} onPointerEnter={setDateTitle}>
              {ago(newestRelease)}
            </time>
          )}
          {podcast.private && <span title={t('home.privateHint')}>{t('home.private')}</span>}
          {problem && <span class={problem.isBad ? 'bad' : undefined}>{problem.text}</span>}
        </p>
        <Holders ids={podcast.devices} />
      </div>
    </li>
  )
}

/** Sets the tooltip of a date on hover, because formatting a thousand dates takes as long as drawing several cards. */
function setDateTitle({ currentTarget: time }: PointerEvent): void {
  if (time instanceof HTMLTimeElement) time.title = t('home.newest', { when: date(time.dateTime.slice(0, -1)) })
}

function NewCount({ url }: { url: string }) {
  const { value: count } = useComputed(() => unplayed.value.value?.get(url)?.new ?? 0)
  if (count === 0) return null
  const { mark, label } = countLabels(count)
  return (
    <span class="home-count" title={label}>
      <span aria-hidden="true">{mark}</span>
      <span class="hidden-text">{label}</span>
    </span>
  )
}

/** The devices that have the podcast, if there is room. Renders nothing if the user has only one device. */
function Holders({ ids }: { ids: readonly string[] }) {
  const all = ownPodcastDevices.value ?? []
  if (all.length < 2) return null
  const names = ids.map((id) => captionOf(id, all))
  return (
    <p class="cut home-card-devices small muted" title={names.join(', ')}>
      {ids.length === all.length ? t('home.allDevices') : names.join(', ')}
    </p>
  )
}

function problemOf({ health }: OwnPodcast): { readonly text: string; readonly isBad: boolean } | undefined {
  if (health.state === 'failing') return { text: t('home.failing', { since: date(health.since) }), isBad: true }
  if (health.state === 'gone') return { text: t('home.gone'), isBad: true }
  return health.state === 'new' && isOutbound() ? { text: t('home.isNew'), isBad: false } : undefined
}
