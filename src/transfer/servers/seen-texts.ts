import { quickHash64 } from '../../platform/crypto.ts'

const SLOTS_AT_FIRST = 1024
/** A hash that is 0 stands for this one: 0 marks a free slot. */
const INSTEAD_OF_ZERO = 1n

/**
 * Texts that have been met, by their hashes of 64 bits: 16 to 32 bytes a text, however long it is. Among a million texts
 * there is one that wrongly seems to have been met with a probability of one in 30 million.
 */
export function createSeenTexts() {
  let slots = new BigUint64Array(SLOTS_AT_FIRST)
  let size = 0

  /** False if it is there already. */
  function put(hash: bigint): boolean {
    const mask = slots.length - 1
    let at = Number(BigInt.asUintN(32, hash)) & mask
    for (;;) {
      const there = slots[at]
      if (there === hash) return false
      if (there === 0n) break
      at = (at + 1) & mask
    }
    slots[at] = hash
    return true
  }

  function grow(): void {
    const before = slots
    slots = new BigUint64Array(2 * before.length)
    for (const hash of before) if (hash !== 0n) put(hash)
  }

  return {
    /** Whether it is met for the first time. */
    add(text: string): boolean {
      if (!put(quickHash64(text) || INSTEAD_OF_ZERO)) return false
      size++
      if (2 * size > slots.length) grow()
      return true
    },
    get size() {
      return size
    },
  }
}
