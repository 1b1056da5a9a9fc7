import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { ActionButton, EmptyState, Failure, QueryState } from '../../components/feedback/notice.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { Page, Skeleton } from '../../components/layout/page.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { date, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { clock } from '../../store/playback/progress.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { Days, Weekdays } from './charts.tsx'
import { daysOf, duration, localDay, RANGES, type Range } from './periods.ts'

const range = persistedSignal<Range>('listening.range', RANGES, 'month')

/** Statistics and history of what the user has listened to. */
export default function Listening() {
  return (
    <Page
      title={t('listening.title')}
      lead={t('listening.lead')}
      actions={
        <ButtonChoice
          class="segmented"
          label={t('listening.range')}
          value={range.value}
          options={RANGES.map((value) => ({ value, label: t(`listening.ranges.${value}`) }))}
          onChoose={setter(range)}
        />
      }
    >
      <div class="stack listening">
        <Charts />
        <History />
      </div>
    </Page>
  )
}

function Charts() {
  const { data, error, reload } = useQuery(
    (signal) => {
      const now = new Date()
      const query = { ...daysOf(range.value, localDay(now)), offset: -now.getTimezoneOffset() }
      return call('getListening', { query, signal })
    },
    [range.value],
  )
  const statistics = data.value
  if (error.value && !statistics) return <Failure error={error.value} onRetry={() => void reload()} />
  if (!statistics) return <Skeleton height="16rem" count={2} />
  if (statistics.minutes === 0) return <EmptyState title={t('listening.emptyTitle')} text={t('listening.emptyText')} />
  return (
    <>
      <section class="card">
        <p class="muted small">{t('listening.total')}</p>
        <p class="listening-total">{duration(statistics.minutes)}</p>
        <p class="muted">{t('listening.episodes', { n: statistics.episodes })}</p>
      </section>
      <Days statistics={statistics} />
      <div class="listening-pair">
        <Weekdays minutes={statistics.weekdays} />
        <Top podcasts={statistics.podcasts} />
      </div>
    </>
  )
}

type Statistics = Answer<'getListening'>

/** The podcasts with the most listening time. */
function Top({ podcasts }: { podcasts: Statistics['podcasts'] }) {
  return (
    <section class="card stack">
      <h2>{t('listening.top')}</h2>
      <ol class="listening-top">
        {podcasts.slice(0, 8).map(({ url, title, logo_url: logo, minutes, episodes }) => (
          <li key={url}>
            <Artwork url={url} title={title} size={64} hasPicture={logo !== ''} />
            <div>
              <a href={podcastHref(url)} dir="auto">
                {title}
              </a>
              <p class="muted small">
                {duration(minutes)} · {t('common.episodes', { n: episodes })}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

type Event = Answer<'getHistory'>['events'][number]

const PER_PAGE = 20

/** What was played, latest first. */
function History() {
  const shown = useSignal<readonly Event[]>([])
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const captionOf = useDeviceCaptions()
  const query = useQuery(async (signal) => {
    const page = await call('getHistory', { query: { page: 0, per_page: PER_PAGE }, signal })
    shown.value = page.events
    return page.total
  })
  const total = query.data.value

  async function more(): Promise<void> {
    const page = Math.floor(shown.value.length / PER_PAGE)
    const { events } = await call('getHistory', { query: { page, per_page: PER_PAGE } })
    expect()
    shown.value = [...shown.value, ...events]
  }

  return (
    <section class="stack">
      <h2>{t('listening.history')}</h2>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" count={6} />} />
      {total === 0 && <p class="muted">{t('listening.noHistory')}</p>}
      {total !== undefined && total > 0 && (
        <>
          <ol class="listening-history" ref={list}>
            {shown.value.map((event, index) => (
              <HistoryItem key={index} event={event} captionOf={captionOf} />
            ))}
          </ol>
          {shown.value.length < total && (
            <p>
              <ActionButton work={more}>{t('listening.more')}</ActionButton>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function HistoryItem({ event, captionOf }: { event: Event; captionOf: (device: string) => string }) {
  return (
    <li>
      <p>
        <a href={href('/episode', { podcast: event.podcast, url: event.episode })} dir="auto" data-item="">
          {event.episode_title}
        </a>{' '}
        <span class="muted" dir="auto">
          {event.podcast_title}
        </span>
      </p>
      <p class="row small muted">
        <time dateTime={`${event.timestamp}Z`}>{date(event.timestamp, 'time')}</time>
        {event.position !== undefined && (
          <span>
            {t('listening.position', {
              position: clock(event.position),
              total: event.total ? clock(event.total) : '?',
            })}
          </span>
        )}
        {event.device !== undefined && event.device !== '' && (
          <span>{t('listening.on', { device: captionOf(event.device) })}</span>
        )}
      </p>
    </li>
  )
}
