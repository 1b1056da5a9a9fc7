import { DomainError, invalid } from '../domain/shared/errors.ts'

const PIECE = 64 * 1024
/** Bytes of one item, far above any in the protocol; an item is never split. */
const ITEM_MAX = 64 * 1024
const HEAD_MAX = 1024

const COMMA = 0x2c
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]
const QUOTE = 0x22

/** Keeps U+FEFF: it is an error anywhere but at the start of a body. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export interface ItemsOptions {
  readonly limits: JsonLimits
  readonly member?: string
  readonly tooMany: () => DomainError
}

/**
 * Reads the items of a JSON list, or of the only member of a JSON object, in batches, so that other requests can run in
 * between. `json` is valid UTF-8 and is decoded batch by batch, since a large body as text and as objects takes seven
 * times its size. The result can be iterated again, which saves keeping the items. Throws `payload_too_large` before
 * the first batch if the text exceeds the limits, but `invalid_json` and `validation_failed` only on reaching the
 * error: process no item before all have been read once.
 */
export function readItems(json: Uint8Array, options: ItemsOptions): Iterable<readonly unknown[]> {
  return { [Symbol.iterator]: () => itemsOf(json, options) }
}

function* itemsOf(json: Uint8Array, { limits, member, tooMany }: ItemsOptions): Generator<readonly unknown[]> {
  const excess = findExcess(json, limits)
  if (excess === 'depth') throw new DomainError('invalid_json', 'the body is nested too deeply')
  if (excess === 'items') throw tooMany()
  if (excess === 'values') throw tooLarge('the body contains too many values')
  if (json.length <= PIECE) return yield listIn(parse(decode(json)), member)

  const list = member === undefined ? trim(json) : unwrap(trim(json), member)
  if (list[0] === LIST) return yield* split(list)
  // Bodies of another form are accepted only if small; no client sends large ones.
  throw list[0] === OBJECT && member !== undefined
    ? tooLarge(`a list of ${member} this long must be the only member of the object`)
    : invalid('body', 'the body must be a list')
}

function listIn(value: unknown, member: string | undefined): readonly unknown[] {
  if (Array.isArray(value)) return value
  const found: unknown =
    member !== undefined && typeof value === 'object' && value !== null && Object.hasOwn(value, member)
      ? Reflect.get(value, member)
      : undefined
  if (found === undefined) throw invalid('body', 'the body must be a list')
  if (!Array.isArray(found)) throw invalid(member ?? 'body', `${member} must be a list`)
  return found
}

function decode(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function trim(json: Uint8Array): Uint8Array {
  let start = 0
  let end = json.length
  while (start < end && isSpace(json[start])) start++
  while (end > start && isSpace(json[end - 1])) end--
  return json.subarray(start, end)
}

function unwrap(json: Uint8Array, member: string): Uint8Array {
  const [head = ''] = /^\{[ \n\r\t]*"[a-z]+"[ \n\r\t]*:/.exec(decode(json.subarray(0, HEAD_MAX))) ?? []
  if (head === '' || json.at(-1) !== OBJECT_END || !head.includes(`"${member}"`)) return json
  return trim(json.subarray(head.length, -1))
}

function* split(list: Uint8Array): Generator<readonly unknown[]> {
  const piece = createPieceReader()
  let depth = 0
  let start = 1
  let itemStart = 1
  let items = 1
  for (let at = 0; at < list.length; at++) {
    const code = list[at]
    if (code === QUOTE) at = endOfString(list, at)
    else if (code === LIST || code === OBJECT) depth++
    else if (code === LIST_END || code === OBJECT_END) depth--
    if (depth === 1 && code === COMMA) {
      checkItem(at - itemStart)
      itemStart = at + 1
      if (at - start >= PIECE) {
        yield piece(list.subarray(start, at), items)
        start = at + 1
        items = 0
      }
      items++
    }
    if (depth === 0 && at < list.length - 1) throw malformed()
  }
  const end = list.length - 1
  if (depth !== 0 || list[end] !== LIST_END) throw malformed()
  checkItem(end - itemStart)
  yield piece(list.subarray(start, end), items)
}

function checkItem(length: number): void {
  if (length > ITEM_MAX) throw tooLarge(`an item of the list is longer than ${ITEM_MAX} bytes`)
}

/** Parses the items of a piece. Adds the brackets around them as bytes, to avoid a second copy as text. */
function createPieceReader() {
  const room = new Uint8Array(PIECE + ITEM_MAX + 2)
  return (items: Uint8Array, count: number): readonly unknown[] => {
    room[0] = LIST
    room.set(items, 1)
    room[items.length + 1] = LIST_END
    const parsed = parse(decode(room.subarray(0, items.length + 2)))
    if (!Array.isArray(parsed) || parsed.length !== count) throw malformed()
    return parsed
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

function malformed(): DomainError {
  return new DomainError('invalid_json', 'the body is not valid JSON')
}

function tooLarge(what: string): DomainError {
  return new DomainError('payload_too_large', `${what}; nothing was changed, send less in one request`)
}

export interface JsonLimits {
  readonly items: number
  readonly values: number
}

const DEPTH_MAX = 64

const MEMBERS_MAX = 20_000

const BACKSLASH = 0x5c

/** The limit that JSON exceeds, if any, checked before parsing: parsed objects take fifty times the memory. */
export function findExcess(json: Uint8Array, { items, values }: JsonLimits): 'depth' | 'items' | 'values' | undefined {
  let itemsLeft = Number.POSITIVE_INFINITY
  const outerItemsLeft: number[] = []
  let valuesLeft = values
  for (let at = 0; at < json.length; at++) {
    const code = json[at]
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA) {
      if (--itemsLeft < 0) return 'items'
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST || code === OBJECT) {
      if (outerItemsLeft.push(itemsLeft) > DEPTH_MAX) return 'depth'
      itemsLeft = (code === LIST ? items : MEMBERS_MAX) - 1
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST_END || code === OBJECT_END) itemsLeft = outerItemsLeft.pop() ?? Number.POSITIVE_INFINITY
  }
  return undefined
}

function endOfString(json: Uint8Array, start: number): number {
  let end = json.indexOf(QUOTE, start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: Uint8Array, quote: number): boolean {
  let before = quote - 1
  while (json[before] === BACKSLASH) before--
  return (quote - before) % 2 === 0
}
