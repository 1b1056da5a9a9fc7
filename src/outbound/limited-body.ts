import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { FetchFailure } from './fetch-failure.ts'

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * The body, unpacked, of at most `maxBytes` before and after unpacking. By our own hands: the runtime unpacks without bound behind a
 * reader's back, and a kilobyte may hold a gigabyte. Throws `FetchFailure`, and what aborts the response.
 */
export async function readLimited(response: Response, maxBytes: number): Promise<Uint8Array> {
  const { body, headers } = response
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  // The runtime's own stream is one that node's functions understand; only the types do not say so.
  const source = Readable.from(body)
  const decoder = decoderOf(headers.get('content-encoding'))
  const steps = decoder ? [counted(maxBytes), decoder] : []
  await pipeline([source, ...steps, counted(maxBytes), collect(chunks)])
  return Buffer.concat(chunks)
}

function decoderOf(coding: string | null): Transform | undefined {
  const name = (coding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (!create) throw new FetchFailure('bad_encoding', 'the answer is packed in a way nobody asked for')
  return create()
}

function counted(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let size = 0
    for await (const chunk of chunks) {
      size += chunk.byteLength
      if (size > maxBytes) throw new FetchFailure('too_large', `the answer is larger than ${maxBytes} bytes`)
      yield chunk
    }
  }
}

function collect(into: Uint8Array[]) {
  return async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) into.push(chunk)
  }
}
