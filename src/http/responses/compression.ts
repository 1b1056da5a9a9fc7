import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { createHostQueue } from '../../domain/shared/concurrency.ts'
import { type Coding, chooseCoding } from './accept-encoding.ts'
import { isPublic, type ResponseSet } from './caching.ts'
import { TextResponse } from './text-response.ts'

/** Bytes. Packing less costs more than sending it. */
const COMPRESS_MIN = 1024
/** Bytes that are packed at once; more goes to a thread, so that no other request waits for it. */
const AT_ONCE_MAX = 16 * 1024
/** Each takes up to a megabyte; what waits is no larger than it would be unpacked. */
const LARGE_AT_ONCE = 2
/** Each takes 300 kB for as long as the client reads. What is more goes out as it is. */
const STREAMS_MAX = 16

/** Levels for small computers: the next ones take much more time and save a tenth. What is packed at once has others waiting. */
const GZIP = { level: 3 }
const GZIP_AT_ONCE = { level: 1 }
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 } }
const ZSTD = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 3 } }

interface Packer {
  now(bytes: Buffer): Buffer<ArrayBuffer>
  onThread(bytes: Buffer): Promise<Buffer<ArrayBuffer>>
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer<ArrayBuffer>>(zlib.gzip)
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress)
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer<ArrayBuffer>>(zlib.zstdCompress)

const packers: Record<Coding, Packer> = {
  gzip: { now: (bytes) => zlib.gzipSync(bytes, GZIP_AT_ONCE), onThread: (bytes) => gzip(bytes, GZIP) },
  br: { now: (bytes) => zlib.brotliCompressSync(bytes, BROTLI), onThread: (bytes) => brotli(bytes, BROTLI) },
  zstd: { now: (bytes) => zlib.zstdCompressSync(bytes, ZSTD), onThread: (bytes) => zstd(bytes, ZSTD) },
}
const CODINGS = ['zstd', 'br', 'gzip'] as const

/** Parameters of a query that hold a number, a date or one of a few words, which no answer repeats. */
export const PLAIN_PARAMETERS: ReadonlySet<string> = new Set([
  'since',
  'aggregated',
  'from',
  'to',
  'offset',
  'page',
  'per_page',
  'scale_logo',
  'state',
])

/**
 * Makes the function that compresses a response: `answer` is JSON as text or what the handler has returned. Undefined where it is to be sent as
 * it is: no text, or not worth it, or the client does not take it, or its length would tell somebody what is in it.
 */
export function createCompression() {
  const large = createHostQueue({ atOnce: LARGE_AT_ONCE, perHost: LARGE_AT_ONCE })
  let streams = 0

  async function packWhole(text: string, length: number, coding: Coding): Promise<Buffer<ArrayBuffer>> {
    const packer = packers[coding]
    if (length <= AT_ONCE_MAX) return packer.now(Buffer.from(text))
    return await large.run('', () => packer.onThread(Buffer.from(text)))
  }

  function packStream(source: ReadableStream<Uint8Array>): ReadableStream {
    streams++
    const packer = pipeline(Readable.fromWeb(source), zlib.createGzip(GZIP), () => streams--)
    return Readable.toWeb(packer)
  }

  return (request: Request, set: ResponseSet, answer: unknown): Response | Promise<Response> | undefined => {
    const accepted = request.headers.get('accept-encoding')
    // Errors and answers to uploads repeat what was sent.
    if (accepted === null || request.method !== 'GET' || (set.status !== undefined && set.status !== 200))
      return undefined
    if (answer instanceof TextResponse && answer.whole === undefined) {
      if (!mayTellLength(request, set)) return undefined
      const coding = streams < STREAMS_MAX ? chooseCoding(accepted, ['gzip']) : undefined
      tellCoding(set, coding)
      return coding && answer.body ? new Response(packStream(answer.body), answer) : undefined
    }
    const text = answer instanceof TextResponse ? answer.whole : answer
    if (typeof text !== 'string') return undefined
    const length = Buffer.byteLength(text)
    if (length <= COMPRESS_MIN || !mayTellLength(request, set)) return undefined
    const coding = chooseCoding(accepted, CODINGS)
    tellCoding(set, coding)
    if (!coding) return undefined
    const type = answer instanceof TextResponse ? answer.contentType : 'application/json;charset=utf-8'
    return packWhole(text, length, coding).then((packed) => new Response(packed, { headers: { 'content-type': type } }))
  }
}

/**
 * Whether everybody on the way may know how long an answer is when it is packed. Where a secret and a text of the request's maker are packed
 * together the length tells when they are alike, and so, try by try, the secret (BREACH). So what is not public is packed only if the
 * request brings no text along that could get into the answer: no search, no address of a feed and no name of a JSONP function. Public
 * answers hold no secret.
 */
function mayTellLength({ url }: Request, set: ResponseSet): boolean {
  const start = url.indexOf('?')
  if (start === -1 || isPublic(set)) return true
  return [...new URLSearchParams(url.slice(start)).keys()].every((name) => PLAIN_PARAMETERS.has(name))
}

/** That the answer would be another one for another client, and which one it is. */
function tellCoding(set: ResponseSet, coding: Coding | undefined): void {
  set.headers['vary'] ??= 'Accept-Encoding'
  if (coding) set.headers['content-encoding'] = coding
}
