import { dice } from '../../support/values.ts'

export interface Dice {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(items: readonly T[]): T
}

/** The same throws for the same seed. */
export function createDice(seed: number): Dice {
  const roll = dice(seed)
  const between = (low: number, high: number) => low + roll(high - low + 1)
  return {
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
