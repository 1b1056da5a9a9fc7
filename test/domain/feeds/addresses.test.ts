import { describe, expect, test } from 'bun:test'
import { addressesLedTo, isClaimTrue, storableAddresses, weakestAddress } from '../../../src/domain/feeds/addresses.ts'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { ADDRESSES_MAX } from '../../../src/domain/sync/addresses.ts'

const id = (n: number) => n as PodcastId
const led = (start: number, edges: Readonly<Record<number, number[]>>) =>
  [...addressesLedTo(id(start), (from) => (edges[from] ?? []).map(id))].map(Number)

describe('beyond the limit of addresses of a podcast,', () => {
  const evidence = (n: number, isOwnWord: boolean, users: number, crowd = 0) => ({ id: id(n), isOwnWord, users, crowd })

  test.each([
    ['the word of the feed itself counts most', [evidence(1, false, 9), evidence(2, true, 0)], 1],
    ['those of few users go first', [evidence(1, false, 3), evidence(2, false, 2), evidence(3, false, 0)], 3],
    ['among them, those of a user who has many', [evidence(1, false, 1, 40), evidence(2, false, 1, 2)], 1],
    ['otherwise the last one goes', [evidence(1, false, 1, 2), evidence(3, false, 1, 2), evidence(2, false, 1, 2)], 3],
  ])('%s', (_what, all, gone) => {
    expect(weakestAddress(all)).toBe(id(gone))
    expect(weakestAddress(all.toReversed())).toBe(id(gone))
  })
})

describe('an address leads', () => {
  test.each([
    ['nowhere', {}, []],
    ['on over others', { 1: [2], 2: [3], 3: [4] }, [2, 3, 4]],
    ['to several at once', { 1: [2, 3], 3: [5] }, [2, 3, 5]],
    ['around a loop once', { 1: [2], 2: [3], 3: [1, 2] }, [2, 3]],
  ])('%s', (_where, edges, found) => expect(led(1, edges)).toEqual(found))

  test('to no more addresses than a podcast may have', () => {
    const endless = addressesLedTo(id(0), (from) => [id(from + 1), id(from + 100_000)])
    expect(endless.size).toBe(ADDRESSES_MAX)
  })
})

test('addresses are stored as anybody could subscribe to them, each once', () => {
  const own = 'https://a.example/f'
  const urls = ['HTTPS://B.example/x', 'ftp://a.example/', own, 'https://b.example/x', 'https://ida:pw@c.example/']
  expect(storableAddresses(own, urls)).toEqual(['https://b.example/x', 'https://c.example/'])
})

describe('a feed that claims to have moved', () => {
  const open = { isPrivate: false, isSecret: false, isBlocked: false, guid: '', episodeGuids: [] as string[] }
  const same = { ...open, guid: 'g' }

  test.each([
    ['the podcast’s guid', same, same, true],
    ['the guid of an episode', { ...open, episodeGuids: ['1', '2'] }, { ...open, episodeGuids: ['2', '3'] }, true],
    ['nothing', { ...same, episodeGuids: ['1'] }, { ...open, guid: 'h', episodeGuids: ['2'] }, false],
    ['guids that are none', { ...open, episodeGuids: [''] }, { ...open, episodeGuids: [''] }, false],
  ])('is one podcast with the other if both share %s', (_what, from, to, isTrue) =>
    expect(isClaimTrue(from, to)).toBe(isTrue),
  )

  test.each([
    ['private for its subscribers', { isPrivate: true }],
    ['at a secret address', { isSecret: true }],
    ['blocked by its publisher', { isBlocked: true }],
  ])('is never believed if it is %s and the other is not', (_how, hidden) => {
    expect(isClaimTrue({ ...same, ...hidden }, same)).toBe(false)
    expect(isClaimTrue({ ...same, ...hidden }, { ...same, isBlocked: true })).toBe(true)
    expect(isClaimTrue(same, { ...same, isSecret: true })).toBe(true)
  })
})
