import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  readonly size: number
}

/** `max` bounds the sizes in all, which are 1 each unless `sizeOf` says more; larger values are not kept. `ttlMs` counts from the last `set`; reading does not extend it. Without it entries leave only by the bound. */
export function createLru<V extends NonNullable<unknown>>(
  max: number,
  clock: Clock,
  ttlMs = 0,
  sizeOf: (value: V) => number = () => 1,
): Lru<V> {
  // Bounded by a size of one each and not by `max`, for which the package makes lists of the full length at the beginning.
  const entries = new LRUCache<string, V>({
    maxSize: max,
    sizeCalculation: sizeOf,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonic() },
  })
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size
    },
  }
}
