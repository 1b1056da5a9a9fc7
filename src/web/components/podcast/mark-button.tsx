import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'

interface MarkButtonProps {
  readonly title: string
  readonly isPlayed: boolean
  /** Marks the episode as played or as unplayed. Never rejects. */
  readonly onMark: (isPlayed: boolean, event: MouseEvent) => Promise<void>
}

/** Toggle that shows whether an episode was played: a filled check or an empty circle. */
export function MarkButton({ title, isPlayed, onMark }: MarkButtonProps) {
  const label = isPlayed ? t('episodes.markNew') : t('episodes.markPlayed')
  return (
    <span class="episode-mark" data-on={isPlayed}>
      <Button
        kind="quiet"
        icon={isPlayed ? 'played' : 'unplayed'}
        label={`${label}: ${title}`}
        tooltip={label}
        onClick={(event) => onMark(!isPlayed, event)}
      />
    </span>
  )
}
