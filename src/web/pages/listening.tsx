import { call } from '../api/client.ts'
import { Segmented } from '../parts/choices.tsx'
import { Empty, Failure } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { kept } from '../state/kept.ts'
import { useLoad } from '../state/load.ts'
import { language, plural, t } from '../text/index.ts'
import { Days, Weekdays } from './listening/charts.tsx'
import { daysOf, localDay, RANGES, type Range } from './listening/days.ts'
import { duration } from './listening/duration.ts'
import { History } from './listening/history.tsx'
import { Top } from './listening/top.tsx'

const range = kept<Range>('listening.range', RANGES, 'month')

/** What the person has listened to, and when. */
export default function Listening() {
  const texts = t().listening
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Segmented
          label={texts.range}
          value={range.value}
          options={RANGES.map((value) => ({ value, label: texts.ranges[value] }))}
          onChoose={(value) => {
            range.value = value
          }}
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
  const texts = t().listening
  const { data, error, reload } = useLoad(
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
  if (statistics.minutes === 0) return <Empty title={texts.emptyTitle} text={texts.emptyText} />
  return (
    <>
      <section class="card">
        <p class="muted small">{texts.total}</p>
        <p class="listening-total">{duration(statistics.minutes)}</p>
        <p class="muted">{plural(texts.episodes, statistics.episodes, language.value)}</p>
      </section>
      <Days statistics={statistics} />
      <div class="listening-pair">
        <Weekdays minutes={statistics.weekdays} />
        <Top podcasts={statistics.podcasts} />
      </div>
    </>
  )
}
