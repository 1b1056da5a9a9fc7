import { DomainError, invalid } from '../domain/shared/errors.ts'

/** Characters that are parsed at once: some milliseconds' work, whatever is in them. */
const PIECE = 64 * 1024
/** No item of the protocol comes near; one item is never split. */
const ITEM_MAX = 64 * 1024

const COMMA = 0x2c
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]
const QUOTE = 0x22

export interface ItemsOptions {
  readonly limits: JsonLimits
  /** Of the member that holds the list, where it may stand in an object. */
  readonly member?: string
  /** Thrown when the list has more items than `limits` says. */
  readonly tooMany: () => DomainError
}

/**
 * The items of a JSON list, or of the only member of a JSON object, some at a time, so that other requests can have
 * their turn in between. Throws `payload_too_large` before anything is made of a text that holds too much,
 * `invalid_json` and `validation_failed` when it gets there: nothing may be done with the first items before the last
 * are read.
 */
export function* readItems(given: string, { limits, member, tooMany }: ItemsOptions): Generator<readonly unknown[]> {
  const text = given.replace(/^\ufeff/, '')
  const excess = findExcess(text, limits)
  if (excess === 'depth') throw new DomainError('invalid_json', 'the body is nested too deeply')
  if (excess === 'items') throw tooMany()
  if (excess === 'values') throw tooLarge('the body holds too many values')
  if (text.length <= PIECE) return yield listIn(parse(text), member)

  const list = member === undefined ? text.trim() : unwrap(text.trim(), member)
  if (list.charCodeAt(0) === LIST) return yield* split(list)
  // Not a list: small enough to be read as a whole, or nothing that anybody sends.
  throw list.charCodeAt(0) === OBJECT && member !== undefined
    ? tooLarge(`so long a list of ${member} must be the only member of the object`)
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

/** The list of `{"member": […]}`; any other text as it is. */
function unwrap(text: string, member: string): string {
  const [head = ''] = /^\{\s*"\w+"\s*:\s*/.exec(text) ?? []
  if (head === '' || !text.endsWith('}') || !head.includes(`"${member}"`)) return text
  return text.slice(head.length, -1).trimEnd()
}

function* split(list: string): Generator<readonly unknown[]> {
  let depth = 0
  let start = 1
  let itemStart = 1
  let items = 1
  for (let at = 0; at < list.length; at++) {
    const code = list.charCodeAt(at)
    if (code === QUOTE) at = endOfString(list, at)
    else if (code === LIST || code === OBJECT) depth++
    else if (code === LIST_END || code === OBJECT_END) depth--
    if (depth === 1 && code === COMMA) {
      checkItem(at - itemStart)
      itemStart = at + 1
      if (at - start >= PIECE) {
        yield piece(list.slice(start, at), items)
        start = at + 1
        items = 0
      }
      items++
    }
    if (depth === 0 && at < list.length - 1) throw malformed()
  }
  const end = list.length - 1
  if (depth !== 0 || list.charCodeAt(end) !== LIST_END) throw malformed()
  checkItem(end - itemStart)
  yield piece(list.slice(start, end), items)
}

function checkItem(length: number): void {
  if (length > ITEM_MAX) throw tooLarge(`an item of the list is longer than ${ITEM_MAX} characters`)
}

/** A comma with nothing beside it shows in the number of items. */
function piece(text: string, items: number): readonly unknown[] {
  const parsed = parse(`[${text}]`)
  if (!Array.isArray(parsed) || parsed.length !== items) throw malformed()
  return parsed
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

/** What a JSON text may hold; told from its characters, before anything is made of them. */
export interface JsonLimits {
  readonly items: number
  /** Lists, objects, their items and members, all together. */
  readonly values: number
}

/** Nothing in the protocol nests deeper than four levels. */
const DEPTH_MAX = 64

/** Objects of the protocol have a dozen members; hundreds of thousands in one object take the parser a second. */
const MEMBERS_MAX = 20_000

const BACKSLASH = 0x5c

/**
 * Which limit JSON text exceeds, if any. The parser takes half a million levels and millions of values, but the objects
 * it makes of them take fifty times the memory, and what looks at them afterwards (schema checks, their error messages)
 * recurses and takes seconds.
 */
export function findExcess(json: string, { items, values }: JsonLimits): 'depth' | 'items' | 'values' | undefined {
  /** How many more commas are fine in the list or object that is open, and in those around it. */
  let left = Number.POSITIVE_INFINITY
  const around: number[] = []
  let valuesLeft = values
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (code === COMMA) {
      if (--left < 0) return 'items'
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST || code === OBJECT) {
      if (around.push(left) > DEPTH_MAX) return 'depth'
      left = (code === LIST ? items : MEMBERS_MAX) - 1
      if (--valuesLeft < 0) return 'values'
    } else if (code === LIST_END || code === OBJECT_END) left = around.pop() ?? Number.POSITIVE_INFINITY
  }
  return undefined
}

/** The place of the quote that ends the string begun at `start`; the text's end if there is none. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
