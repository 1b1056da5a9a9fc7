import { type Answer, call } from '../../api/client.ts'
import { Empty, Failure } from '../../components/feedback/notice.tsx'
import { Segmented } from '../../components/forms/preferences.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastPage } from '../../components/podcast/podcast-item.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { kept } from '../../store/preferences.ts'
import { language, plural, t } from '../../text/index.ts'
import { Days, Weekdays } from './charts.tsx'
import { History } from './history.tsx'
import { daysOf, duration, localDay, RANGES, type Range } from './periods.ts'

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

type Statistics = Answer<'getListening'>

/** What was listened to most. */
function Top({ podcasts }: { podcasts: Statistics['podcasts'] }) {
  const texts = t().listening
  return (
    <section class="card stack">
      <h2>{texts.top}</h2>
      <ol class="listening-top">
        {podcasts.slice(0, 8).map(({ url, title, logo_url: logo, minutes, episodes }) => (
          <li key={url}>
            <Artwork url={url} title={title} size={64} hasPicture={logo !== ''} />
            <div>
              <a href={podcastPage(url)} dir="auto">
                {title}
              </a>
              <p class="muted small">
                {duration(minutes)} · {plural(t().common.episodes, episodes, language.value)}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
