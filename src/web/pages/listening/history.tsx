import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { ActionButton, QueryState } from '../../components/feedback/notice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { SEARCH_PAUSE } from '../../components/own-search.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { EpisodeEntry } from '../../components/podcast/episode-entry.tsx'
import { EpisodeMenu } from '../../components/podcast/episode-menu.tsx'
import { EpisodeRows } from '../../components/podcast/episode-row.tsx'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { clockTime, dayName } from '../../locales/calendar.ts'
import { duration, t } from '../../locales/index.ts'
import { clock } from '../../store/playback/progress.ts'
import { localDay } from './periods.ts'
import { type Sitting, sittingsOf } from './sittings.ts'

type Event = Answer<'getHistory'>['events'][number]

/** Reports per page of the API. Several reports make up one entry here. */
const PER_PAGE = 100
/** Number of entries added by each press of the button. */
const STEP = 20

/** Played episodes, latest first, with one entry per episode and day, or the results of a search. */
export function History() {
  const typed = useSignal('')
  const q = useSignal('')
  const search = useDebounce(SEARCH_PAUSE, (text: string) => {
    q.value = text.trim()
  })
  const events = useSignal<readonly Event[]>([])
  const limit = useSignal(STEP)
  const allSittings = sittingsOf(events.value, (timestamp) => localDay(new Date(`${timestamp}Z`)))
  const sittings = allSittings.slice(0, limit.value)
  const { list, expect } = useFocusAdded<HTMLOListElement>(sittings.length)
  const captionOf = useDeviceCaptions()
  const query = useQuery(async (signal) => {
    const page = await call('getHistory', { query: { page: 0, per_page: PER_PAGE }, signal })
    events.value = page.events
    return page.total
  })
  const total = query.data.value

  async function more(): Promise<void> {
    const newLimit = limit.value + STEP
    if (allSittings.length < newLimit && events.value.length < (total ?? 0)) {
      const page = Math.floor(events.value.length / PER_PAGE)
      const answer = await call('getHistory', { query: { page, per_page: PER_PAGE } })
      events.value = [...events.value, ...answer.events]
    }
    expect()
    limit.value = newLimit
  }

  return (
    <section class="stack">
      <h2>{t('listening.history')}</h2>
      <QueryState query={query} skeleton={<RowSkeleton count={6} />} />
      {total === 0 && <p class="muted">{t('listening.noHistory')}</p>}
      {total !== undefined && total > 0 && (
        <search>
          <SearchBox label={t('listening.search')} value={typed} onInput={search} />
        </search>
      )}
      {q.value !== '' && <FoundHistory q={q.value} />}
      {total !== undefined && total > 0 && q.value === '' && (
        <>
          <ol class="episode-entries" ref={list}>
            {sittings.map((sitting) => (
              <HistoryItem key={`${sitting.day} ${sitting.episode}`} sitting={sitting} captionOf={captionOf} />
            ))}
          </ol>
          {(allSittings.length > sittings.length || events.value.length < total) && (
            <p>
              <ActionButton work={more}>{t('listening.more')}</ActionButton>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function FoundHistory({ q }: { q: string }) {
  const query = useQuery(async (signal) => (await call('searchOwn', { query: { q }, signal })).history, [q])
  useHints(['episodes'], query.reload)
  const found = query.data.value
  return (
    <>
      <QueryState query={query} skeleton={<RowSkeleton count={4} />} />
      <p class={found?.length === 0 ? 'muted' : 'hidden-text'} role="status">
        {found && (found.length === 0 ? t('listening.searchNone') : t('common.episodes', { n: found.length }))}
      </p>
      {found && found.length > 0 && <EpisodeRows items={found} onChange={query.reload} />}
    </>
  )
}

interface HistoryItemProps {
  readonly sitting: Sitting
  readonly captionOf: (device: string) => string
}

function HistoryItem({ sitting, captionOf }: HistoryItemProps) {
  const { podcast, podcastTitle, episode, episodeTitle, hasPicture, last, devices } = sitting
  const at = Date.parse(`${last}Z`) / 1000
  const playable = {
    ...{ podcast, url: episode, title: episodeTitle, podcastTitle, hasPicture },
    duration: sitting.total ?? null,
  }
  const on = devices.length > 0 && t('listening.on', { device: devices.map(captionOf).join(', ') })
  return (
    <EpisodeEntry
      {...{ podcast, podcastTitle, hasPicture }}
      url={episode}
      title={episodeTitle}
      detail={
        <>
          <time dateTime={`${last}Z`}>
            {dayName(at)}, {clockTime(at)}
          </time>
          {[amountOf(sitting), on].filter(Boolean).map((part) => ` · ${part}`)}
        </>
      }
    >
      <EpisodeMenu episode={playable} />
      <PlayButton episode={playable} />
    </EpisodeEntry>
  )
}

/** Returns the time listened and the position reached, if apps reported them. */
function amountOf({ seconds, isFinished, position, total }: Sitting): string {
  const amount = seconds >= 30 ? duration(seconds) : ''
  if (isFinished) return amount === '' ? t('listening.finished') : t('listening.heardAll', { amount })
  const place =
    position === undefined
      ? ''
      : t('listening.position', { position: clock(position), total: total ? clock(total) : '?' })
  return [amount, place].filter(Boolean).join(', ')
}
