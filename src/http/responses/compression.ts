import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { createHostQueue } from '../../domain/shared/concurrency.ts'
import { type Coding, chooseCoding } from './accept-encoding.ts'
import { isPublic, type ResponseSet } from './caching.ts'
import { TextResponse } from './text-response.ts'

/** Bytes. Compressing less costs more than sending it. */
const COMPRESS_MIN = 1024
/** Bytes compressed synchronously. Longer bodies go to a thread, so that other requests do not wait. */
const AT_ONCE_MAX = 16 * 1024
/** Each takes up to a megabyte. Responses in the queue are no larger than uncompressed ones. */
const LARGE_AT_ONCE = 2
/** Each takes 300 kB while the client reads. Further streams are sent uncompressed. */
const STREAMS_MAX = 16

/** Levels for small computers: higher ones take much longer and save a tenth. Synchronous work delays all requests. */
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

/** The returned function compresses a response, or returns undefined if compression is useless or unsafe. */
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
    // Errors and responses to uploads echo parts of the request.
    if (accepted === null || request.method !== 'GET' || (set.status !== undefined && set.status !== 200))
      return undefined
    if (returned instanceof TextResponse && returned.whole === undefined) {
      if (!mayRevealLength(request, set)) return undefined
      const coding = streams < STREAMS_MAX ? chooseCoding(accepted, ['gzip']) : undefined
      setCodingHeaders(set, coding)
      return coding && returned.body ? new Response(compressStream(returned.body), returned) : undefined
    }
    const text = returned instanceof TextResponse ? returned.whole : returned
    if (typeof text !== 'string') return undefined
    const length = Buffer.byteLength(text)
    if (length <= COMPRESS_MIN || !mayRevealLength(request, set)) return undefined
    const coding = chooseCoding(accepted, CODINGS)
    setCodingHeaders(set, coding)
    if (!coding) return undefined
    const type = returned instanceof TextResponse ? returned.contentType : 'application/json;charset=utf-8'
    return compressWhole(text, length, coding).then(
      (bytes) => new Response(bytes, { headers: { 'content-type': type } }),
    )
  }
}

/**
 * Whether the compressed length of a response may be visible on the network. If a secret is compressed together with
 * text chosen by an attacker, the length reveals whether they match and, after enough attempts, the secret (BREACH).
 * Private responses are therefore compressed only if they cannot contain text from the request, such as a search, a
 * feed URL or the name of a JSONP function. Public responses contain no secrets.
 */
function mayRevealLength({ url }: Request, set: ResponseSet): boolean {
  const start = url.indexOf('?')
  if (start === -1 || isPublic(set)) return true
  return [...new URLSearchParams(url.slice(start)).keys()].every((name) => PLAIN_PARAMETERS.has(name))
}

function setCodingHeaders(set: ResponseSet, coding: Coding | undefined): void {
  set.headers['vary'] ??= 'Accept-Encoding'
  if (coding) set.headers['content-encoding'] = coding
}
