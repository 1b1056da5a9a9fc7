import { CopyField } from '../../components/forms/field.tsx'
import { MediaLink } from '../../components/player/media-link.tsx'
import { isWebUrl, SafeLink } from '../../components/safe-link.tsx'
import { setTo } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { persistedSignal } from '../../store/preferences.ts'

/** `seen` once the user has opened a file in this browser, and so knows that the files come from the publisher. */
const filesNote = persistedSignal('files-note', ['new', 'seen'], 'new')
const noteOpening = setTo(filesNote, 'seen')

interface PublisherFilesProps {
  readonly url: string
  readonly mediaType: string | undefined
  readonly website: string
}

/** Links to the publisher, who sees the user's IP address. A note says so until the first file is opened. */
export function PublisherFiles({ url, mediaType, website }: PublisherFilesProps) {
  return (
    <>
      {isWebUrl(url) && filesNote.value === 'new' && <p class="muted small">{t('podcast.filesPrivacy')}</p>}
      {isWebUrl(website) && (
        <p class="small">
          <SafeLink url={website}>{t('podcast.website')}</SafeLink>
        </p>
      )}
      <div class="stack-small">
        <h2 class="podcast-small-heading">{t('podcast.mediaUrl')}</h2>
        <CopyField text={url} label={t('podcast.mediaUrl')} />
        <p class="align-start">
          <MediaLink episode={{ url, mediaType }} onOpen={noteOpening} />
        </p>
      </div>
    </>
  )
}
