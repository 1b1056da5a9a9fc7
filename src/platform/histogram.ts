/** How many values were at most each bound: what a histogram of Prometheus is made of. */
export interface Histogram {
  /** Ascending. */
  readonly bounds: readonly number[]
  /** Of each bound those values that are above the bound before it; the last are above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

export type HistogramCounter = ReturnType<typeof createHistogram>

/** Counts values by ascending bounds. Every request does this: it makes no object and no text. */
export function createHistogram(bounds: readonly number[]) {
  const counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0)
  let sum = 0
  return {
    observe(value: number): void {
      let at = 0
      // Values above all bounds leave the loop by its other end.
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++
      counts[at] = (counts[at] ?? 0) + 1
      sum += value
    },
    read: (): Histogram => ({ bounds, counts: [...counts], sum }),
  }
}
