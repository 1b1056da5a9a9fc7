import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createRateLimit, noLimit } from '../../../src/domain/shared/rate-limit.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { fakeClock } from '../../support/clock.ts'

const WINDOW_MS = 60_000

function open() {
  const clock = fakeClock()
  // No entry can have been made at the start of the clock.
  clock.advance(1)
  const limit = createRateLimit({ max: 3, windowMs: WINDOW_MS }, createLru(100, clock, WINDOW_MS), clock)
  const take = (key = 'ida', times = 1) => {
    for (let n = 0; n < times; n++) limit.take(key)
  }
  return { clock, take, giveBack: limit.giveBack }
}

const limited = (retryAfter: number) => expect.objectContaining({ code: 'rate_limited', retryAfter })

describe('a rate limit', () => {
  test('allows the maximum per key, counted from the first attempt; refusals do not extend it', () => {
    const { take, clock } = open()
    take('ida', 3)
    clock.advance(20)
    expect(() => take()).toThrow(limited(40))
    take('ole', 3)
    clock.advance(39)
    expect(() => take()).toThrow(limited(1))
    clock.advance(1)
    take('ida', 3)
    expect(() => take()).toThrow(limited(60))
  })

  test('can give attempts back, but never more than were made', () => {
    const { take, giveBack } = open()
    giveBack('ida')
    take()
    giveBack('ida')
    giveBack('ida')
    take('ida', 3)
    giveBack('ida')
    take()
    expect(() => take()).toThrow(limited(60))
  })

  test('returns the number of attempts left, and fails with the given message at zero', () => {
    const clock = fakeClock()
    const limit = createRateLimit({ max: 2, windowMs: WINDOW_MS }, createLru(100, clock, WINDOW_MS), clock)
    expect([limit.take('ida'), limit.take('ida')]).toEqual([1, 0])
    limit.giveBack('ida')
    expect([limit.take('ida'), limit.take('ole')]).toEqual([0, 1])
    const refusal = { message: 'too many wrong codes', field: 'code', userId: 7 as UserId }
    expect(() => limit.take('ida', refusal)).toThrow(expect.objectContaining({ ...refusal, retryAfter: 60 }))
  })

  test('is not affected by the wall clock', () => {
    const { take, clock } = open()
    take('ida', 3)
    clock.jump(86_400)
    expect(() => take()).toThrow(limited(60))
    clock.jump(-200_000)
    clock.advance(60)
    take()
  })
})

test('without a limit, everything is allowed', () => {
  for (let n = 0; n < 1000; n++) {
    noLimit.take('ida')
    expect(noLimit.tryTake('ida')).toBe(true)
  }
  noLimit.giveBack('ida')
})
