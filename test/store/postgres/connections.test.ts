import { expect, test } from 'bun:test'
import type { ReservedSQL } from 'bun'
import { keepConnections } from '../../../src/store/postgres/connections.ts'

/** A pool of `max` connections, with the number of reserved ones. */
function open(max: number) {
  const pool = { reserved: 0, error: undefined as Error | undefined }
  const waiting: (() => void)[] = []
  const { lease } = keepConnections({
    async reserve() {
      if (pool.error) throw pool.error
      if (pool.reserved === max) await new Promise<void>((resolve) => waiting.push(resolve))
      pool.reserved++
      const release = () => {
        pool.reserved--
        waiting.shift()?.()
      }
      // Nothing else of a connection is used here.
      return { release } as unknown as ReservedSQL
    },
  })
  return { pool, lease }
}

test('a connection stays reserved and is leased again', async () => {
  const { pool, lease } = open(2)
  const first = await lease()
  first.end(false)
  const second = await lease()
  expect(second.connection).toBe(first.connection)
  expect([first.isUsed, second.isUsed, pool.reserved]).toEqual([false, true, 1])
})

test('a returned connection goes to a waiting lease', async () => {
  const { pool, lease } = open(1)
  const first = await lease()
  const waiting = lease()
  first.end(false)
  const { end } = await waiting
  expect(pool.reserved).toBe(1)
  end(false)
  expect((await lease()).isUsed).toBe(true)
})

test('a lost connection releases the idle ones', async () => {
  const { pool, lease } = open(2)
  const [one, other] = [await lease(), await lease()]
  other.end(false)
  one.end(true)
  expect(pool.reserved).toBe(0)
  expect((await lease()).isUsed).toBe(false)
})

test('a failed reservation does not block later ones', async () => {
  const { pool, lease } = open(1)
  pool.error = new Error('away')
  await expect(lease()).rejects.toThrow('away')
  pool.error = undefined
  const { end } = await lease()
  end(false)
  expect((await lease()).isUsed).toBe(true)
})
