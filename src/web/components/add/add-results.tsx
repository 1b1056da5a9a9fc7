import { callExternal, type ExternalState } from '../../api/external.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { findText, t } from '../../locales/index.ts'
import { type Addition, nextSteps, type Resolution, titleOf } from '../../store/adding.ts'
import { hasDirectory, isOutbound } from '../../store/session.ts'
import { holdersOf } from '../../store/subscriptions.ts'
import { Failure, Notice, OutboundOff } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { RowSkeleton } from '../layout/skeletons.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { PodcastHeading } from '../podcast/podcast-item.tsx'
import { adjacentIndex } from '../shortcut-keys.ts'

interface ListedMatch extends Addition {
  readonly author: string
  readonly logo_url: string
}

interface ListProps {
  readonly isBusy: boolean
  readonly onAdd: (podcast: Addition) => void
}

/** Podcasts found at one address. Shown if there are several, or if the address came from another app. */
export function Candidates({ candidates, ...list }: ListProps & Pick<Resolution, 'candidates'>) {
  return (
    <section class="stack-small" aria-label={t('add.results')}>
      {candidates.length > 1 && <p>{t('add.several')}</p>}
      <MatchList matches={candidates} hasPictures={false} {...list} />
    </section>
  )
}

/** Podcasts on this server and in the external directory that match the words. */
export function Matches({ q, ...list }: ListProps & { readonly q: string }) {
  const { data, error, reload } = useQuery((signal) => callExternal('searchAll', { query: { q }, signal }), [q])
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  if (!data.value) return <RowSkeleton count={3} isWide />
  const { local, external } = data.value.answer
  const count = local.length + external.length
  return (
    <section class="stack-small" aria-label={t('add.results')}>
      <p class="hidden-text" role="status">
        {t('discover.found', { n: count })}
      </p>
      <MatchList matches={local} hasPictures {...list} />
      <MatchList matches={external} hasPictures={false} {...list} />
      {count === 0 && <NoMatches state={data.value.state} />}
    </section>
  )
}

function NoMatches({ state }: { readonly state: ExternalState }) {
  return (
    <div class="stack-small muted">
      <p>{t('add.nothing')}</p>
      {state === 'error' && <p>{t('discover.elsewhereError')}</p>}
      {state === 'off' && <OnlyHere />}
    </div>
  )
}

/** Note that only this server was searched. */
function OnlyHere() {
  return isOutbound() ? <p class="small">{t('add.onlyHere')}</p> : <OutboundOff />
}

interface MatchListProps extends ListProps {
  readonly matches: readonly ListedMatch[]
  /** Whether the server may have pictures of the podcasts. */
  readonly hasPictures: boolean
}

function MatchList({ matches, hasPictures, isBusy, onAdd }: MatchListProps) {
  if (matches.length === 0) return null
  return (
    <ul class="add-matches">
      {matches.map((match) => (
        <li class="media podcast-item" key={match.url}>
          <Artwork
            url={match.url}
            title={match.title}
            size={128}
            hasPicture={match.logo_url !== '' && (hasPictures || holdersOf(match.url).size > 0)}
          />
          <div class="media-text">
            <PodcastHeading as="h2" podcast={{ ...match, title: titleOf(match), language: '' }} />
          </div>
          <AddButton match={match} isBusy={isBusy} onAdd={onAdd} />
        </li>
      ))}
    </ul>
  )
}

function AddButton({ match, isBusy, onAdd }: ListProps & { readonly match: ListedMatch }) {
  if (holdersOf(match.url).size > 0) return <span class="chip chip-good">{t('subscribe.subscribed')}</span>
  return (
    <Button icon="plus" about={titleOf(match)} isBusy={isBusy} onClick={() => onAdd(match)}>
      {t('add.submit')}
    </Button>
  )
}

interface DeadEndProps {
  readonly answer: Resolution
  readonly isBusy: boolean
  readonly onRetry: () => void
  readonly onAdd: () => void
  readonly onSearch: () => void
}

/** Explains why no podcast was found at an address, and offers the next steps. */
export function DeadEnd({ answer, isBusy, onRetry, onAdd, onSearch }: DeadEndProps) {
  const { canRetry, canAddAnyway } = nextSteps(answer)
  return (
    <Notice kind="warn">
      <p role="alert">{reasonText(answer.reason)}</p>
      <p class="add-address small" dir="ltr">
        {answer.address}
      </p>
      <div class="row">
        {canRetry && (
          <Button icon="refresh" isBusy={isBusy} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )}
        {canAddAnyway && (
          <Button icon="plus" isBusy={isBusy} onClick={onAdd}>
            {t('add.anyway')}
          </Button>
        )}
        {hasDirectory() && (
          <Button icon="search" onClick={onSearch}>
            {t('add.byName')}
          </Button>
        )}
      </div>
    </Notice>
  )
}

function reasonText(reason: string): string {
  if (reason === 'closed' && !hasDirectory()) return t('add.closedLink')
  return findText(`add.reasons.${reason}`) ?? t('add.reasons.internal')
}

/** Moves the focus between the text field and the buttons of the results. */
export function moveByArrows(event: KeyboardEvent, container: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const places = [...(container?.querySelectorAll<HTMLElement>('input[type="text"], .add-matches button') ?? [])]
  const { activeElement } = document
  const now = activeElement instanceof HTMLElement ? places.indexOf(activeElement) : -1
  if (now === -1) return
  event.preventDefault()
  places[adjacentIndex(now, places.length, event.key === 'ArrowDown' ? 1 : -1)]?.focus()
}
