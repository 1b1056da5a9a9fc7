import type { Snapshot } from './snapshot.ts'

/**
 * Pages of rows, each read when it is asked for, so that a long list is never whole in memory. `read` returns up to
 * `size` rows after the given one; a page with fewer rows is the last. Pages without rows are left out.
 */
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
