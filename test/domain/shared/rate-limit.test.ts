import { describe, expect, test } from 'bun:test'
import { createRateLimit } from '../../../src/domain/shared/rate-limit.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { fakeClock } from '../../support/clock.ts'

const WINDOW_MS = 60_000

function open(max = 3, keys = 100) {
  const clock = fakeClock()
  // A clock that has just started is one no entry can have been made at.
  clock.advance(1)
  const limit = createRateLimit({ max, windowMs: WINDOW_MS }, createLru(keys, clock, WINDOW_MS), clock)
  const take = (key = 'ida', times = 1) => {
    for (let n = 0; n < times; n++) limit.take(key)
  }
  return { clock, take, giveBack: limit.giveBack }
}

const limited = (retryAfter: number) => expect.objectContaining({ code: 'rate_limited', retryAfter })

describe('a rate limit', () => {
  test('lets the maximum pass and refuses the next, saying when to come back', () => {
    const { take, clock } = open()
    take('ida', 3)
    clock.advance(20)
    expect(() => take()).toThrow(limited(40))
  })

  test('counts from the first event: a refused one makes it no longer', () => {
    const { take, clock } = open()
    take('ida', 3)
    clock.advance(59)
    expect(() => take()).toThrow(limited(1))
    clock.advance(1)
    take('ida', 3)
    expect(() => take()).toThrow(limited(60))
  })

  test('counts each key on its own', () => {
    const { take } = open()
    take('ida', 3)
    take('ole', 3)
    expect(() => take('ida')).toThrow(limited(60))
  })

  test('forgets what is given back', () => {
    const { take, giveBack } = open()
    take('ida', 3)
    giveBack('ida')
    take()
    expect(() => take()).toThrow(limited(60))
  })

  test('gives no credit for what was never taken', () => {
    const { take, giveBack } = open()
    giveBack('ida')
    take()
    giveBack('ida')
    giveBack('ida')
    take('ida', 3)
    expect(() => take()).toThrow(limited(60))
  })

  test('is not moved by the wall clock', () => {
    const { take, clock } = open()
    take('ida', 3)
    clock.jump(86_400)
    expect(() => take()).toThrow(limited(60))
    clock.jump(-200_000)
    clock.advance(60)
    take()
  })

  test('remembers a bounded number of keys', () => {
    const { take } = open(1, 2)
    take('a')
    take('b')
    take('c')
    expect(() => take('b')).toThrow(limited(60))
    take('a')
  })
})
