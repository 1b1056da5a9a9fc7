import { expect, test } from 'bun:test'
import { createLru } from '../../src/platform/lru.ts'
import { fakeClock } from '../support/clock.ts'

test.each([
  ['after that time, which reading does not extend', 60_000, undefined],
  ['never without one, so that only the size limits entries', undefined, 1],
])('a time to live ends an entry %s', (_case, ttlMs, left) => {
  const clock = fakeClock()
  clock.advance(1)
  const lru = createLru<number>(2, clock, ttlMs)
  lru.set('a', 1)
  for (let n = 0; n < 2; n++) {
    clock.advance(30)
    // It uses the clock that never jumps.
    clock.jump(86_400)
    expect(lru.get('a')).toBe(1)
  }
  clock.advance(1)
  expect(lru.get('a')).toBe(left)
  for (const [value, key] of ['b', 'c', 'd'].entries()) lru.set(key, value)
  expect([lru.get('a'), lru.get('d'), lru.size]).toEqual([undefined, 2, 2])
})
