import { createHash } from 'node:crypto'
import type { Random } from '../../src/platform/crypto.ts'

/** Looks random, is the same in every run. */
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

/** What a promise rejects with. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing went wrong')
}

/** Numbers below a bound that look random and are the same for the same seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** Processor time of this process that `work` takes, in seconds: how busy others keep the machine does not matter to it. */
export function processorSeconds(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  return process.cpuUsage(start).user / 1_000_000
}
