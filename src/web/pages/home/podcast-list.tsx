import { EmptyState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Checkbox } from '../../components/forms/choice.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { PodcastHeading } from '../../components/podcast/podcast-item.tsx'
import { ago, date, t } from '../../locales/index.ts'
import type { OwnPodcast } from '../../store/subscriptions.ts'
import { showAll, view } from './view.ts'

interface PodcastListProps {
  readonly podcasts: readonly OwnPodcast[]
  readonly selected: ReadonlySet<string> | undefined
  readonly onToggle: (url: string) => void
}

export function PodcastList({ podcasts, selected, onToggle }: PodcastListProps) {
  if (podcasts.length === 0)
    return (
      <EmptyState title={t('home.nothingFound')} text="">
        <Button onClick={showAll}>{t('home.showAll')}</Button>
      </EmptyState>
    )
  return (
    <ul class={`home-${view.value}`}>
      {podcasts.map((podcast) => (
        <PodcastCard
          key={podcast.url}
          podcast={podcast}
          {...(selected && { isSelected: selected.has(podcast.url), onToggle: () => onToggle(podcast.url) })}
        />
      ))}
    </ul>
  )
}

interface PodcastCardProps {
  readonly podcast: OwnPodcast
  /** Undefined unless podcasts are being selected. */
  readonly isSelected?: boolean
  readonly onToggle?: () => void
}

function PodcastCard({ podcast, isSelected, onToggle }: PodcastCardProps) {
  const { url, title, newest_release: newest } = podcast
  const trouble = troubleOf(podcast)
  return (
    <li class="home-card" data-selected={isSelected === true}>
      <Artwork url={url} title={title} size={300} hasPicture={podcast.logo_url !== ''} />
      <div class="home-card-text">
        <PodcastHeading as="h2" podcast={podcast} />
        <p class="home-card-notes small">
          {newest !== '' && <span class="muted">{t('home.newest', { when: ago(newest) })}</span>}
          {podcast.private && (
            <span class="chip" title={t('home.privateHint')}>
              {t('home.private')}
            </span>
          )}
          {trouble && (
            <span class={`chip ${trouble.isBad ? 'chip-bad' : ''}`} title={trouble.text}>
              <span class="cut">{trouble.text}</span>
            </span>
          )}
        </p>
      </div>
      {onToggle && (
        <div class="home-card-check">
          <Checkbox
            label={<span class="hidden-text">{t('home.selectPodcast', { title })}</span>}
            checked={isSelected === true}
            onChange={onToggle}
          />
        </div>
      )}
    </li>
  )
}

function troubleOf({ health }: OwnPodcast): { readonly text: string; readonly isBad: boolean } | undefined {
  if (health.state === 'failing') return { text: t('home.failing', { since: date(health.since) }), isBad: true }
  if (health.state === 'gone') return { text: t('home.gone'), isBad: true }
  return health.state === 'new' ? { text: t('home.isNew'), isBad: false } : undefined
}
