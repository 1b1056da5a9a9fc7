import { statSync } from 'node:fs'
import { DomainError } from '../../../domain/shared/errors.ts'
import { type ImportSource, LIST_DEVICE, type SourcedRecord } from '../../../domain/transfer/records.ts'
import { findCharset } from '../../../platform/decode-text.ts'
import { readPieces } from '../pieces.ts'

const BYTES_MAX = 64 * 1024 * 1024

export const LIST = { id: LIST_DEVICE, caption: 'OPML', type: 'other' } as const

/** A list of podcasts, which can be read several times and is never entirely in memory. */
export interface ListFile {
  readonly path: string
  readonly charset: string
  readonly signal: AbortSignal
}

/** Makes a source of a list. It has no cursors, because reading it again is quick. */
export function openList(
  path: string,
  name: string,
  read: (file: ListFile) => AsyncIterable<SourcedRecord>,
): ImportSource {
  return {
    name,
    async *records(_resumeFrom, signal) {
      yield* read({ path, signal, charset: await findCharset(piecesOf(path, signal)) })
      const { size } = statSync(path)
      yield { record: { kind: 'progress', done: size, total: size } }
    },
  }
}

/** Yields the bytes of the list. Throws `validation_failed` if it is too large, compressed or not. */
async function* piecesOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of readPieces(path)) {
    signal.throwIfAborted()
    bytes += piece.length
    if (bytes > BYTES_MAX)
      throw new DomainError('validation_failed', `the list is larger than ${BYTES_MAX / 1024 / 1024} MiB`)
    yield piece
  }
}

export async function* textOf({ path, charset, signal }: ListFile): AsyncGenerator<string> {
  // The types list only the canonical WHATWG labels.
  const decoder = new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0])
  for await (const piece of piecesOf(path, signal)) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}
