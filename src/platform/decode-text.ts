/** Where the declaration of an XML document can only be. */
const PROLOG_BYTES = 1024

/** Charsets that encode all characters as ASCII bytes. */
const ISO_2022 = /^(?:cs)?iso-?2022/i

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
  for (const charset of [...named.filter((name) => ISO_2022.test(name)), 'utf-8', ...named]) {
    const text = decodeAs(bytes, charset)
    if (text !== undefined) return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

/**
 * The charset that `decodeText` would choose, for documents too large to decode at once: a label for `TextDecoder`. The
 * XML declaration must be in the first piece.
 */
export async function findCharset(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder()
  const counts = { broken: 0, whole: 0 }
  let declared: string | undefined
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) {
      const wide = wideCharset(piece)
      if (wide !== undefined) return wide
      declared = declaredIn(piece)
      if (declared !== undefined && ISO_2022.test(declared) && decoderOf(declared)) return declared
    }
    isFirst = false
    countBeyondAscii(utf8.decode(piece, { stream: true }), counts)
  }
  countBeyondAscii(utf8.decode(), counts)
  if (isMostlyWhole(counts)) return 'utf-8'
  const decoder = declared === undefined ? undefined : decoderOf(declared)
  return decoder && !decoder.encoding.startsWith('utf-') ? decoder.encoding : 'windows-1252'
}

/** By the mark, or because every second byte of ASCII, with which all documents begin, is empty. */
function wideCharset([a, b]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0) ? 'utf-16be' : undefined
}

/** `undefined` if more than one in five non-ASCII characters is broken. */
function asUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  if (!text.includes(REPLACEMENT)) return text
  const counts = { broken: 0, whole: 0 }
  countBeyondAscii(text, counts)
  return isMostlyWhole(counts) ? text : undefined
}

/** Numbers of non-ASCII characters. */
interface Counts {
  broken: number
  whole: number
}

/** Counts without a regular expression, which would copy many megabytes of text. */
function countBeyondAscii(text: string, counts: Counts): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) counts.broken++
    else if (code > 0x7f) counts.whole++
  }
}

function isMostlyWhole({ broken, whole }: Counts): boolean {
  return broken * 4 <= whole
}

function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const prolog = new TextDecoder('latin1').decode(bytes.subarray(0, PROLOG_BYTES))
  return /<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(prolog)?.[1]
}

/** `undefined` for an unknown charset, and for a document that cannot be in it. */
function decodeAs(bytes: Uint8Array, charset: string): string | undefined {
  const decoder = decoderOf(charset)
  if (decoder?.encoding === 'utf-8') return asUtf8(bytes)
  return decoder?.encoding.startsWith('utf-16') ? undefined : decoder?.decode(bytes)
}

/** `undefined` for an unknown charset. */
function decoderOf(charset: string) {
  try {
    // The labels are those of the WHATWG, of which the types list only the canonical ones; an unknown one throws.
    return new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return undefined
  }
}
