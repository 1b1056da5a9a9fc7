import { useSignal } from '@preact/signals'
import type { Answer } from '../../api/client.ts'
import { setTo } from '../../hooks/setters.ts'
import { days, language, number, t } from '../../locales/index.ts'
import { listenedFor, spansOf } from './periods.ts'

type Statistics = Answer<'getListening'>

/** Minutes per day, or per week for long periods. */
export function Days({ statistics: { from, to, days: dayTotals, minutes } }: { statistics: Statistics }) {
  const { unit, spans } = spansOf(dayTotals, from, to)
  const bars = spans.map((span) => barOf(days(span.from, span.to, true), span.minutes))
  const ends = [spans[0], spans[Math.floor(spans.length / 2)], spans.at(-1)]
  return (
    <Chart
      title={unit === 'week' ? t('listening.perWeek') : t('listening.perDay')}
      label={unit === 'week' ? t('listening.week') : t('listening.day')}
      total={minutes}
      bars={bars}
      ticks={ends.map((span) => (span ? days(span.from, span.to) : ''))}
      rows={bars.filter(({ value }) => value > 0)}
    />
  )
}

/** Any Monday, for formatting the names of the weekdays. */
const MONDAY = Date.UTC(2024, 0, 1)

/** Minutes per weekday, from Monday to Sunday. */
export function Weekdays({ minutes }: { minutes: readonly number[] }) {
  const name = (index: number, style: 'long' | 'short') =>
    new Intl.DateTimeFormat(language.value, { weekday: style, timeZone: 'UTC' }).format(MONDAY + index * 86_400_000)
  const bars = minutes.map((value, index) => barOf(name(index, 'long'), value))
  return (
    <Chart
      title={t('listening.perWeekday')}
      label={t('listening.weekday')}
      total={minutes.reduce((sum, value) => sum + value, 0)}
      bars={bars}
      ticks={minutes.map((_, index) => name(index, 'short'))}
      rows={bars}
    />
  )
}

interface ChartProps {
  readonly title: string
  /** Heading of the bars in the table, such as "Day". */
  readonly label: string
  /** Sum of all bars, in minutes. */
  readonly total: number
  readonly bars: readonly ChartBar[]
  /** Labels below the axis: one per bar, or a few from the first bar to the last. */
  readonly ticks: readonly string[]
  /** Bars listed in the table below the chart. */
  readonly rows: readonly ChartBar[]
}

function Chart({ title, label, total, bars, ticks, rows }: ChartProps) {
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <BarChart title={title} total={total} bars={bars} ticks={ticks} />
      <ChartTable title={title} label={label} rows={rows} />
    </section>
  )
}

function barOf(label: string, minutes: number): ChartBar {
  return { label, value: Math.round(minutes), valueText: listenedFor(minutes) }
}

function peakOf(bars: readonly ChartBar[]): string {
  const highest = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), barOf('', 0))
  return `${highest.label} (${highest.valueText})`
}

interface ChartBar {
  readonly label: string
  readonly value: number
  readonly valueText: string
}

const HEIGHT = 150
const WIDTH = 640
const GAP = 0.28

/** A bar chart that shows the value of the bar under the pointer. `ChartTable` lists all values. */
function BarChart({ title, total, bars, ticks }: Pick<ChartProps, 'title' | 'total' | 'bars' | 'ticks'>) {
  const peak = peakOf(bars)
  const pointed = useSignal<number | undefined>(undefined)
  const lines = scaleOf(bars.reduce((max, { value }) => Math.max(max, value), 0))
  const top = lines.at(-1) ?? 1
  const step = WIDTH / Math.max(1, bars.length)
  const at = bars[pointed.value ?? -1]

  function point({ currentTarget, clientX }: { currentTarget: SVGSVGElement; clientX: number }): void {
    const { left, width } = currentTarget.getBoundingClientRect()
    pointed.value = Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length))
  }

  return (
    <figure class="chart">
      <div class="chart-scale small muted" aria-hidden="true">
        {lines.toReversed().map((line) => (
          <span key={line} style={{ insetBlockStart: `${(1 - line / top) * 100}%` }}>
            {number(line)}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t('listening.chart', { title, total: listenedFor(total), peak })}
        preserveAspectRatio="none"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={setTo(pointed, undefined)}
      >
        {lines.map((line) => (
          <Line key={line} y={(1 - line / top) * HEIGHT} />
        ))}
        {bars.map(({ label, value }, index) => {
          const height = value === 0 ? 0 : Math.max(3, (value / top) * HEIGHT)
          return (
            <rect
              key={label}
              class="chart-bar"
              data-pointed={index === pointed.value}
              x={index * step + (step * GAP) / 2}
              width={step * (1 - GAP)}
              y={HEIGHT - height}
              height={height}
              rx={Math.min(4, step * 0.2)}
            />
          )
        })}
        <Line y={HEIGHT} />
      </svg>
      <div class="chart-ticks small muted" data-each={ticks.length === bars.length} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
      <figcaption class="chart-note small" aria-hidden="true">
        {at ? (
          <>
            {at.label} · <strong>{at.valueText}</strong>
          </>
        ) : (
          t('listening.most', { peak })
        )}
      </figcaption>
    </figure>
  )
}

function Line({ y }: { y: number }) {
  return <line class="chart-line" x1="0" x2={WIDTH} y1={y} y2={y} />
}

/** The values of a chart as a table, initially collapsed. */
function ChartTable({ title, label: unit, rows }: Pick<ChartProps, 'title' | 'label' | 'rows'>) {
  return (
    <details class="chart-table">
      <summary>{t('listening.asTable')}</summary>
      <section class="table-frame" aria-label={title}>
        <table class="table">
          <caption class="hidden-text">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col">{t('listening.minutesColumn')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{number(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

/** Distances between grid lines, in minutes. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3000, 6000] as const
const LARGEST_STEP = 6000
const LINES_MAX = 3

/** Returns the values of at most three grid lines, ascending. The last one is at least `max`, the highest value. */
export function scaleOf(max: number): readonly [number, ...number[]] {
  const minimum = Math.max(1, max) / LINES_MAX
  const step = STEPS.find((each) => each >= minimum) ?? Math.ceil(minimum / LARGEST_STEP) * LARGEST_STEP
  const count = Math.max(1, Math.ceil(max / step))
  return [step, ...Array.from({ length: count - 1 }, (_, index) => step * (index + 2))]
}
