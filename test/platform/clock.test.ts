import { expect, test } from 'bun:test'
import { nextTurn, systemClock, systemTimer } from '../../src/platform/clock.ts'

test('the system clock has whole seconds, and milliseconds that never go back', async () => {
  const { seconds, monotonic } = systemClock()
  const [before, first] = [Date.now(), monotonic()]
  const now = seconds()
  expect(Number.isInteger(now)).toBe(true)
  expect(now).toBeGreaterThanOrEqual(Math.floor(before / 1000))
  expect(now).toBeLessThanOrEqual(Date.now() / 1000)
  await nextTurn()
  expect(monotonic()).toBeGreaterThanOrEqual(first)
})

test('a cancelled timer does not run', async () => {
  const done: string[] = []
  const cancel = systemTimer(0, () => done.push('called off'))
  const over = Promise.withResolvers<void>()
  systemTimer(0, () => {
    done.push('left alone')
    over.resolve()
  })
  cancel()
  await over.promise
  expect(done).toEqual(['left alone'])
})

test('several long tasks proceed one per turn, in the order of waiting', async () => {
  const done: string[] = []
  async function work(name: string): Promise<void> {
    for (let step = 1; step <= 2; step++) {
      await nextTurn()
      done.push(`${name}${step}`)
    }
  }
  const all = Promise.all(['a', 'b'].map(work))
  const turns: number[] = []
  while (done.length < 4) {
    await new Promise((resolve) => setImmediate(resolve))
    turns.push(done.length)
  }
  await all
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2'])
  expect(turns.every((count, turn) => count - (turns[turn - 1] ?? 0) <= 1)).toBe(true)
})
