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
