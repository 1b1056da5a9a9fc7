import { type Answer, call } from '../../api/client.ts'
import { EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { Page, Skeleton } from '../../components/layout/page.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setter } from '../../hooks/setters.ts'
import { type Query, useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { Days, Weekdays } from './charts.tsx'
import { History } from './history.tsx'
import { daysOf, listenedFor, localDay, RANGES, type Range } from './periods.ts'

const range = persistedSignal<Range>('listening.range', RANGES, 'month')

/** Listening statistics and history of the user. */
export default function Listening() {
  const query = useQuery(
    (signal) => {
      const now = new Date()
      return call('getListening', {
        query: { ...daysOf(range.value, localDay(now)), offset: -now.getTimezoneOffset() },
        signal,
      })
    },
    [range.value],
  )
  const isSettled = query.data.value !== undefined || query.error.value !== undefined
  return (
    <Page
      title={t('listening.title')}
      lead={t('listening.lead')}
      actions={
        <>
          <ButtonLink icon="year" href={href('/year')}>
            {t('year.title')}
          </ButtonLink>
          <ButtonChoice
            class="segmented"
            label={t('listening.range')}
            value={range.value}
            options={RANGES.map((value) => ({ value, label: t(`listening.ranges.${value}`) }))}
            onChoose={setter(range)}
          />
        </>
      }
    >
      <div class="stack-large">
        <Charts query={query} />
        {/* Waits for the charts, which would shift it when they appear. */}
        {isSettled && <History />}
      </div>
    </Page>
  )
}

function Charts({ query }: { query: Query<Statistics> }) {
  const statistics = query.data.value
  if (!statistics) return <QueryState query={query} skeleton={<ChartSkeleton />} />
  if (statistics.minutes === 0) return <EmptyState title={t('listening.emptyTitle')} text={t('listening.emptyText')} />
  return (
    <>
      <section class="card">
        <p class="muted small">{t('listening.total')}</p>
        <p class="listening-total">{listenedFor(statistics.minutes)}</p>
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

/** Placeholder with the height of the charts, so that the history below does not jump. */
function ChartSkeleton() {
  return (
    <>
      <Skeleton height="9.5rem" />
      <Skeleton height="19rem" />
      <div class="listening-pair">
        <Skeleton height="20rem" />
        <Skeleton height="20rem" />
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
      <ol class="stack">
        {podcasts.slice(0, 8).map(({ url, title, logo_url: logo, minutes, episodes }) => (
          <li class="media" key={url}>
            <Artwork url={url} title={title} size={64} hasPicture={logo !== ''} />
            <div class="media-text">
              <p class="media-title clamp" dir="auto">
                <a href={podcastHref(url)}>{title}</a>
              </p>
              <p class="muted small">
                {listenedFor(minutes)} · {t('common.episodes', { n: episodes })}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
