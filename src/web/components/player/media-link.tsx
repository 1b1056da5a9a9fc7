import { t } from '../../locales/index.ts'
import { isVideo, type Playable } from '../../store/playback/playable.ts'
import { ButtonLink } from '../forms/button.tsx'
import { isWebUrl } from '../safe-link.tsx'

interface MediaLinkProps {
  readonly episode: Pick<Playable, 'url' | 'mediaType'>
  readonly onOpen?: () => void
}

/** Link to the publisher's media file of an episode. Renders nothing unless the address is http or https. */
export function MediaLink({ episode, onOpen }: MediaLinkProps) {
  if (!isWebUrl(episode.url)) return null
  return (
    <ButtonLink kind="quiet" icon="external" href={episode.url} isExternal onOpen={onOpen}>
      {isVideo(episode) ? t('podcast.openVideo') : t('podcast.openMedia')}
    </ButtonLink>
  )
}
