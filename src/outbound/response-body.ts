import { nextTurn } from '../platform/clock.ts'
import { codingsOf, undo, undoGzipFile } from './content-codings.ts'
import { FetchFailure } from './fetch-failure.ts'

/** Bytes copied in one turn of the event loop. New memory comes page by page, which takes longer than the copy. */
const COPIED_AT_ONCE = 256 * 1024

/** The decompressed body, at most `maxBytes` before and after. Throws `FetchFailure` and connection errors. */
export async function readLimited(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of streamLimited(response, maxBytes)) {
    size += chunk.byteLength
    chunks.push(chunk)
  }
  return join(chunks, size)
}

async function join(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array> {
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

/** The decompressed body in pieces; the runtime would decompress without a bound. Throws as `readLimited`. */
export async function* streamLimited({ body, headers }: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (!body) return
  const codings = codingsOf(headers.get('content-encoding'))
  let pieces = limitSize(body, maxBytes)
  for (const coding of codings) pieces = limitSize(undo(coding, pieces), maxBytes)
  yield* limitSize(undoGzipFile(pieces), maxBytes)
}

async function* limitSize(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>>,
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
