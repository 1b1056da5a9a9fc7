/** Bytes searched for the XML declaration. */
const PROLOG_BYTES = 1024

/** Charsets that encode all characters as ASCII bytes. */
const ISO_2022 = /^(?:cs)?iso-?2022/i

/** Written by decoders for bytes outside their charset. */
const REPLACEMENT = '\ufffd'

/** Decodes a document of unknown origin, trying UTF-16, UTF-8, `contentType`, XML declaration, then Windows-1252. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const wide = wideCharset(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  const named = [charsetOf(contentType), declaredIn(bytes)].filter((name) => name !== undefined)
  const hasRival = named.some(isRival)
  // ISO-2022 first: its bytes are all ASCII, and so always valid UTF-8.
  for (const charset of [...named.filter((name) => ISO_2022.test(name)), 'utf-8', ...named]) {
    const text = decodeAs(bytes, charset, hasRival)
    if (text !== undefined) return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

/** Returns the charset that `decodeText` would choose, without keeping the document in memory. */
export async function findCharset(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const characters = createUtf8Count()
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
    characters.add(piece)
  }
  if (isUtf8(characters.end(), declared !== undefined && isRival(declared))) return 'utf-8'
  const decoder = declared === undefined ? undefined : decoderOf(declared)
  return decoder && !decoder.encoding.startsWith('utf-') ? decoder.encoding : 'windows-1252'
}

/** Recognises UTF-16 by its mark, or by a null byte: documents start with ASCII, so every second byte is null. */
function wideCharset([a, b]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0) ? 'utf-16be' : undefined
}

function asUtf8(bytes: Uint8Array, hasRival: boolean): string | undefined {
  const text = new TextDecoder().decode(bytes)
  if (!text.includes(REPLACEMENT)) return text
  const characters = createUtf8Count()
  characters.add(bytes)
  return isUtf8(characters.end(), hasRival) ? text : undefined
}

/** Numbers of multi-byte characters. */
interface Utf8Counts {
  readonly broken: number
  readonly whole: number
}

/** Counts over pieces. A replacement character in the document itself counts as whole. */
function createUtf8Count() {
  let broken = 0
  let whole = 0
  /** Missing bytes of the last character. */
  let missing = 0

  function add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (missing > 0) {
        if ((byte & 0xc0) === 0x80) {
          if (--missing === 0) whole++
          continue
        }
        missing = 0
        broken++
      }
      if (byte < 0x80) continue
      if (byte < 0xc2 || byte > 0xf4) broken++
      else missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    }
  }

  return {
    add,
    end: (): Utf8Counts => ({ broken: broken + (missing > 0 ? 1 : 0), whole }),
  }
}

/**
 * Whether the text is UTF-8. Whole characters rarely occur by chance, so each outweighs twenty broken ones; if another
 * charset is declared, it takes four whole ones for each broken one.
 */
function isUtf8({ broken, whole }: Utf8Counts, hasRival: boolean): boolean {
  return broken <= whole * (hasRival ? 0.25 : 20)
}

function isRival(charset: string): boolean {
  const encoding = decoderOf(charset)?.encoding
  return encoding !== undefined && !encoding.startsWith('utf-')
}

function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const prolog = new TextDecoder('latin1').decode(bytes.subarray(0, PROLOG_BYTES))
  return /<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(prolog)?.[1]
}

function decodeAs(bytes: Uint8Array, charset: string, hasRival: boolean): string | undefined {
  const decoder = decoderOf(charset)
  if (decoder?.encoding === 'utf-8') return asUtf8(bytes, hasRival)
  return decoder?.encoding.startsWith('utf-16') ? undefined : decoder?.decode(bytes)
}

function decoderOf(charset: string) {
  try {
    // Accepts all WHATWG labels, though the types list only the canonical ones; throws for unknown labels.
    return new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return undefined
  }
}

const C1 = /[\u0080-\u009f]/
/** Characters of Windows-1252 from 0x80 to 0x9f. */
const WINDOWS = [...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at))]

/** Replaces U+0080 to U+009F with Windows-1252 characters, as browsers do, except for the five undefined ones. */
export function withWindowsCharacters(text: string): string {
  if (!C1.test(text)) return text
  return WINDOWS.reduce((result, character, at) => {
    const control = String.fromCharCode(0x80 + at)
    return result.includes(control) ? result.replaceAll(control, character) : result
  }, text)
}
