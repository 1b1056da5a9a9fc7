const MAX = 64

/** Derives an unused device ID from a name, with only the characters allowed in IDs (docs/protocol.md#D13). */
export function deviceIdFor(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  const start = startOf(words, MAX) || 'web'
  if (!taken.includes(start)) return start
  for (let n = 2; ; n++) {
    const id = `${startOf(start, MAX - 5)}-${n}`
    if (!taken.includes(id)) return id
  }
}

function startOf(text: string, max: number): string {
  return [...text].slice(0, max).join('')
}
