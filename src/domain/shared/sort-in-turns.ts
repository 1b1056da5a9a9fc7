import { nextTurn } from '../../platform/clock.ts'
import { slices } from './lists.ts'

const SORTED_AT_ONCE = 4096

const MERGED_AT_ONCE = 4000

type Compare<T> = (one: T, other: T) => number

export async function sortInTurns<T>(items: T[], compare: Compare<T>): Promise<void> {
  if (items.every((item, index) => index === 0 || compare(items[index - 1] as T, item) <= 0)) return
  if (items.length <= SORTED_AT_ONCE) return void items.sort(compare)
  let runs: T[][] = []
  for (const batch of slices(items, SORTED_AT_ONCE)) {
    runs.push(batch.toSorted(compare))
    await nextTurn()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2)
      merged.push(await mergeInTurns(runs[index] ?? [], runs[index + 1] ?? [], compare))
    runs = merged
  }
  for (const [index, item] of (runs[0] ?? []).entries()) items[index] = item
}

async function mergeInTurns<T>(one: readonly T[], other: readonly T[], compare: Compare<T>): Promise<T[]> {
  const merged: T[] = []
  let left = 0
  let right = 0
  while (left + right < one.length + other.length) {
    const a = one[left]
    const b = other[right]
    if (a !== undefined && (b === undefined || compare(a, b) <= 0)) {
      merged.push(a)
      left++
    } else if (b !== undefined) {
      merged.push(b)
      right++
    }
    if (merged.length % MERGED_AT_ONCE === 0) await nextTurn()
  }
  return merged
}
