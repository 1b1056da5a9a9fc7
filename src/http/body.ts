import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import { DomainError } from '../domain/errors.ts'
import { parseExactly } from '../domain/exact-json.ts'
import { isTooDeep } from './json-depth.ts'

/** Decompressed bytes (protocol.md D19). */
export const BODY_MAX = 10 * 1024 * 1024
/** Of what strangers send: nothing they may ask for takes more, and nobody else's requests shall wait for theirs. */
const STRANGERS_BODY_MAX = 64 * 1024
/** Of what is kept to the last digit: reading it so takes fifteen times as long, and no more than 64 KiB of it can be kept. */
const EXACT_BODY_MAX = 1024 * 1024

const inflaters = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Servers and clients disagree on what "deflate" is: with zlib's header as specified, or without as often sent.
  deflate: (bytes: Uint8Array, options: { maxOutputLength: number }) =>
    isZlib(bytes) ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options),
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The body as text, whatever its Content-Type says (protocol.md D5): decompressed (D6), UTF-8, without byte order mark.
 * Throws `payload_too_large`, `unsupported_encoding`, `invalid_json` (for bytes that are no text).
 */
export async function readText(request: Request, max = BODY_MAX): Promise<string> {
  const coding = request.headers.get('content-encoding')
  const raw = await readBytes(request, max)
  const bytes = coding === null ? raw : await decompress(raw, coding.trim().toLowerCase(), max)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DomainError('invalid_json', 'the body is not valid UTF-8')
  }
}

/** The body as JSON. Throws as `readText`, and `invalid_json`; an empty body is no JSON either. */
export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request))
}

/** As `readJson`, for requests without credentials. */
export async function readStrangersJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request, STRANGERS_BODY_MAX))
}

/** As `readJson`, with numbers as `parseExactly` makes them. */
export async function readExactJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request, EXACT_BODY_MAX), parseExactly)
}

/** As `readJson`, but an empty body counts as `{}`: for endpoints whose fields are all optional. */
export async function readOptionalJson(request: Request): Promise<unknown> {
  const text = await readText(request)
  return text.trim() === '' ? {} : parseJson(text)
}

function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (isTooDeep(text)) throw new DomainError('invalid_json', 'the body is nested too deeply')
  try {
    return parse(text)
  } catch {
    throw new DomainError('invalid_json', 'the body is not valid JSON')
  }
}

async function readBytes(request: Request, max: number): Promise<Uint8Array> {
  try {
    return await receive(request, max)
  } catch (error) {
    if (error instanceof DomainError) throw error
    // The client went away in the middle: no fault of ours, and nobody reads the answer.
    throw new DomainError('invalid_json', 'the body broke off', { cause: error })
  }
}

async function receive(request: Request, max: number): Promise<Uint8Array> {
  const length = request.headers.get('content-length')
  if (length !== null) {
    if (Number(length) > max) throw tooLarge(max)
    return new Uint8Array(await request.arrayBuffer())
  }
  return request.body ? readChunks(request.body, max) : new Uint8Array()
}

/** A body of unannounced length: give up as soon as it is too long. */
async function readChunks(body: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > max) throw tooLarge(max)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function decompress(bytes: Uint8Array, coding: string, max: number): Promise<Uint8Array> {
  if (coding === 'identity' || coding === '') return bytes
  const unpack = isSupported(coding) ? inflaters[coding] : undefined
  if (!unpack) throw new DomainError('unsupported_encoding', 'Content-Encoding must be gzip, deflate or identity')
  try {
    return await unpack(bytes, { maxOutputLength: max })
  } catch (error) {
    if (
      error instanceof RangeError ||
      (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
    )
      throw tooLarge(max)
    throw new DomainError('invalid_json', `the body is not valid ${coding}`)
  }
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
