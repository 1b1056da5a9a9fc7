export function slices<T>(list: readonly T[], size: number): Iterable<readonly T[]> {
  if (list.length > size) return slicesOfLong(list, size)
  return list.length > 0 ? [list] : []
}

function* slicesOfLong<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
