import { DomainError } from '../domain/shared/errors.ts'

const ADDRESS_MAX = 4096
const NAME_MAX = 1000
const TITLE_MAX = 1000
const EXAMPLE_MAX = 250

export function isTooLongForAddress(text: string): boolean {
  return text.length > ADDRESS_MAX
}

export function isTooLongForName(text: string): boolean {
  return text.length > NAME_MAX
}

export function titleStart(text: string): string {
  return copyOf(text.slice(0, TITLE_MAX))
}

export function exampleStart(text: string): string {
  return copyOf(text.slice(0, EXAMPLE_MAX))
}

/** Copies a string to its own memory; a slice keeps the whole string that it was cut from. */
export function copyOf(text: string): string {
  const copy: string = JSON.parse(JSON.stringify(text))
  return copy
}

const CHARACTERS_MAX = 64 * 1024 * 1024
const OVERHEAD = 32

/** Counts the text that one import keeps in memory, so that a source cannot fill it with many texts of permitted length. */
export function createTextBudget(max = CHARACTERS_MAX) {
  let remaining = max
  return {
    keep<Text extends string | undefined>(text: Text): Text {
      remaining -= (text?.length ?? 0) + OVERHEAD
      if (remaining < 0)
        throw new DomainError(
          'validation_failed',
          `it holds too much text to import: more than ${Math.round(max / 1024 / 1024)} million characters`,
        )
      return text
    },
  }
}
