/** Minutes that people count by. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3000, 6000] as const
const LAST = 6000
const LINES_MAX = 3

/** The values of a chart's lines, from the lowest to the highest, which no value is above: three at most. `most` is the highest value. */
export function scaleOf(most: number): readonly [number, ...number[]] {
  const wanted = Math.max(1, most) / LINES_MAX
  const step = STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / LAST) * LAST
  const count = Math.max(1, Math.ceil(most / step))
  return [step, ...Array.from({ length: count - 1 }, (_, index) => step * (index + 2))]
}
