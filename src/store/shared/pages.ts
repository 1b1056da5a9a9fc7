import type { Snapshot } from '../engine.ts'

/** Pages of rows, read on demand. `read` returns up to `size` rows after the given one. */
export async function* pages<T>(
  snapshot: Snapshot,
  size: number,
  read: (last: T | undefined) => readonly T[],
): AsyncGenerator<readonly T[]> {
  let last: T | undefined
  do {
    const after = last
    const rows = await snapshot.read(() => read(after))
    if (rows.length > 0) yield rows
    last = rows.length < size ? undefined : rows.at(-1)
  } while (last !== undefined)
}
