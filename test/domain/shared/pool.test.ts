import { describe, expect, test } from 'bun:test'
import { forEachLimit } from '../../../src/domain/shared/concurrency.ts'
import { reasonOf } from '../../support/values.ts'

/** Work that ends when it is told to. */
function scene() {
  const begun: number[] = []
  const ends = new Map<number, (error?: Error) => void>()
  const work = (item: number) =>
    new Promise<void>((resolve, reject) => {
      begun.push(item)
      ends.set(item, (error) => (error ? reject(error) : resolve()))
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  async function end(item: number, error?: Error): Promise<void> {
    ends.get(item)?.(error)
    await turn()
  }
  return { begun, work, end, turn }
}

describe('work for many', () => {
  test('is done for each of them, in order, so many at once', async () => {
    const { begun, work, end, turn } = scene()
    const all = forEachLimit([1, 2, 3, 4], 2, work)
    await turn()
    expect(begun).toEqual([1, 2])
    await end(2)
    expect(begun).toEqual([1, 2, 3])
    await end(3)
    expect(begun).toEqual([1, 2, 3, 4])
    await end(1)
    await end(4)
    await all
  })

  test('of none is done at once', async () => {
    const { begun, work } = scene()
    await forEachLimit([], 3, work)
    expect(begun).toEqual([])
  })

  test('ends with the first failure, when nothing is under way any more', async () => {
    const { begun, work, end, turn } = scene()
    let isOver = false
    const all = forEachLimit([1, 2, 3, 4], 2, work)
    const reason = reasonOf(all).finally(() => {
      isOver = true
    })
    await turn()
    const failure = new Error('no more')
    await end(1, failure)
    expect({ begun, isOver }).toEqual({ begun: [1, 2], isOver: false })
    await end(2)
    expect(await reason).toBe(failure)
    expect(begun).toEqual([1, 2])
  })
})
