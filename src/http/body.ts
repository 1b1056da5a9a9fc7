import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import { DomainError } from '../domain/shared/errors.ts'
import { parseExactly } from '../domain/shared/exact-json.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../domain/shared/limits.ts'
import { findExcess, isSpace, type JsonLimits } from '../formats/json-items.ts'
import { systemTimer } from '../platform/clock.ts'
import { decodeText } from '../platform/decode-text.ts'
import { collectGarbage } from '../platform/garbage.ts'
import { codeOf } from '../platform/unknown.ts'
import { type BodyRoom, type BodyStreamReader, createBodyRoom, SMALL_BODY } from './body-room.ts'

/** Decompressed bytes (docs/protocol.md#D19). */
export const BODY_MAX = 10 * 1024 * 1024
/** Limit for JSON with exact numbers: parsing takes fifteen times as long, and no more than 64 KiB can be stored. */
const EXACT_BODY_MAX = 1024 * 1024

/** Size in bytes above which the memory of a body is freed immediately. */
const MUCH = 1024 * 1024

/** Limits of bodies without long lists: a hundred times what any client sends. */
const LIMITS: JsonLimits = { items: 10_000, values: 20_000 }
const FEED_CHANGE_LIMITS: JsonLimits = { items: FEEDS_PER_REQUEST, values: 3 * FEEDS_PER_REQUEST + 100 }
const EXACT_LIMITS: JsonLimits = { items: 40_000, values: 40_000 }

const NO_ROOM = createBodyRoom({ maxBytes: 0, timer: systemTimer })

const inflaters = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // "deflate" is specified with a zlib header, but often sent without one.
  deflate: (bytes: Uint8Array, options: { maxOutputLength: number }) =>
    isZlib(bytes) ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options),
}

const utf8 = new TextDecoder()

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

export type BodyReader<T> = (request: Request, room: BodyRoom, params: PathParams) => Promise<T>

export type PathParams = Readonly<Record<string, string | undefined>>

/**
 * Reads the body as text, regardless of its Content-Type (docs/protocol.md#D5): decompressed (D6), UTF-8, without byte
 * order mark. Throws `payload_too_large`, `unsupported_encoding`, `invalid_json` (invalid UTF-8), `unavailable`.
 */
export async function readText(request: Request, room: BodyRoom): Promise<string> {
  return utf8.decode(await readUtf8(request, room))
}

/** Like `readText`, but returns bytes, for bodies that are decoded and parsed in pieces. */
export function readUtf8(request: Request, room: BodyRoom): Promise<Uint8Array> {
  return utf8Of(request, room, BODY_MAX)
}

/** Throws like `readText`, and `invalid_json` for malformed JSON or an empty body. */
export async function readJson(request: Request, room: BodyRoom): Promise<unknown> {
  return parseJson(await readUtf8(request, room), LIMITS)
}

/** Like `readJson`, with limits for lists of `FEEDS_PER_REQUEST` feeds. */
export async function readFeedChange(request: Request, room: BodyRoom): Promise<unknown> {
  return parseJson(await readUtf8(request, room), FEED_CHANGE_LIMITS, { tooMany: tooManyFeeds })
}

/** Like `readJson`, for anonymous requests: accepts only small bodies, which take no room from users. */
export async function readAnonymousJson(request: Request): Promise<unknown> {
  return parseJson(await utf8Of(request, NO_ROOM, SMALL_BODY), LIMITS)
}

/** Reads the field `token` of a small anonymous body, either a form or JSON. Throws like `readJson`. */
export async function readTokenBody(request: Request): Promise<unknown> {
  const bytes = await utf8Of(request, NO_ROOM, SMALL_BODY)
  const text = utf8.decode(bytes)
  if (text.trimStart().startsWith('{')) return parseJson(bytes, LIMITS)
  // Nextcloud also accepts it in the query.
  const token = new URLSearchParams(text).get('token') ?? new URL(request.url).searchParams.get('token')
  return token === null ? {} : { token }
}

/** Like `readJson`, but parses numbers with `parseExactly`. */
export async function readExactJson(request: Request, room: BodyRoom): Promise<unknown> {
  return parseJson(await utf8Of(request, room, EXACT_BODY_MAX), EXACT_LIMITS, { parse: parseExactly })
}

/** `readJson` for endpoints whose fields are all optional: an empty body and `null` count as `{}`. */
export async function readOptionalJson(request: Request, room: BodyRoom): Promise<unknown> {
  const bytes = await readUtf8(request, room)
  return bytes.every(isSpace) ? {} : (parseJson(bytes, LIMITS) ?? {})
}

/** Like `readText`, in any charset that `decodeText` detects: old programs seldom write UTF-8. */
export async function readAnyText(request: Request, room: BodyRoom): Promise<string> {
  return decodeText(await readDecompressed(request, room, BODY_MAX), request.headers.get('content-type') ?? '')
}

