/** Where the declaration of an XML document can only be. */
const PROLOG_BYTES = 1024

/** Charsets that encode all characters as ASCII bytes. */
const ISO_2022 = /^(?:cs)?iso-?2022/i

/** What a decoder writes for bytes that are none of its charset. */
const REPLACEMENT = '\ufffd'

/** Decodes a document of unknown origin: UTF-16, UTF-8, `contentType`, XML declaration, else Windows-1252. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const wide = wideCharset(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  const named = [charsetOf(contentType), declaredIn(bytes)].filter((name) => name !== undefined)
  const hasRival = named.some(isRival)
  // Where all bytes are ASCII, UTF-8 is no proof: these write Japanese in them.
  for (const charset of [...named.filter((name) => ISO_2022.test(name)), 'utf-8', ...named]) {
    const text = decodeAs(bytes, charset, hasRival)
    if (text !== undefined) return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

/** The charset that `decodeText` would choose, from the first piece of a large document. */
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

/** By the mark, or because every second byte of ASCII, with which all documents begin, is empty. */
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

/** Numbers of characters of several bytes. */
interface Utf8Counts {
  readonly broken: number
  readonly whole: number
}

/** Counts bytes in pieces. A replacement character that the document itself holds is a whole one. */
function createUtf8Count() {
  let broken = 0
  let whole = 0
  /** Bytes that the last character still lacks. */
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

/** Whether it is UTF-8: whole characters rarely occur by chance, and one broken in twenty is tolerated. */
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
    // The labels are those of the WHATWG, of which the types list only the canonical ones; an unknown one throws.
    return new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return undefined
  }
}

const C1 = /[\u0080-\u009f]/
/** Characters of Windows-1252 from 0x80 to 0x9f. */
const WINDOWS = [...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at))]

/** U+0080 to U+009F as Windows-1252 characters, as browsers do; the five undefined ones stay. */
export function withWindowsCharacters(text: string): string {
  if (!C1.test(text)) return text
  return WINDOWS.reduce((result, character, at) => {
    const control = String.fromCharCode(0x80 + at)
    return result.includes(control) ? result.replaceAll(control, character) : result
  }, text)
}
