import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  readonly size: number
}

/**
 * `max` limits the sum of sizes, which are 1 by default; larger values are not kept. `ttlMs` counts from the last
 * `set`, and reading does not extend it; without it, entries leave only because of `max`.
 */
export function createLru<V extends NonNullable<unknown>>(
  max: number,
  clock: Clock,
  ttlMs = 0,
  sizeOf: (value: V) => number = () => 1,
): Lru<V> {
  // Limit by size, not by number: for a number, the package allocates arrays of the full length in advance.
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
