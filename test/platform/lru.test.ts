import { describe, expect, test } from 'bun:test'
import { createLru } from '../../src/platform/lru.ts'
import { fakeClock } from '../support/clock.ts'

function open(max: number, ttlMs?: number) {
  const clock = fakeClock()
  clock.advance(1)
  return { clock, lru: createLru<number>(max, clock, ttlMs) }
}

describe('a bounded map', () => {
  test('drops what was used least recently; reading is use', () => {
    const { lru } = open(2)
    lru.set('a', 1)
    lru.set('b', 2)
    lru.get('a')
    lru.set('c', 3)
    expect(['a', 'b', 'c'].map((key) => lru.get(key))).toEqual([1, undefined, 3])
    expect(lru.size).toBe(2)
  })
})

describe('a time to live', () => {
  test('ends an entry that long after it was set, and reading does not put it off', () => {
    const { lru, clock } = open(10, 60_000)
    lru.set('a', 1)
    clock.advance(30)
    expect(lru.get('a')).toBe(1)
    clock.advance(30)
    expect(lru.get('a')).toBe(1)
    clock.advance(1)
    expect(lru.get('a')).toBeUndefined()
  })

  test('goes by the clock that never jumps', () => {
    const { lru, clock } = open(10, 60_000)
    lru.set('a', 1)
    clock.jump(86_400)
    expect(lru.get('a')).toBe(1)
  })

  test('may be missing: then entries leave only by the bound', () => {
    const { lru, clock } = open(10)
    lru.set('a', 1)
    clock.advance(1_000_000)
    expect(lru.get('a')).toBe(1)
  })
})
