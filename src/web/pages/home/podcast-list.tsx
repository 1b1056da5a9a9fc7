import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/notice.tsx'
import type { OwnPodcast } from '../../state/subscriptions.ts'
import { t } from '../../text/index.ts'
import { showAll, view } from './choice.ts'
import { PodcastCard } from './podcast-card.tsx'

interface PodcastListProps {
  readonly podcasts: readonly OwnPodcast[]
  readonly selected: ReadonlySet<string> | undefined
  readonly onToggle: (url: string) => void
}

export function PodcastList({ podcasts, selected, onToggle }: PodcastListProps) {
  if (podcasts.length === 0)
    return (
      <Empty title={t().home.nothingFound} text="">
        <Button onClick={showAll}>{t().home.showAll}</Button>
      </Empty>
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
