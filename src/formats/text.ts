/**
 * The URLs of a text list, one per line (protocol.md D8): LF or CRLF, blank lines and `#` comments left out, a BOM
 * ignored.
 */
export function readText(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** One URL per line, each line ended by LF; nothing at all for no URLs. */
export function writeText(urls: readonly string[]): string {
  return urls.map((url) => `${url}\n`).join('')
}
