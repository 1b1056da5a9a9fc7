import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { DomainError } from '../../domain/shared/errors.ts'

const PIECE_BYTES = 256 * 1024

/** First bytes of every gzip file. */
const GZIP = [0x1f, 0x8b]

export function isPacked(head: Uint8Array): boolean {
  return GZIP.every((byte, index) => head[index] === byte)
}

/** Returns the first bytes of a file without decompressing them. */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Yields the file's bytes, decompressed if gzipped. Throws `validation_failed`. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const head = await readHead(path, GZIP.length)
  // Create the stream last: an error before it is read would end the process.
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES })
  if (!isPacked(head)) {
    yield* file
    return
  }
  // The loop below throws errors of both streams, so the callback has nothing to do.
  const unpacked = pipeline(file, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined)
  try {
    for await (const piece of unpacked) yield piece
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    throw new DomainError('validation_failed', 'the gzip file is damaged')
  }
}
