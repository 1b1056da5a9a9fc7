import { DomainError } from '../../domain/shared/errors.ts'

/**
 * Bytes of one value that is read as a whole; none of an archive comes near but a list of thousands of podcasts. What is
 * read from it takes fifty times as much.
 */
export const VALUE_MAX = 4 * 1024 * 1024

/** Where a value stands: names of members, and for the items of a list `*`. */
export type JsonPath = readonly string[]

/** A value that is not looked into; or the beginning of one that is, and is an item of a list. */
export interface JsonLeaf {
  readonly path: JsonPath
  /** '' for a beginning; missing where it is longer than `VALUE_MAX`, or has been read before. */
  readonly text: string | undefined
  /** Of the byte after it. */
  readonly end: number
}

export interface JsonStreamOptions {
  /** What is read, in the words of errors; `the file` unless given. */
  readonly what?: string
  /** Whether the members or items of what is at this path come one by one; else it is a leaf. */
  readonly isEntered: (path: JsonPath) => boolean
  /** Leaves that end before this byte come without their text unless `isNeeded`: they have been read before. */
  readonly skipUntil?: number
  readonly isNeeded?: (path: JsonPath) => boolean
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]
const DEPTH_MAX = 64

interface Level {
  readonly isList: boolean
  readonly path: JsonPath
  /** What may come next in it. */
  expects: 'first' | 'value' | 'name' | 'colon' | 'comma'
  name: string
}

interface Open {
  readonly path: JsonPath
  readonly kind: 'name' | 'text' | 'nested' | 'word'
  parts: Uint8Array[]
  bytes: number
}

/**
 * The leaves of a JSON document that may be larger than the memory, in their order. Throws `invalid_json`, in words, for
 * what is no JSON, breaks off, or goes on after its end; only the texts of leaves are not looked into.
 */
export async function* readJsonLeaves(
  pieces: AsyncIterable<Uint8Array>,
  options: JsonStreamOptions,
): AsyncGenerator<JsonLeaf> {
  const scanner = createScanner(options)
  let offset = 0
  for await (const given of pieces) {
    const piece = offset === 0 ? withoutMark(given) : given
    yield* scanner.read(piece, offset)
    offset += piece.length
  }
  yield* scanner.end(offset)
}

