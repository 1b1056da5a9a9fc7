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

/** A copy in its own memory; a slice keeps the whole text that it was cut from. */
export function copyOf(text: string): string {
  const copy: string = JSON.parse(JSON.stringify(text))
  return copy
}
