import { t } from '../../locales/index.ts'
import { isVideo, type Playable } from '../../store/playback/playable.ts'
import { ButtonLink } from '../forms/button.tsx'
import { isWebUrl } from '../safe-link.tsx'

/** Opens the media file of an episode at its publisher. Nothing if its address is none of the web. */
export function MediaLink({ episode }: { readonly episode: Pick<Playable, 'url' | 'mediaType'> }) {
  if (!isWebUrl(episode.url)) return null
  return (
    <ButtonLink kind="quiet" icon="external" href={episode.url} isExternal>
      {isVideo(episode) ? t('podcast.openVideo') : t('podcast.openMedia')}
    </ButtonLink>
  )
}
