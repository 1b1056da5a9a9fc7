import { createReadStream } from 'node:fs'

const PIECE_BYTES = 256 * 1024

/** The bytes of a file from its beginning, as they are asked for. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: PIECE_BYTES })
  try {
    for await (const piece of stream) yield piece
  } finally {
    stream.destroy()
  }
}
