import { useSignal } from '@preact/signals'
import { number } from '../locales/format.ts'

export interface ChartBar {
  readonly label: string
  readonly value: number
  /** The value as text. */
  readonly valueText: string
}

interface BarChartProps {
  /** What the chart shows, in one sentence for screen readers. */
  readonly summary: string
  readonly bars: readonly ChartBar[]
  /** Labels below the axis: one for each bar, or a few from the first to the last. */
  readonly ticks: readonly string[]
  /** The text below the chart while no bar is pointed at. */
  readonly note: string
}

interface PointerOver {
  readonly currentTarget: SVGSVGElement
  readonly clientX: number
}

const HEIGHT = 150
const WIDTH = 640
const GAP = 0.28

/** A bar chart. It shows the value of the bar that is pointed at; `ChartTable` has all values. */
export function BarChart({ summary, bars, ticks, note }: BarChartProps) {
  const pointed = useSignal<number | undefined>(undefined)
  const lines = scaleOf(bars.reduce((max, { value }) => Math.max(max, value), 0))
  const top = lines.at(-1) ?? 1
  const step = WIDTH / Math.max(1, bars.length)
  const at = bars[pointed.value ?? -1]

  function point({ currentTarget, clientX }: PointerOver): void {
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
        aria-label={summary}
        preserveAspectRatio="none"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => {
          pointed.value = undefined
        }}
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
          note
        )}
      </figcaption>
    </figure>
  )
}

function Line({ y }: { y: number }) {
  return <line class="chart-line" x1="0" x2={WIDTH} y1={y} y2={y} />
}

interface ChartTableProps {
  readonly caption: string
  readonly summary: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The values of a chart as a table, collapsed at first. */
export function ChartTable({ caption, summary, head, rows }: ChartTableProps) {
  return (
    <details class="chart-table">
      <summary>{summary}</summary>
      <section class="table-frame" aria-label={caption}>
        <table class="table">
          <caption class="hidden-text">{caption}</caption>
          <thead>
            <tr>
              {head.map((cell) => (
                <th key={cell} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([first, ...rest]) => (
              <tr key={first}>
                <th scope="row">{first}</th>
                {rest.map((cell, index) => (
                  <td key={`${head[index + 1]}`}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

/** Round numbers of minutes. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3000, 6000] as const
const LAST = 6000
const LINES_MAX = 3

/** The values of at most three grid lines, from low to high. The last one is not below `max`, the highest value of the chart. */
export function scaleOf(max: number): readonly [number, ...number[]] {
  const wanted = Math.max(1, max) / LINES_MAX
  const step = STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / LAST) * LAST
  const count = Math.max(1, Math.ceil(max / step))
  return [step, ...Array.from({ length: count - 1 }, (_, index) => step * (index + 2))]
}
