declare global {
  interface JSON {
    /** A primitive value that `JSON.stringify` writes verbatim. TypeScript's library does not declare it yet. */
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

/** Like `JSON.parse`, but `JSON.stringify` writes all numbers back exactly. Affected numbers are opaque objects. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // Checking each number takes twenty times as long, and JSON written by this program rarely needs it.
  return JSON.stringify(value) === text ? value : JSON.parse(text, keepNumber)
}

export function isExactNumber(value: unknown): boolean {
  return JSON.isRawJSON(value)
}

function keepNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && source !== String(value) ? JSON.rawJSON(source) : value
}
