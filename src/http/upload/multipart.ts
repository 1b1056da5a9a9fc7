import { DomainError, invalid } from '../../domain/shared/errors.ts'

/** A file in a request, whose bytes are received as they are asked for. A class, which no JSON can pretend to be. */
export class ReceivedFile {
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>

  readonly close: () => Promise<unknown>

  constructor(name: string, pieces: AsyncIterable<Uint8Array>, close: () => Promise<unknown>) {
    this.name = name
    this.pieces = pieces
    this.close = close
  }
}

/** Of the head of a part, and of what stands before and between the parts. */
const HEAD_MAX = 16 * 1024

const MULTIPART = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/is

export function isMultipart(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType)
}

/** The part `field` of a form (RFC 7578). Throws `validation_failed` if missing, `invalid_json` if malformed. */
export async function readFormFile(
  body: AsyncGenerator<Uint8Array>,
  contentType: string,
  field: string,
): Promise<ReceivedFile> {
  const [, quoted, plain] = MULTIPART.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('the Content-Type has no boundary')
  const reader = createReader(body)
  await reader.passOver(Buffer.from(`--${boundary}`))
  for (;;) {
    const lineEnd = await reader.upTo(Buffer.from('\r\n'))
    if (lineEnd.startsWith('--')) throw invalid(field, `the form has no file ${field}`)
    const head = await reader.upTo(Buffer.from('\r\n\r\n'))
    const end = Buffer.from(`\r\n--${boundary}`)
    if (parameterOf(head, 'name') === field)
      return new ReceivedFile(parameterOf(head, 'filename') ?? '', reader.pieces(end), () => body.return(undefined))
    await reader.passOver(end)
  }
}

function malformed(what: string): DomainError {
  return new DomainError('invalid_json', `the body is no form with a file: ${what}`)
}

/** Of the Content-Disposition; browsers escape quotation marks and line ends by percent signs. */
function parameterOf(head: string, name: string): string | undefined {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(disposition)?.[1]
  return value?.replaceAll('%22', '"')
}

function createReader(body: AsyncIterable<Uint8Array>) {
  const source = body[Symbol.asyncIterator]()
  let rest = Buffer.alloc(0)

  async function more(): Promise<void> {
    const { done, value } = await source.next()
    if (done) throw malformed('it breaks off')
    rest = rest.length === 0 ? Buffer.from(value) : Buffer.concat([rest, value])
  }

  /** What comes before `end`, which is passed over, too; not more than a head may have. */
  async function before(end: Buffer): Promise<Buffer> {
    for (;;) {
      const at = rest.indexOf(end)
      if (at > HEAD_MAX || (at === -1 && rest.length > HEAD_MAX)) throw malformed('a part of it is too long')
      if (at !== -1) {
        const found = rest.subarray(0, at)
        rest = rest.subarray(at + end.length)
        return found
      }
      await more()
    }
  }

  return {
    upTo: async (end: Buffer): Promise<string> => (await before(end)).toString('utf8'),
    passOver: async (end: Buffer): Promise<void> => void (await before(end)),
    async *pieces(end: Buffer): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = rest.indexOf(end)
        // The beginning of what ends it may be at the end of what is here.
        const length = at === -1 ? Math.max(0, rest.length - end.length + 1) : at
        if (length > 0) yield rest.subarray(0, length)
        rest = rest.subarray(length)
        if (at !== -1) return
        await more()
      }
    },
  }
}
