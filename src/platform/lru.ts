import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** A bounded map that forgets what was used least recently, and everything older than its time to live. */
export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  readonly size: number
}

/** `ttlMs` counts from the last `set`; reading does not extend it. Without it entries leave only by the bound. */
export function createLru<V extends NonNullable<unknown>>(max: number, clock: Clock, ttlMs = 0): Lru<V> {
  // Its lists are as long as they may become from the beginning, so it is made when there is something to keep.
  let entries: LRUCache<string, V> | undefined
  return {
    get: (key) => entries?.get(key),
    set(key, value) {
      entries ??= new LRUCache({ max, ttl: ttlMs, ttlResolution: 0, perf: { now: () => clock.monotonic() } })
      entries.set(key, value)
    },
    delete: (key) => void entries?.delete(key),
    get size() {
      return entries?.size ?? 0
    },
  }
}
