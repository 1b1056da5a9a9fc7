/** Where the declaration of an XML document can only be. */
const PROLOG_BYTES = 1024

/**
 * The text of a document: by its byte order mark, else the charset of `contentType`, else its XML declaration, else UTF-8; and if it is
 * none, as Windows-1252, which is what text of unknown origin mostly is. Total; characters that text cannot hold are left out.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const declared = byMark(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes)
  const text = (declared && decodeAs(bytes, declared)) ?? decodeStrictly(bytes) ?? decodeAs(bytes, 'windows-1252') ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '').toWellFormed()
}

function byMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]
}

function declaredIn(bytes: Uint8Array): string | undefined {
  // UTF-16 without a mark: every second byte of `<?` is empty.
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be'
  const prolog = Buffer.from(bytes.subarray(0, PROLOG_BYTES)).toString('latin1')
  return /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(prolog)?.[1]
}

/** undefined for a charset nobody knows, and for UTF-8 that is none: many a document lies about that. */
function decodeAs(bytes: Uint8Array, charset: string): string | undefined {
  if (/^utf-?8$/i.test(charset)) return decodeStrictly(bytes)
  try {
    // The labels are those of the WHATWG, of which the types list only the canonical ones; an unknown one throws.
    return new TextDecoder(charset as Bun.Encoding).decode(bytes)
  } catch {
    return undefined
  }
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
