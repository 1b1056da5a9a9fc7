import { DomainError, invalid } from '../../domain/shared/errors.ts'
import { systemTimer, type Timer } from '../../platform/clock.ts'
import { type BodyReader, readJson } from '../body.ts'

/** Long enough for a gigabyte at 4.5 Mbit/s. */
const FILE_MS = 30 * 60_000

/** Reads a file from a form or octet stream (`ReceivedFile`, received while it is being stored), or JSON. */
export const readImportBody: BodyReader<unknown> = async (request, room) => {
  const type = request.headers.get('content-type') ?? ''
  const isForm = isMultipart(type)
  if (!isForm && !/^application\/octet-stream\b/i.test(type)) return readJson(request, room)
  const coding = request.headers.get('content-encoding') ?? 'identity'
  if (coding !== 'identity')
    throw new DomainError('unsupported_encoding', 'a file must be uploaded without Content-Encoding')
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

/** Yields the bytes of a file on demand. Throws `invalid_json` if the client disconnects or takes too long. */
export async function* receiveFile(body: ReadableStream<Uint8Array> | null, timer: Timer): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  let isLate = false
  // Racing every chunk against one promise would keep all chunks in memory until the end.
  const cancelTimer = timer(FILE_MS, () => {
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
    cancelTimer()
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
    throw new DomainError('invalid_json', 'the connection was closed before the end of the file', { cause: error })
  }
}

/** A file in a request, received on demand. It is a class so that no JSON can be mistaken for it. */
class ReceivedFile {
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>

  readonly close: () => Promise<unknown>

  constructor(name: string, pieces: AsyncIterable<Uint8Array>, close: () => Promise<unknown>) {
    this.name = name
    this.pieces = pieces
    this.close = close
  }
}

/** Maximum bytes of the headers of a part, and of the text before and between parts. */
const HEAD_MAX = 16 * 1024

const MULTIPART = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/is

function isMultipart(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType)
}

/** Reads the part `field` of a form (RFC 7578). Throws `validation_failed` if missing, `invalid_json` if malformed. */
export async function readFormFile(
  body: AsyncGenerator<Uint8Array>,
  contentType: string,
  field: string,
): Promise<ReceivedFile> {
  const [, quoted, plain] = MULTIPART.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('the Content-Type has no boundary')
  const reader = createReader(body)
  await reader.skipUntil(Buffer.from(`--${boundary}`))
  for (;;) {
    const lineEnd = await reader.readTextUntil(Buffer.from('\r\n'))
    if (lineEnd.startsWith('--')) throw invalid(field, `the form has no file ${field}`)
    const head = await reader.readTextUntil(Buffer.from('\r\n\r\n'))
    const end = Buffer.from(`\r\n--${boundary}`)
    if (parameterOf(head, 'name') === field)
      return new ReceivedFile(parameterOf(head, 'filename') ?? '', reader.pieces(end), () => body.return(undefined))
    await reader.skipUntil(end)
  }
}

function malformed(what: string): DomainError {
  return new DomainError('invalid_json', `the body is not a form with a file: ${what}`)
}

/** A parameter of Content-Disposition, in which browsers percent-encode quotation marks and line breaks. */
function parameterOf(head: string, name: string): string | undefined {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(disposition)?.[1]
  return value?.replaceAll('%22', '"')
}

function createReader(body: AsyncIterable<Uint8Array>) {
  const source = body[Symbol.asyncIterator]()
  let rest = Buffer.alloc(0)

  async function readMore(): Promise<void> {
    const { done, value } = await source.next()
    if (done) throw malformed('it breaks off')
    rest = rest.length === 0 ? Buffer.from(value) : Buffer.concat([rest, value])
  }

  /** Reads up to `end` and skips it. Throws if there are more than `HEAD_MAX` bytes before it. */
  async function readUntil(end: Buffer): Promise<Buffer> {
    for (;;) {
      const at = rest.indexOf(end)
      if (at > HEAD_MAX || (at === -1 && rest.length > HEAD_MAX)) throw malformed('a part of it is too long')
      if (at !== -1) {
        const found = rest.subarray(0, at)
        rest = rest.subarray(at + end.length)
        return found
      }
      await readMore()
    }
  }

  return {
    readTextUntil: async (end: Buffer): Promise<string> => (await readUntil(end)).toString('utf8'),
    skipUntil: async (end: Buffer): Promise<void> => void (await readUntil(end)),
    async *pieces(end: Buffer): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = rest.indexOf(end)
        // The received bytes may end with the beginning of the delimiter.
        const length = at === -1 ? Math.max(0, rest.length - end.length + 1) : at
        if (length > 0) yield rest.subarray(0, length)
        rest = rest.subarray(length)
        if (at !== -1) return
        await readMore()
      }
    },
  }
}
