/** How a list is written, all at once or piece by piece. */
export interface ListWriter<T> {
  readonly before: string
  /** Some of the items; `isFirst` where none have been written yet. */
  write(items: readonly T[], isFirst: boolean): string
  readonly after: string
}

export function writeWhole<T>({ before, write, after }: ListWriter<T>, items: readonly T[]): string {
  return before + write(items, true) + after
}

export function* writePieces<T>(
  { before, write, after }: ListWriter<T>,
  pieces: Iterable<readonly T[]>,
): Iterable<string> {
  yield before
  let isFirst = true
  for (const items of pieces) {
    if (items.length === 0) continue
    yield write(items, isFirst)
    isFirst = false
  }
  yield after
}

/** A JSON array. */
export function jsonWriter<T>(toJson: (item: T) => unknown): ListWriter<T> {
  return {
    before: '[',
    write: (items, isFirst) => {
      const text = JSON.stringify(items.map(toJson)).slice(1, -1)
      return isFirst || text === '' ? text : `,${text}`
    },
    after: ']',
  }
}
