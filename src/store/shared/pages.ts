import type { Snapshot } from '../sqlite/core/snapshot.ts'

/** Pages of rows, read on demand. `read` returns up to `size` rows after the given one. */
export async function* pages<T>(
  snapshot: Snapshot,
  size: number,
  read: (last: T | undefined) => readonly T[],
): AsyncGenerator<readonly T[]> {
  let last: T | undefined
  do {
    snapshot.use()
    const rows = read(last)
    if (rows.length > 0) yield rows
    last = rows.length < size ? undefined : rows.at(-1)
  } while (last !== undefined)
}
