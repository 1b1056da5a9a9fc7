import type { Answer } from '../../api/client.ts'
import { BarChart, type ChartBar, ChartTable } from '../../components/bar-chart.tsx'
import { days, number } from '../../locales/format.ts'
import { language, t } from '../../locales/index.ts'
import { duration, spansOf } from './periods.ts'

type Statistics = Answer<'getListening'>

/** Minutes per day, or per week for long periods. */
export function Days({ statistics: { from, to, days: heard, minutes } }: { statistics: Statistics }) {
  const { unit, spans } = spansOf(heard, from, to)
  const title = unit === 'week' ? t('listening.perWeek') : t('listening.perDay')
  const bars = spans.map((span) => barOf(days(span.from, span.to, true), span.minutes))
  const ends = [spans[0], spans[Math.floor(spans.length / 2)], spans.at(-1)]
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <Chart
        title={title}
        total={minutes}
        bars={bars}
        ticks={ends.map((span) => (span ? days(span.from, span.to) : ''))}
      />
      <ChartTable
        caption={title}
        summary={t('listening.asTable')}
        head={[unit === 'week' ? t('listening.week') : t('listening.day'), t('listening.minutesColumn')]}
        rows={bars.filter(({ value }) => value > 0).map(({ label, value }) => [label, number(value)])}
      />
    </section>
  )
}

/** Any Monday, to get the names of the weekdays. */
const MONDAY = Date.UTC(2024, 0, 1)

/** Minutes per weekday, from Monday to Sunday. */
export function Weekdays({ minutes }: { minutes: readonly number[] }) {
  const name = (index: number, style: 'long' | 'short') =>
    new Intl.DateTimeFormat(language.value, { weekday: style, timeZone: 'UTC' }).format(MONDAY + index * 86_400_000)
  const bars = minutes.map((value, index) => barOf(name(index, 'long'), value))
  return (
    <section class="card stack">
      <h2>{t('listening.perWeekday')}</h2>
      <Chart
        title={t('listening.perWeekday')}
        total={minutes.reduce((sum, value) => sum + value, 0)}
        bars={bars}
        ticks={minutes.map((_, index) => name(index, 'short'))}
      />
      <ChartTable
        caption={t('listening.perWeekday')}
        summary={t('listening.asTable')}
        head={[t('listening.weekday'), t('listening.minutesColumn')]}
        rows={bars.map(({ label, value }) => [label, number(value)])}
      />
    </section>
  )
}

interface ChartProps {
  readonly title: string
  /** In minutes. */
  readonly total: number
  readonly bars: readonly ChartBar[]
  readonly ticks: readonly string[]
}

function Chart({ title, total, bars, ticks }: ChartProps) {
  const peak = peakOf(bars)
  return (
    <BarChart
      summary={t('listening.chart', { title, total: duration(total), peak })}
      bars={bars}
      ticks={ticks}
      note={t('listening.most', { peak })}
    />
  )
}

function barOf(label: string, minutes: number): ChartBar {
  return { label, value: Math.round(minutes), valueText: duration(minutes) }
}

function peakOf(bars: readonly ChartBar[]): string {
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), barOf('', 0))
  return `${most.label} (${most.valueText})`
}
