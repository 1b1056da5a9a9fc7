import { DomainError } from '../domain/shared/errors.ts'

const CHARACTERS_MAX = 64 * 1024 * 1024
const OVERHEAD = 32

/** Counts the text that one import keeps in memory, so that a source cannot fill it with many texts of permitted length. */
export function createTextBudget(max = CHARACTERS_MAX) {
  let left = max
  return {
    keep<Text extends string | undefined>(text: Text): Text {
      left -= (text?.length ?? 0) + OVERHEAD
      if (left < 0)
        throw new DomainError(
          'validation_failed',
          `it holds too much text to import: more than ${Math.round(max / 1024 / 1024)} million characters`,
        )
      return text
    },
  }
}