async function utf8Of(request: Request, room: BodyRoom, max: number): Promise<Uint8Array> {
  const bytes = await readDecompressed(request, room, max)
  if (!isUtf8(bytes)) throw new DomainError('invalid_json', 'the body is not valid UTF-8')
  const hasMark = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)
  return hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
}

async function readDecompressed(request: Request, room: BodyRoom, max: number): Promise<Uint8Array> {
  const coding = request.headers.get('content-encoding')
  const raw = await readBytes(request, room, max)
  return coding === null ? raw : decompress(raw, coding.trim().toLowerCase(), { request, room, max })
}

interface JsonOptions {
  readonly parse?: (text: string) => unknown
  readonly tooMany?: () => DomainError
}

function parseJson(json: Uint8Array, limits: JsonLimits, { parse = JSON.parse, tooMany }: JsonOptions = {}): unknown {
  const excess = findExcess(json, limits)
  if (excess === 'depth') throw new DomainError('invalid_json', 'the body is nested too deeply')
  if (excess === 'items')
    throw (
      tooMany?.() ??
      new DomainError('payload_too_large', `a list in the body has more than ${limits.items} items; send fewer at once`)
    )
  if (excess === 'values')
    throw new DomainError(
      'payload_too_large',
      `the body contains more than ${limits.values} values; send fewer at once`,
    )
  try {
    return parse(utf8.decode(json))
  } catch {
    throw new DomainError('invalid_json', 'the body is not valid JSON')
  }
}

async function readBytes(request: Request, room: BodyRoom, max: number): Promise<Uint8Array> {
  try {
    return await receive(request, room, max)
  } catch (error) {
    if (error instanceof DomainError) throw error
    // The client has closed the connection and will not see this response.
    throw new DomainError('invalid_json', 'the connection was closed before the end of the body', { cause: error })
  }
}

async function receive(request: Request, room: BodyRoom, max: number): Promise<Uint8Array> {
  const header = request.headers.get('content-length')
  const length = header === null ? undefined : Number(header)
  if (length !== undefined && length > max) throw tooLarge(max)
  if (length !== undefined && length <= SMALL_BODY) return new Uint8Array(await request.arrayBuffer())
  if (length !== undefined) room.reserve(request, length)
  return request.body
    ? room.inTime(request.body, (body) => readChunks(request, body, { room, max, length }))
    : new Uint8Array()
}

interface Expected {
  readonly room: BodyRoom
  readonly max: number
  readonly length: number | undefined
}

/** Reads a body that is long or has no Content-Length. Fails as soon as it is too long or there is no room for it. */
async function readChunks(
  request: Request,
  body: BodyStreamReader,
  { room, max, length }: Expected,
): Promise<Uint8Array> {
  // With a Content-Length, as is usual, one copy is enough; collecting chunks and joining them would take two.
  let bytes = new Uint8Array(length ?? 2 * SMALL_BODY)
  let size = 0
  for (;;) {
    const { done, value } = await body.read()
    if (done || !value) break
    const end = size + value.byteLength
    if (end > max) throw tooLarge(max)
    if (length === undefined && end > SMALL_BODY) room.reserve(request, end)
    if (end > bytes.length) bytes = enlarged(bytes, Math.min(Math.max(end, 2 * bytes.length), max))
    bytes.set(value, size)
    size = end
  }
  // The chunks of a body take up as much memory again.
  if (size > MUCH) collectGarbage()
  return bytes.subarray(0, size)
}

function enlarged(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(bytes)
  return larger
}

interface Decompression {
  readonly request: Request
  readonly room: BodyRoom
  readonly max: number
}

async function decompress(
  bytes: Uint8Array,
  coding: string,
  { request, room, max }: Decompression,
): Promise<Uint8Array> {
  if (coding === 'identity' || coding === '') return bytes
  const inflate = isSupported(coding) ? inflaters[coding] : undefined
  if (!inflate) throw new DomainError('unsupported_encoding', 'Content-Encoding must be gzip, deflate or identity')

  async function inflateUpTo(maxOutputLength: number): Promise<Uint8Array | undefined> {
    try {
      return await inflate?.(bytes, { maxOutputLength })
    } catch (error) {
      if (error instanceof RangeError || codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return undefined
      throw new DomainError('invalid_json', `the body is not valid ${coding}`)
    }
  }
  // The size is known only after decompression, and only large bodies need room.
  const small = await inflateUpTo(SMALL_BODY)
  if (small) return small
  if (max <= SMALL_BODY) throw tooLarge(max)
  room.reserve(request, bytes.byteLength + max)
  const decompressed = await inflateUpTo(max)
  if (!decompressed) throw tooLarge(max)
  room.reserve(request, decompressed.byteLength)
  return decompressed
}

function isSupported(coding: string): coding is keyof typeof inflaters {
  return Object.hasOwn(inflaters, coding)
}

function isZlib(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

function tooLarge(max: number): DomainError {
  return new DomainError('payload_too_large', `the body is larger than ${max} bytes`)
}
