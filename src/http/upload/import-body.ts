import { DomainError } from '../../domain/shared/errors.ts'
import { systemTimer, type Timer } from '../../platform/clock.ts'
import { type BodyReader, readJson } from '../body.ts'
import { isMultipart, ReceivedFile, readFormFile } from './multipart.ts'

/** Long enough for a gigabyte at 4.5 Mbit/s. */
const FILE_MS = 30 * 60_000

/** A body with a file, as form or octet stream (`ReceivedFile`, received as it is stored), or JSON. */
export const readImportBody: BodyReader<unknown> = async (request, room) => {
  const type = request.headers.get('content-type') ?? ''
  const isForm = isMultipart(type)
  if (!isForm && !/^application\/octet-stream\b/i.test(type)) return readJson(request, room)
  const coding = request.headers.get('content-encoding') ?? 'identity'
  if (coding !== 'identity') throw new DomainError('unsupported_encoding', 'a file must not be compressed on its way')
  const pieces = receiveFile(request.body, systemTimer)
  const close = () => pieces.return(undefined)
  if (!isForm) return { file: new ReceivedFile(new URL(request.url).searchParams.get('name') ?? '', pieces, close) }
  try {
    return { file: await readFormFile(pieces, type, 'file') }
  } catch (error) {
    await close()
    throw error
  }
}

export function fileOf(body: object): ReceivedFile | undefined {
  const file = 'file' in body ? body.file : undefined
  return file instanceof ReceivedFile ? file : undefined
}

/** The bytes of a file as they are asked for. Throws `invalid_json` when the client goes away, or takes too long. */
export async function* receiveFile(body: ReadableStream<Uint8Array> | null, timer: Timer): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  let isLate = false
  // Not by a promise that every piece is raced against: it would keep all of them until the end.
  const callOff = timer(FILE_MS, () => {
    isLate = true
    cancel(reader)
  })
  try {
    for (;;) {
      const { done, value } = await read(reader)
      if (isLate) throw new DomainError('invalid_json', `the file did not arrive within ${FILE_MS / 60_000} minutes`)
      if (done) return
      if (value) yield value
    }
  } finally {
    callOff()
    cancel(reader)
  }
}

function cancel(reader: { cancel(): Promise<unknown> }): void {
  reader.cancel().catch(() => undefined)
}

async function read(reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> }) {
  try {
    return await reader.read()
  } catch (error) {
    throw new DomainError('invalid_json', 'the file broke off', { cause: error })
  }
}
