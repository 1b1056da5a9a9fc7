import { createHash } from 'node:crypto'
import type { Random } from '../../src/platform/crypto.ts'

/** Pseudo-random, but the same in every run. */
export function seededRandom(seed: number): Random {
  let counter = 0
  return {
    bytes(count) {
      const blocks: Buffer[] = []
      while (blocks.length * 32 < count) blocks.push(createHash('sha256').update(`${seed}:${counter++}`).digest())
      return Buffer.concat(blocks).subarray(0, count)
    },
  }
}

/** Returns the reason with which a promise rejects. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing went wrong')
}

/** Pseudo-random numbers below a bound, reproducible from the seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** Seconds of processor time that `work` takes in this process, regardless of the load of the machine. */
export function processorSeconds(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  return process.cpuUsage(start).user / 1_000_000
}
