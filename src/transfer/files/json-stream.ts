import { DomainError } from '../../domain/shared/errors.ts'

export type JsonPath = readonly (string | null)[]

/** Limits on a value that is parsed as a whole: objects take up to fifty times the memory of their JSON. */
export interface ValueLimits {
  readonly bytes: number
  readonly values: number
}

export const VALUE_LIMITS: ValueLimits = { bytes: 256 * 1024, values: 10_000 }

export interface JsonLeaf {
  readonly path: JsonPath
  readonly text: string | undefined
  readonly end: number
}

export interface JsonStreamOptions {
  readonly what?: string
  /** Whether to read members or items of the value separately; otherwise the value is a leaf. */
  readonly isEntered: (path: JsonPath) => boolean
  readonly limitsOf?: (path: JsonPath) => ValueLimits
  /** Leaves that end by this byte were read by an earlier run and come without text, unless `isNeeded`. */
  readonly skipUntil?: number
  readonly isNeeded?: (path: JsonPath) => boolean
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]
const DEPTH_MAX = 64
const NAME_LIMITS: ValueLimits = { bytes: 64 * 1024, values: 1 }

interface Level {
  readonly isList: boolean
  readonly path: JsonPath
  expects: 'first' | 'value' | 'name' | 'colon' | 'comma'
  name: string
}

interface Open {
  readonly path: JsonPath
  readonly kind: 'name' | 'text' | 'nested' | 'word'
  readonly limits: ValueLimits
  /** Bytes read so far. */
  bytes: number
  values: number
  depth: number
  /** Exceeds its limits; its bytes are no longer kept. */
  isTooLarge: boolean
}

/** Yields the leaves of a JSON document of any size, in order. Throws `invalid_json`. */
export async function* readJsonLeaves(
  pieces: AsyncIterable<Uint8Array>,
  options: JsonStreamOptions,
): AsyncGenerator<JsonLeaf> {
  const scanner = createScanner(options)
  let offset = 0
  for await (const bytes of pieces) {
    const piece = offset === 0 ? withoutMark(bytes) : bytes
    yield* scanner.read(piece, offset)
    offset += piece.length
  }
  yield* scanner.end(offset)
}

