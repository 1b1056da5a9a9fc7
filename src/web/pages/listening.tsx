import { useSignal } from '@preact/signals'
import { type Answer, call } from '../api/client.ts'
import { Artwork } from '../parts/artwork.tsx'
import { BarChart, TableTwin } from '../parts/bar-chart.tsx'
import { Button } from '../parts/button.tsx'
import { Segmented } from '../parts/choices.tsx'
import { Empty, errorText, Failure } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { podcastPage } from '../parts/podcast-item.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { href } from '../state/base.ts'
import { kept } from '../state/kept.ts'
import { useLoad } from '../state/load.ts'
import { toast } from '../state/toasts.ts'
import { date, fill, language, number, plural, t } from '../text/index.ts'
import { barsOf, daysOf, localDay, RANGES, type Range } from './listening/days.ts'
import { clock } from './podcast/progress.ts'

type Statistics = Answer<'getListening'>
type Event = Answer<'getHistory'>['events'][number]

const range = kept<Range>('listening.range', RANGES, 'month')
const PER_PAGE = 20

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

function Days({ statistics }: { statistics: Statistics }) {
  const texts = t().listening
  const { from, to, days, minutes } = statistics
  const bars = barsOf(days, from, to).map((bar) => ({
    label: date(`${bar.date}T12:00:00`),
    value: Math.round(bar.minutes),
  }))
  const middle = bars[Math.floor(bars.length / 2)]?.label ?? ''
  return (
    <section class="card stack">
      <h2>{texts.perDay}</h2>
      <BarChart
        summary={fill(texts.chart, { title: texts.perDay, total: duration(minutes), peak: peakOf(bars) })}
        bars={bars}
        ticks={[bars[0]?.label ?? '', middle, bars.at(-1)?.label ?? '']}
      />
      <TableTwin
        caption={texts.perDay}
        summary={texts.asTable}
        head={[texts.day, texts.minutesColumn]}
        rows={bars.filter(({ value }) => value > 0).map(({ label, value }) => [label, number(value)])}
      />
    </section>
  )
}

/** 2024-01-01 was a Monday. */
const MONDAY = Date.UTC(2024, 0, 1)

function Weekdays({ minutes }: { minutes: readonly number[] }) {
  const texts = t().listening
  const name = (index: number, style: 'long' | 'short') =>
    new Intl.DateTimeFormat(language.value, { weekday: style, timeZone: 'UTC' }).format(MONDAY + index * 86_400_000)
  const bars = minutes.map((value, index) => ({ label: name(index, 'long'), value: Math.round(value) }))
  const total = minutes.reduce((sum, value) => sum + value, 0)
  return (
    <section class="card stack">
      <h2>{texts.perWeekday}</h2>
      <BarChart
        summary={fill(texts.chart, { title: texts.perWeekday, total: duration(total), peak: peakOf(bars) })}
        bars={bars}
        ticks={minutes.map((_, index) => name(index, 'short'))}
      />
      <TableTwin
        caption={texts.perWeekday}
        summary={texts.asTable}
        head={[texts.weekday, texts.minutesColumn]}
        rows={bars.map(({ label, value }) => [label, number(value)])}
      />
    </section>
  )
}

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

function History() {
  const texts = t().listening
  const shown = useSignal<readonly Event[]>([])
  const isBusy = useSignal(false)
  const { data, error, reload } = useLoad(async (signal) => {
    const page = await call('getHistory', { query: { page: 0, per_page: PER_PAGE }, signal })
    shown.value = page.events
    return page.total
  })

  async function more(): Promise<void> {
    isBusy.value = true
    try {
      const page = Math.floor(shown.value.length / PER_PAGE)
      const { events } = await call('getHistory', { query: { page, per_page: PER_PAGE } })
      shown.value = [...shown.value, ...events]
    } catch (reason) {
      toast(errorText(reason), { kind: 'error' })
    }
    isBusy.value = false
  }

  return (
    <section class="stack">
      <h2>{texts.history}</h2>
      {error.value && data.value === undefined ? (
        <Failure error={error.value} onRetry={() => void reload()} />
      ) : data.value === undefined ? (
        <Skeleton height="3.5rem" count={6} />
      ) : data.value === 0 ? (
        <p class="muted">{texts.noHistory}</p>
      ) : (
        <>
          <ol class="listening-history">
            {shown.value.map((event, index) => (
              <HistoryItem key={index} event={event} />
            ))}
          </ol>
          {shown.value.length < data.value && (
            <p>
              <Button isBusy={isBusy.value} onClick={more}>
                {texts.more}
              </Button>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function HistoryItem({ event }: { event: Event }) {
  const texts = t().listening
  const page = `${href('/episode')}?podcast=${encodeURIComponent(event.podcast)}&url=${encodeURIComponent(event.episode)}`
  return (
    <li>
      <p>
        <a href={page} dir="auto" data-item="">
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
            {fill(texts.position, { position: clock(event.position), total: event.total ? clock(event.total) : '?' })}
          </span>
        )}
        {event.device !== undefined && event.device !== '' && <span>{fill(texts.on, { device: event.device })}</span>}
      </p>
    </li>
  )
}

function peakOf(bars: readonly { readonly label: string; readonly value: number }[]): string {
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), bars[0] ?? { label: '', value: 0 })
  return most.label
}

/** Minutes in words. */
function duration(minutes: number): string {
  const { hours, hoursMinutes, minutes: few } = t().listening
  const whole = Math.round(minutes)
  if (whole < 60) return fill(few, { n: number(whole) })
  const h = Math.floor(whole / 60)
  return whole % 60 === 0 ? fill(hours, { n: number(h) }) : fill(hoursMinutes, { h: number(h), m: whole % 60 })
}
