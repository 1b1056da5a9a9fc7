import { nextTurn } from '../platform/clock.ts'
import { FetchFailure } from './fetch-failure.ts'

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

const FORMATS: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/**
 * The body, decompressed, of at most `maxBytes` before and after that. The runtime would decompress without any bound,
 * and a kilobyte may hold a gigabyte. Throws `FetchFailure`, and whatever breaks the connection.
 */
export async function readLimited({ body, headers }: Response, maxBytes: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const named = formatOf(headers.get('content-encoding'))
  const sent = await collect(body, maxBytes)
  const format = named ?? (isGzip(sent) ? 'gzip' : undefined)
  // An empty body stays empty, whatever encoding the response names.
  if (format === undefined || sent.byteLength === 0) return sent
  try {
    return await collect(new Blob([sent]).stream().pipeThrough(decompression(format, sent)), maxBytes)
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    throw new FetchFailure('bad_encoding', 'the response cannot be decompressed')
  }
}

function formatOf(coding: string | null): Bun.CompressionFormat | undefined {
  const name = (coding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  if (!format) throw new FetchFailure('bad_encoding', 'the response is compressed in a way nobody asked for')
  return format
}

/** A file that was compressed before it was uploaded, without saying so. No feed starts with these bytes. */
function isGzip([first, second, third]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b && third === 8
}

function decompression(format: Bun.CompressionFormat, [first = 0]: Uint8Array): DecompressionStream {
  // Many servers take "deflate" at its word and leave out the wrapping that HTTP means by it, which begins with 8.
  return new DecompressionStream(format === 'deflate' && (first & 0x0f) !== 8 ? 'deflate-raw' : format)
}

/** Bytes copied in one turn of the event loop. New memory comes page by page, which takes longer than the copy. */
const COPIED_AT_ONCE = 256 * 1024

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of limited(stream, maxBytes)) {
    size += chunk.byteLength
    chunks.push(chunk)
  }
  return join(chunks, size)
}

async function join(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(size)
  let at = 0
  let rested = 0
  for (const chunk of chunks) {
    if (at - rested >= COPIED_AT_ONCE) {
      await nextTurn()
      rested = at
    }
    body.set(chunk, at)
    at += chunk.byteLength
  }
  return body
}

/**
 * The body piece by piece as it arrives, decompressed, of at most `maxBytes` before and after that. Throws
 * `FetchFailure`, and whatever breaks the connection.
 */
export async function* streamLimited({ body, headers }: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  const format = formatOf(headers.get('content-encoding'))
  if (!body) return
  const sent = limited(body, maxBytes)
  if (format === undefined) {
    yield* sent
    return
  }
  const first = await sent.next()
  // An empty body stays empty, whatever encoding the response names.
  if (first.done) return
  let next: IteratorResult<Uint8Array<ArrayBuffer>> = first
  let failure: unknown
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (next.done) return controller.close()
      controller.enqueue(next.value)
      try {
        next = await sent.next()
      } catch (error) {
        failure = error
        throw error
      }
    },
  })
  const unpacked = packed.pipeThrough(decompression(format, first.value))
  try {
    yield* limited(unpacked, maxBytes)
  } catch (error) {
    if (failure !== undefined) throw failure
    if (error instanceof FetchFailure) throw error
    throw new FetchFailure('bad_encoding', 'the response cannot be decompressed')
  }
}

async function* limited(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure('too_large', `the response is larger than ${maxBytes} bytes`)
}
