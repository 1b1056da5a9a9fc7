import { useId } from 'preact/hooks'

export interface ChartBar {
  readonly label: string
  readonly value: number
}

interface BarChartProps {
  /** All that the chart says, in one sentence, for those who do not see it. */
  readonly summary: string
  readonly bars: readonly ChartBar[]
  /** Under the axis; those in between are left out where they would not fit. */
  readonly ticks: readonly string[]
}

const HEIGHT = 150
const WIDTH = 640
const GAP = 0.28

/** Bars from the same ground; every value is in the table beside it, too. */
export function BarChart({ summary, bars, ticks }: BarChartProps) {
  const id = useId()
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id} preserveAspectRatio="none">
        <title id={id}>{summary}</title>
        <line class="chart-ground" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bars.map(({ label, value }, index) => {
          const height = value === 0 ? 0 : Math.max(3, (value / most) * (HEIGHT - 8))
          return (
            <rect
              key={label}
              class="chart-bar"
              x={index * step + (step * GAP) / 2}
              width={step * (1 - GAP)}
              y={HEIGHT - height}
              height={height}
              rx={Math.min(4, step * 0.2)}
            />
          )
        })}
      </svg>
      <div class="chart-ticks small muted" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
    </figure>
  )
}

interface TableTwinProps {
  readonly caption: string
  readonly summary: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The same as a table, folded away. */
export function TableTwin({ caption, summary, head, rows }: TableTwinProps) {
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
