export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  readonly value: number
  readonly labels?: Labels
  readonly metricName?: string
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Sample[]
}

export function single(type: 'counter' | 'gauge', name: string, help: string, value: number | undefined): Family {
  return { name, help, type, values: value === undefined ? [] : [{ value }] }
}

export function labelled(
  type: 'counter' | 'gauge',
  [name, help]: readonly [name: string, help: string],
  label: string,
  values: Readonly<Record<string, number>>,
): Family {
  return {
    name,
    help,
    type,
    values: Object.entries(values).map(([key, value]) => ({ value, labels: { [label]: key } })),
  }
}

export function histogramSamples(name: string, { bounds, counts, sum }: Histogram, labels: Labels = {}): Sample[] {
  let count = 0
  const buckets = counts.map((each, at) => {
    count += each
    return { metricName: `${name}_bucket`, value: count, labels: { ...labels, le: bounds[at] ?? '+Inf' } }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, value: sum, labels },
    { metricName: `${name}_count`, value: count, labels },
  ]
}

export interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
  readonly sum: number
}

export type HistogramCounter = ReturnType<typeof createHistogram>

/** Counts values by ascending bounds. Runs on every request, so it allocates no objects and strings. */
export function createHistogram(bounds: readonly number[]) {
  const counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0)
  let sum = 0
  return {
    observe(value: number): void {
      let at = 0
      // Values above all bounds end up in the last bucket.
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++
      counts[at] = (counts[at] ?? 0) + 1
      sum += value
    },
    read: (): Histogram => ({ bounds, counts: [...counts], sum }),
  }
}
