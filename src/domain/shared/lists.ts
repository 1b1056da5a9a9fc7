/** More than fits into one go: what is in it is read piece by piece, while it is sent. */
export interface LongList<T> {
  readonly pieces: Iterable<readonly T[]>
  /** How many there were when it was made, where that is known. */
  readonly length?: number
}

/** Of one user: nearly always a short one, but nobody has to be able to hold 200,000 podcasts in memory. */
export type List<T> = readonly T[] | LongList<T>

/** Lists of up to so many are read and sent in one go. */
export const SHORT_LIST = 2000

export function isShort<T>(list: List<T>): list is readonly T[] {
  return Array.isArray(list)
}

export function mapList<T, U>(list: List<T>, change: (item: T) => U): List<U> {
  if (isShort(list)) return list.map(change)
  const { pieces, length } = list
  return {
    ...(length !== undefined && { length }),
    pieces: {
      *[Symbol.iterator]() {
        for (const piece of pieces) yield piece.map(change)
      },
    },
  }
}

/** The list in pieces of `size`, one after the other. */
export function slices<T>(list: readonly T[], size: number): Iterable<readonly T[]> {
  if (list.length > size) return slicesOfLong(list, size)
  return list.length > 0 ? [list] : []
}

function* slicesOfLong<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