function createScanner({
  what: source = 'the file',
  isEntered,
  limitsOf = () => VALUE_LIMITS,
  skipUntil = 0,
  isNeeded = () => false,
}: JsonStreamOptions) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const levels: Level[] = []
  let isOver = false
  let position = 0
  let open: Open | undefined
  /** Bytes of the current value or name. */
  let room = new Uint8Array(1024)
  let inText = false
  let isEscaped = false

  const fail = (what: string) => new DomainError('invalid_json', `${source} is damaged: ${what} at byte ${position}`)

  function decode({ bytes }: Open): string {
    try {
      return decoder.decode(room.subarray(0, bytes))
    } catch {
      throw fail('invalid UTF-8')
    }
  }

  function nameOf(name: Open): string {
    if (name.isTooLarge) throw fail('a name that is too long')
    const text = decode(name)
    try {
      return JSON.parse(text)
    } catch {
      throw fail('a name that is not a string')
    }
  }

  function noteValue(): void {
    const level = levels.at(-1)
    if (level) level.expects = 'comma'
    else isOver = true
  }

  function* close(ended: Open): Generator<JsonLeaf> {
    open = undefined
    const level = levels.at(-1)
    if (ended.kind === 'name' && level) {
      level.name = nameOf(ended)
      level.expects = 'colon'
      return
    }
    noteValue()
    const { path, isTooLarge } = ended
    const isPassed = position <= skipUntil && !isNeeded(path)
    yield { path, text: isPassed || isTooLarge ? undefined : decode(ended), end: position }
  }

  function begin(byte: number): boolean {
    const level = levels.at(-1)
    if (isOver) throw fail('text after the end')
    if (level && !level.isList && (level.expects === 'first' || level.expects === 'name')) {
      if (byte !== QUOTE) throw fail('a missing name')
      open = beginning([], 'name', NAME_LIMITS)
      return false
    }
    if (level && level.expects !== 'value' && !(level.isList && level.expects === 'first'))
      throw fail('a missing comma or colon')
    const path = level ? [...level.path, level.isList ? null : level.name] : []
    const isNested = byte === LIST || byte === OBJECT
    if (isNested && isEntered(path)) {
      if (levels.length >= DEPTH_MAX) throw fail('too many levels')
      levels.push({ isList: byte === LIST, path, expects: 'first', name: '' })
      return true
    }
    open = beginning(path, isNested ? 'nested' : byte === QUOTE ? 'text' : 'word', limitsOf(path))
    return false
  }

  function step(byte: number): boolean {
    if (isBlank(byte)) return true
    const level = levels.at(-1)
    if (byte === COMMA || byte === COLON) {
      if (!level || level.expects !== (byte === COMMA ? 'comma' : 'colon')) throw fail('an unexpected comma or colon')
      level.expects = byte === COLON || level.isList ? 'value' : 'name'
      return true
    }
    if (byte === LIST_END || byte === OBJECT_END) {
      const isRight = level?.isList === (byte === LIST_END) && (level.expects === 'comma' || level.expects === 'first')
      if (!isRight) throw fail('an unexpected bracket')
      levels.pop()
      noteValue()
      return true
    }
    return begin(byte)
  }

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

  function endOfNested(value: Open, piece: Uint8Array, start: number): number {
    let at = start
    while (at < piece.length) {
      const byte = piece[at]
      if (inText || byte === QUOTE) {
        at = endOfText(piece, at)
        if (at === -1) return -1
        continue
      }
      at++
      if (byte === COMMA) value.values++
      else if (byte === LIST || byte === OBJECT) {
        value.values++
        if (++value.depth > DEPTH_MAX) value.isTooLarge = true
      } else if ((byte === LIST_END || byte === OBJECT_END) && --value.depth === 0) return at
    }
    return -1
  }

  function endOfWord(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at++) if (isWordEnd(piece[at] ?? 0)) return at
    return -1
  }

  function endOf(value: Open, piece: Uint8Array, start: number): number {
    if (value.kind === 'word') return endOfWord(piece, start)
    return value.kind === 'nested' ? endOfNested(value, piece, start) : endOfText(piece, start)
  }

  /** Copies more bytes of a value, unless it is too large. */
  function keep(value: Open, piece: Uint8Array): void {
    const before = value.bytes
    value.bytes += piece.length
    value.isTooLarge ||= value.bytes > value.limits.bytes || value.values > value.limits.values
    if (value.isTooLarge) return
    if (value.bytes > room.length) {
      const larger = new Uint8Array(2 * value.bytes)
      larger.set(room.subarray(0, before))
      room = larger
    }
    room.set(piece, before)
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
          if (path.at(-1) === null) yield { path, text: '', end: position }
          continue
        }
        // A byte that `step` has not consumed starts a value.
        if (!open) throw fail('an unexpected character')
        const end = endOf(open, piece, at)
        const stop = end === -1 ? piece.length : end
        keep(open, piece.subarray(at, stop))
        at = stop
        position = offset + at
        if (end !== -1) yield* close(open)
      }
    },

    *end(length: number): Generator<JsonLeaf> {
      position = length
      // A top-level number ends with the document.
      if (open?.kind === 'word' && levels.length === 0) yield* close(open)
      if (!isOver) throw new DomainError('invalid_json', `${source} ends after ${length} bytes, and is incomplete`)
    },
  }
}

function beginning(path: JsonPath, kind: Open['kind'], limits: ValueLimits): Open {
  return { path, kind, limits, bytes: 0, values: 0, depth: 0, isTooLarge: false }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isWordEnd(byte: number): boolean {
  return byte === COMMA || byte === LIST_END || byte === OBJECT_END || isBlank(byte)
}

function withoutMark(piece: Uint8Array): Uint8Array {
  return piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece
}
