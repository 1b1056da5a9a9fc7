declare global {
  interface JSON {
    /** A single value that `JSON.stringify` writes just so. The language has it; TypeScript's library does not yet. */
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

/** `JSON.parse` whose numbers `JSON.stringify` writes back exactly. Such numbers are opaque objects. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // Looking at each number takes twenty times as long, and JSON as this program writes it rarely needs that.
  return JSON.stringify(value) === text ? value : JSON.parse(text, keepNumber)
}

export function isExactNumber(value: unknown): boolean {
  return JSON.isRawJSON(value)
}

function keepNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && source !== String(value) ? JSON.rawJSON(source) : value
}
