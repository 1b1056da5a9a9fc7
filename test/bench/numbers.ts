/** The middle value; NaN of nothing. */
export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** Of values in ascending order; NaN of nothing. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  const index = Math.min(ascending.length - 1, Math.floor(ascending.length * share))
  return ascending[index] ?? Number.NaN
}
