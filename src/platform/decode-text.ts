/** Where the declaration of an XML document can only be. */
const PROLOG_BYTES = 1024

/** What a decoder writes for bytes that are none of its charset. */
const REPLACEMENT = '\ufffd'

/**
 * The text of a document of unknown origin: as UTF-16 if it looks like that; as UTF-8 if it is that but for some broken
 * characters, whatever it claims to be, for nothing else looks like it; by the charset of `contentType`; by its XML
 * declaration; and if it is none of these, as Windows-1252, which such text mostly is. Total; without byte order mark.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const wide = wideCharset(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  const named = [charsetOf(contentType), declaredIn(bytes)].filter((name) => name !== undefined)
  // Where all bytes are ASCII, UTF-8 is no proof: these write Japanese in them.
  for (const charset of [...named.filter((name) => /^(?:cs)?iso-?2022/i.test(name)), 'utf-8', ...named]) {
    const text = decodeAs(bytes, charset)
    if (text !== undefined) return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

/** By the mark, or because every second byte of ASCII, with which all documents begin, is empty. */
function wideCharset([a, b]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0) ? 'utf-16be' : undefined
}

/** undefined if more than every fifth character beyond ASCII is broken. */
function asUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  if (!text.includes(REPLACEMENT)) return text
  // Without an expression, which would make a copy or two of what may be many megabytes.
  let broken = 0
  let beyond = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) broken++
    else if (code > 0x7f) beyond++
  }
  return broken * 4 <= beyond ? text : undefined
}

function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const prolog = new TextDecoder('latin1').decode(bytes.subarray(0, PROLOG_BYTES))
  return /<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(prolog)?.[1]
}

/** undefined for a charset nobody knows, and for a document that cannot be in it. */
function decodeAs(bytes: Uint8Array, charset: string): string | undefined {
  try {
    // The labels are those of the WHATWG, of which the types list only the canonical ones; an unknown one throws.
    const decoder = new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0])
    if (decoder.encoding === 'utf-8') return asUtf8(bytes)
    return decoder.encoding.startsWith('utf-16') ? undefined : decoder.decode(bytes)
  } catch {
    return undefined
  }
}
