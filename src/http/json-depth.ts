/** Nothing in the protocol nests deeper than four levels. */
const DEPTH_MAX = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Whether JSON text is nested beyond reason. The parser takes half a million levels, but what looks at the value afterwards (schema
 * checks, their error messages) recurses and would end in a fault of ours after seconds.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === LIST || code === OBJECT) {
      if (++depth > DEPTH_MAX) return true
    } else if (code === LIST_END || code === OBJECT_END) depth--
  }
  return false
}

/** The place of the quote that ends the string begun at `start`; the text's end if there is none. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
