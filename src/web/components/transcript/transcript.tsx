import { useComputed, useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { findText, t } from '../../locales/index.ts'
import { isInPlayer, player } from '../../store/player.ts'
import { ErrorNotice, errorMessage, Notice } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { SafeLink } from '../safe-link.tsx'
import { Cues } from './cues.tsx'

interface TranscriptProps {
  readonly podcast: string
  /** Media URL of the episode. */
  readonly url: string
  /** Address of the publisher's file; '' if the episode has no transcript. */
  readonly file: string
  readonly level: 2 | 3
  readonly onPlay: (seconds: number) => void
}

/** Transcript of an episode. It is loaded on request, from this server instead of the publisher's. */
export function Transcript({ file, level, ...episode }: TranscriptProps) {
  const isOpen = useSignal(false)
  if (file === '') return null
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <section class="stack-small transcript">
      <Heading>{t('podcast.transcript')}</Heading>
      {isOpen.value ? (
        <Loaded file={file} {...episode} />
      ) : (
        <>
          <p class="muted small">{t('podcast.transcripts.privacy')}</p>
          <p class="align-start">
            <Button icon="list" onClick={() => (isOpen.value = true)}>
              {t('podcast.transcripts.show')}
            </Button>
          </p>
        </>
      )}
    </section>
  )
}

function Loaded({ podcast, url, file, onPlay }: Omit<TranscriptProps, 'level'>) {
  const { data, error, reload } = useQuery((signal) =>
    call('getTranscript', { query: { podcast, episode: url }, signal }),
  )
  const position = useComputed(() => (isInPlayer(url) ? player.position.value : undefined))
  if (error.value !== undefined)
    return (
      <>
        <ErrorNotice text={errorMessage(error.value)} error={error.value} />
        <Retry onRetry={reload} />
      </>
    )
  if (!data.value)
    return (
      <p class="muted" role="status">
        {t('common.loading')}
      </p>
    )
  const { state, cues } = data.value
  if (state === 'ready') return <Cues cues={cues} position={position} onPlay={onPlay} />
  return (
    <>
      <Notice>
        <p>{findText(`podcast.transcripts.states.${state}`) ?? t('podcast.transcripts.states.unavailable')}</p>
        <p>
          <SafeLink url={file}>{t('podcast.transcripts.open')}</SafeLink>{' '}
          <span class="muted small">{t('podcast.filesPrivacy')}</span>
        </p>
      </Notice>
      {state === 'unavailable' && <Retry onRetry={reload} />}
    </>
  )
}

function Retry({ onRetry }: { readonly onRetry: () => unknown }) {
  return (
    <p class="align-start">
      <Button icon="refresh" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </p>
  )
}
