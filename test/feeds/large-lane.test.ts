import { describe, expect, test } from 'bun:test'
import { FetchFailure } from '../../src/outbound/fetch-failure.ts'
import { createLargeFeedLimit } from '../../src/worker/large-feed-limit.ts'
import { reasonOf } from '../support/reason.ts'

const MIB = 1024 * 1024
const MAX = 16 * MIB

/** Documents of so many bytes, by their addresses, and what has been asked of them. */
function open(sizes: Readonly<Record<string, number>>) {
  const lane = createLargeFeedLimit()
  const asked: string[] = []
  const held = new Map<string, () => void>()
  const get = (url: string, maxBytes = MAX) =>
    lane.run(url, maxBytes, async (most) => {
      asked.push(`${url} ${most / MIB}`)
      const size = sizes[url] ?? 0
      if (size > most) throw new FetchFailure('too_large', `the answer is larger than ${most} bytes`)
      if (most === MAX) await new Promise<void>((resolve) => held.set(url, resolve))
      return size
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    get,
    asked,
    inMemory: () => [...held.keys()],
    async finish(url: string) {
      held.get(url)?.()
      held.delete(url)
      for (let n = 0; n < 5; n++) await turn()
    },
    async settle() {
      for (let n = 0; n < 10; n++) await turn()
    },
  }
}

describe('a document', () => {
  test('that is small is got at once', async () => {
    const { get, asked } = open({ a: 2 * MIB })
    expect(await get('a')).toBe(2 * MIB)
    expect(asked).toEqual(['a 2'])
  })

  test('that is large is got when its turn comes, and the next time without a try', async () => {
    const { get, asked, finish, settle } = open({ a: 2 * MIB + 1 })
    const first = get('a')
    await settle()
    await finish('a')
    expect(await first).toBe(2 * MIB + 1)
    const second = get('a')
    await settle()
    await finish('a')
    await second
    expect(asked).toEqual(['a 2', 'a 16', 'a 16'])
  })

  test('that may not be large is never got as one', async () => {
    const { get, asked } = open({ a: 3 * MIB })
    expect(await reasonOf(get('a', MIB))).toMatchObject({ reason: 'too_large' })
    expect(asked).toEqual(['a 1'])
  })

  test('that is too large in the end says so', async () => {
    const { get, asked } = open({ a: MAX + 1 })
    expect(await reasonOf(get('a'))).toMatchObject({ reason: 'too_large' })
    expect(asked).toEqual(['a 2', 'a 16'])
  })

  test('that fails otherwise is not tried again', async () => {
    const lane = createLargeFeedLimit()
    let tries = 0
    const failure = new FetchFailure('timeout', 'a.example takes too long')
    const get = async () => {
      tries++
      throw failure
    }
    expect(await reasonOf(lane.run('a', MAX, get))).toBe(failure)
    expect(tries).toBe(1)
  })
})

test('of large documents two are in memory at once, and small ones do not wait for them', async () => {
  const { get, inMemory, finish, settle } = open({ a: 3 * MIB, b: 4 * MIB, c: 5 * MIB, d: 6 * MIB })
  const all = ['a', 'b', 'c', 'd'].map((url) => get(url))
  await settle()
  expect(inMemory()).toEqual(['a', 'b'])
  expect(await get('small')).toBe(0)
  await finish('b')
  expect(inMemory()).toEqual(['a', 'c'])
  await finish('a')
  expect(inMemory()).toEqual(['c', 'd'])
  await finish('c')
  await finish('d')
  expect(await Promise.all(all)).toEqual([3, 4, 5, 6].map((size) => size * MIB))
})
