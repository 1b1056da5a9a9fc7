/** Characters of an address in a source; stored addresses have at most 2,048. */
const ADDRESS_MAX = 4096
/** Characters of the ID of a device or the name of a list on another server. */
const NAME_MAX = 1000
/** Characters of a title; stored titles have at most 300. */
const TITLE_MAX = 1000
/** Characters of an example in the report, which shows 200. */
const EXAMPLE_MAX = 250

export function isTooLongForAddress(text: string): boolean {
  return text.length > ADDRESS_MAX
}

export function isTooLongForName(text: string): boolean {
  return text.length > NAME_MAX
}

/** A copy of the title, cut to a bounded length. */
export function titleStart(text: string): string {
  return copyOf(text.slice(0, TITLE_MAX))
}

/** A copy of an example for the report, cut to a bounded length. */
export function exampleStart(text: string): string {
  return copyOf(text.slice(0, EXAMPLE_MAX))
}

/** A copy in its own memory; a slice keeps the whole text that it was cut from. */
export function copyOf(text: string): string {
  const copy: string = JSON.parse(JSON.stringify(text))
  return copy
}
