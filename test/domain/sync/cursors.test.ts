import { describe, expect, test } from 'bun:test'
import { createCursors } from '../../../src/domain/sync/cursors.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { fakeClock } from '../../support/clock.ts'

const open = (max = 100) => createCursors(createLru(max, fakeClock()))

describe('cursors (D14b)', () => {
  test('know nothing about a client that was never answered', () => {
    expect(open().seenUntil('phone app', 'actions')).toBeUndefined()
  })

  test('answer a fetch with the timestamp, and remember it', () => {
    const cursors = open()
    expect(cursors.afterFetch('app', 'actions', 100)).toBe(101)
    expect(cursors.seenUntil('app', 'actions')).toBe(101)
  })

  test.each([
    ['nothing missed: the new timestamp', { clock: 110, missed: false }, 101, 111],
    ['something missed: the old one again', { clock: 110, missed: true }, 101, 101],
    ['nothing remembered: the new timestamp', { clock: 110, missed: true }, undefined, 111],
  ])('answer an upload with %s', (_case, written, seenUntil, timestamp) => {
    const cursors = open()
    expect(cursors.afterUpload('app', 'actions', written, seenUntil)).toBe(timestamp)
    expect(cursors.seenUntil('app', 'actions')).toBe(timestamp)
  })

  test('keep answering the old timestamp until the client has fetched', () => {
    const cursors = open()
    cursors.afterFetch('app', 'actions', 100)
    const upload = (clock: number, missed: boolean) =>
      cursors.afterUpload('app', 'actions', { clock, missed }, cursors.seenUntil('app', 'actions'))
    expect(upload(110, true)).toBe(101)
    expect(upload(120, true)).toBe(101)
    expect(cursors.afterFetch('app', 'actions', 120)).toBe(121)
    expect(upload(130, false)).toBe(131)
  })

  test('keep clients and streams apart', () => {
    const cursors = open()
    cursors.afterFetch('app', 'actions', 100)
    expect(cursors.seenUntil('app', 'subscriptions phone')).toBeUndefined()
    expect(cursors.seenUntil('another app', 'actions')).toBeUndefined()
  })

  test('are bounded: the client not heard of for longest is forgotten', () => {
    const cursors = open(2)
    cursors.afterFetch('a', 'actions', 1)
    cursors.afterFetch('b', 'actions', 2)
    cursors.seenUntil('a', 'actions')
    cursors.afterFetch('c', 'actions', 3)
    expect(['a', 'b', 'c'].map((client) => cursors.seenUntil(client, 'actions'))).toEqual([2, undefined, 4])
  })
})
