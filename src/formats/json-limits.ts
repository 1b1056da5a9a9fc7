/** What a JSON text may hold; told from its characters, before anything is made of them. */
export interface JsonLimits {
  /** Items of one list. */
  readonly items: number
  /** Lists, objects, their items and members, all together. */
  readonly values: number
}

/** Nothing in the protocol nests deeper than four levels. */
const DEPTH_MAX = 64

/** Objects of the protocol have a dozen members; hundreds of thousands in one object take the parser a second. */
const MEMBERS_MAX = 20_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Which limit JSON text exceeds, if any. The parser takes half a million levels and millions of values, but the objects it makes of them take
 * fifty times the memory, and what looks at them afterwards (schema checks, their error messages) recurses and takes seconds.
 */
export function findExcess(json: string, { items, values }: JsonLimits): 'depth' | 'items' | 'values' | undefined {
  /** How many more commas are fine in the list or object that is open, and in those around it. */
  let left = Number.POSITIVE_INFINITY
  const around: number[] = []
  let valuesLeft = values
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA) {
      if (--left < 0) return 'items'
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST || code === OBJECT) {
      if (around.push(left) > DEPTH_MAX) return 'depth'
      left = (code === LIST ? items : MEMBERS_MAX) - 1
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST_END || code === OBJECT_END) left = around.pop() ?? Number.POSITIVE_INFINITY
  }
  return undefined
}

/** The place of the quote that ends the string begun at `start`; the text's end if there is none. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
