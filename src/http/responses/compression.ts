import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { createHostQueue } from '../../domain/shared/concurrency.ts'
import { type Coding, chooseCoding } from './accept-encoding.ts'
import { isPublic, type ResponseSet } from './caching.ts'
import { TextResponse } from './text-response.ts'

/** Bytes. To compress less costs more than sending it. */
const COMPRESS_MIN = 1024
/** Bytes that are compressed at once; more goes to a thread, so that no other request waits for it. */
const AT_ONCE_MAX = 16 * 1024
/** Each takes up to a megabyte; what waits is no larger than it would be uncompressed. */
const LARGE_AT_ONCE = 2
/** Each takes 300 kB for as long as the client reads. What is more goes out as it is. */
const STREAMS_MAX = 16

/** Levels for small computers: higher ones take much longer and save a tenth. Others wait for what is done at once. */
const GZIP = { level: 3 }
const GZIP_AT_ONCE = { level: 1 }
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 } }
const ZSTD = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 3 } }

interface Compressor {
  now(bytes: Buffer): Buffer<ArrayBuffer>
  onThread(bytes: Buffer): Promise<Buffer<ArrayBuffer>>
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer<ArrayBuffer>>(zlib.gzip)
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer<ArrayBuffer>>(zlib.brotliCompress)
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer<ArrayBuffer>>(zlib.zstdCompress)

const compressors: Record<Coding, Compressor> = {
  gzip: { now: (bytes) => zlib.gzipSync(bytes, GZIP_AT_ONCE), onThread: (bytes) => gzip(bytes, GZIP) },
  br: { now: (bytes) => zlib.brotliCompressSync(bytes, BROTLI), onThread: (bytes) => brotli(bytes, BROTLI) },
  zstd: { now: (bytes) => zlib.zstdCompressSync(bytes, ZSTD), onThread: (bytes) => zstd(bytes, ZSTD) },
}
const CODINGS = ['zstd', 'br', 'gzip'] as const

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

/** Makes the function that compresses a response; it returns undefined where that is useless or unsafe. */
export function createCompression() {
  const large = createHostQueue({ atOnce: LARGE_AT_ONCE, perHost: LARGE_AT_ONCE })
  let streams = 0

  async function compressWhole(text: string, length: number, coding: Coding): Promise<Buffer<ArrayBuffer>> {
    const compressor = compressors[coding]
    if (length <= AT_ONCE_MAX) return compressor.now(Buffer.from(text))
    return await large.run('', () => compressor.onThread(Buffer.from(text)))
  }

  function compressStream(source: ReadableStream<Uint8Array>): ReadableStream {
    streams++
    const compressor = pipeline(Readable.fromWeb(source), zlib.createGzip(GZIP), () => streams--)
    return Readable.toWeb(compressor)
  }

  return (request: Request, set: ResponseSet, returned: unknown): Response | Promise<Response> | undefined => {
    const accepted = request.headers.get('accept-encoding')
    // Errors and responses to uploads repeat what was sent.
    if (accepted === null || request.method !== 'GET' || (set.status !== undefined && set.status !== 200))
      return undefined
    if (returned instanceof TextResponse && returned.whole === undefined) {
      if (!mayTellLength(request, set)) return undefined
      const coding = streams < STREAMS_MAX ? chooseCoding(accepted, ['gzip']) : undefined
      tellCoding(set, coding)
      return coding && returned.body ? new Response(compressStream(returned.body), returned) : undefined
    }
    const text = returned instanceof TextResponse ? returned.whole : returned
    if (typeof text !== 'string') return undefined
    const length = Buffer.byteLength(text)
    if (length <= COMPRESS_MIN || !mayTellLength(request, set)) return undefined
    const coding = chooseCoding(accepted, CODINGS)
    tellCoding(set, coding)
    if (!coding) return undefined
    const type = returned instanceof TextResponse ? returned.contentType : 'application/json;charset=utf-8'
    return compressWhole(text, length, coding).then(
      (bytes) => new Response(bytes, { headers: { 'content-type': type } }),
    )
  }
}

/**
 * Whether everybody on the way may know how long a response is when it is compressed. Where a secret and a text of the
 * request's maker are compressed together the length tells when they are alike, and so, try by try, the secret
 * (BREACH). So what is not public is compressed only if the request brings no text along that could get into the
 * response: no search, no address of a feed and no name of a JSONP function. Public responses hold no secret.
 */
function mayTellLength({ url }: Request, set: ResponseSet): boolean {
  const start = url.indexOf('?')
  if (start === -1 || isPublic(set)) return true
  return [...new URLSearchParams(url.slice(start)).keys()].every((name) => PLAIN_PARAMETERS.has(name))
}

/** Says that the response would be another one for another client, and which one it is. */
function tellCoding(set: ResponseSet, coding: Coding | undefined): void {
  set.headers['vary'] ??= 'Accept-Encoding'
  if (coding) set.headers['content-encoding'] = coding
}