function createScanner({
  what: source = 'the file',
  isEntered,
  skipUntil = 0,
  isNeeded = () => false,
}: JsonStreamOptions) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const levels: Level[] = []
  let isOver = false
  /** Of the byte that is looked at. */
  let position = 0
  /** The value, or name, that has begun and not ended. */
  let open: Open | undefined
  let inText = false
  let isEscaped = false
  let nested = 0

  const fail = (what: string) => new DomainError('invalid_json', `${source} is damaged: ${what} at byte ${position}`)

  function decode(parts: readonly Uint8Array[]): string {
    try {
      return decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts))
    } catch {
      throw fail('text that is no UTF-8')
    }
  }

  function nameOf({ parts, bytes }: Open): string {
    if (bytes > VALUE_MAX) throw fail('a name that is too long')
    const text = decode(parts)
    try {
      return JSON.parse(text)
    } catch {
      throw fail('a name that is no text')
    }
  }

  /** After a value of the innermost level. */
  function noteValue(): void {
    const level = levels.at(-1)
    if (level) level.expects = 'comma'
    else isOver = true
  }

  /** What is open has ended. */
  function* close(ended: Open): Generator<JsonLeaf> {
    open = undefined
    const level = levels.at(-1)
    if (ended.kind === 'name' && level) {
      level.name = nameOf(ended)
      level.expects = 'colon'
      return
    }
    noteValue()
    const { path, parts, bytes } = ended
    const isPassed = position <= skipUntil && !isNeeded(path)
    yield { path, text: isPassed || bytes > VALUE_MAX ? undefined : decode(parts), end: position }
  }

  /** At the first byte of a value or a name; tells whether that byte has been dealt with. */
  function begin(byte: number): boolean {
    const level = levels.at(-1)
    if (isOver) throw fail('something after its end')
    if (level && !level.isList && (level.expects === 'first' || level.expects === 'name')) {
      if (byte !== QUOTE) throw fail('no name where one should be')
      open = { path: [], kind: 'name', parts: [], bytes: 0 }
      return false
    }
    if (level && level.expects !== 'value' && !(level.isList && level.expects === 'first'))
      throw fail('no comma or colon where one should be')
    const path = level ? [...level.path, level.isList ? '*' : level.name] : []
    const isNested = byte === LIST || byte === OBJECT
    if (isNested && isEntered(path)) {
      if (levels.length >= DEPTH_MAX) throw fail('too many levels')
      levels.push({ isList: byte === LIST, path, expects: 'first', name: '' })
      return true
    }
    open = { path, kind: isNested ? 'nested' : byte === QUOTE ? 'text' : 'word', parts: [], bytes: 0 }
    return false
  }

  /** At a byte between values; tells whether it has been dealt with, since it is no part of one. */
  function step(byte: number): boolean {
    if (isBlank(byte)) return true
    const level = levels.at(-1)
    if (byte === COMMA || byte === COLON) {
      if (!level || level.expects !== (byte === COMMA ? 'comma' : 'colon')) throw fail('a comma or colon too many')
      level.expects = byte === COLON || level.isList ? 'value' : 'name'
      return true
    }
    if (byte === LIST_END || byte === OBJECT_END) {
      const isRight = level?.isList === (byte === LIST_END) && (level.expects === 'comma' || level.expects === 'first')
      if (!isRight) throw fail('an end where none should be')
      levels.pop()
      noteValue()
      return true
    }
    return begin(byte)
  }

  /** Index of the first byte after the text that goes on at `start`; -1 if it goes on in the next piece. */
  function endOfText(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) {
        inText = !inText
        if (!inText) return at + 1
      }
    }
    return -1
  }

  /** As `endOfText`, for a list or an object that is not entered. */
  function endOfNested(piece: Uint8Array, start: number): number {
    let at = start
    while (at < piece.length) {
      const byte = piece[at]
      if (inText || byte === QUOTE) {
        at = endOfText(piece, at)
        if (at === -1) return -1
        continue
      }
      at++
      if (byte === LIST || byte === OBJECT) nested++
      else if ((byte === LIST_END || byte === OBJECT_END) && --nested === 0) return at
    }
    return -1
  }

  function endOfWord(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at++) if (isWordEnd(piece[at] ?? 0)) return at
    return -1
  }

  function endOf({ kind }: Open, piece: Uint8Array, start: number): number {
    if (kind === 'word') return endOfWord(piece, start)
    return kind === 'nested' ? endOfNested(piece, start) : endOfText(piece, start)
  }

  return {
    *read(piece: Uint8Array, offset: number): Generator<JsonLeaf> {
      let at = 0
      while (at < piece.length) {
        position = offset + at
        const depth = levels.length
        if (!open && step(piece[at] ?? 0)) {
          at++
          const path = levels.length > depth ? (levels.at(-1)?.path ?? []) : []
          if (path.at(-1) === '*') yield { path, text: '', end: position }
          continue
        }
        // What `step` has not dealt with, it has opened.
        if (!open) throw fail('something unexpected')
        const end = endOf(open, piece, at)
        const stop = end === -1 ? piece.length : end
        open.bytes += stop - at
        if (open.bytes <= VALUE_MAX) open.parts.push(piece.subarray(at, stop))
        else open.parts = []
        at = stop
        position = offset + at
        if (end !== -1) yield* close(open)
      }
    },

    *end(length: number): Generator<JsonLeaf> {
      position = length
      // A number alone is over with the file.
      if (open?.kind === 'word' && levels.length === 0) yield* close(open)
      if (!isOver)
        throw new DomainError('invalid_json', `${source} breaks off after ${length} bytes: a part of it is missing`)
    },
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Of a number, `true`, `false` or `null`, and of what is none of these. */
function isWordEnd(byte: number): boolean {
  return byte === COMMA || byte === LIST_END || byte === OBJECT_END || isBlank(byte)
}

function withoutMark(piece: Uint8Array): Uint8Array {
  return piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece
}
