import { useSignal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { isFavorite, setFavorite } from '../../store/favorites.ts'
import { attempt } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'

interface FavoriteButtonProps {
  readonly episode: { readonly podcast: string; readonly url: string; readonly title: string }
  /** State that the page has loaded. */
  readonly loaded: boolean
}

/** Star that adds an episode to the favorites or removes it. */
export function FavoriteButton({ episode, loaded }: FavoriteButtonProps) {
  const isBusy = useSignal(false)
  const isOn = isFavorite(episode, loaded)
  async function toggle(): Promise<void> {
    isBusy.value = true
    await attempt(() => setFavorite(episode, !isOn), episode.url)
    isBusy.value = false
  }
  return (
    <span class="favorite" data-on={isOn}>
      <Button
        kind="quiet"
        icon="favorites"
        label={t('favorites.favorite', { title: episode.title })}
        aria-pressed={isOn}
        isBusy={isBusy.value}
        onClick={toggle}
      />
    </span>
  )
}
