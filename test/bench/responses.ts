export interface RawResponse {
  readonly status: number
  readonly body: Uint8Array
}

const decoder = new TextDecoder('latin1')
const BLANK_LINE = Buffer.from('\r\n\r\n')
/** As Bun writes it. */
const CONTENT_LENGTH = Buffer.from('\r\nContent-Length: ')

/**
 * Cuts what arrives on one connection into responses. Knows no more of HTTP than a benchmark needs: a status line, Content-Length or
 * chunks. A response that comes in one piece, which nearly all do, is not copied; so its body is only good during the call.
 */
export function createResponseReader(onResponse: (response: RawResponse) => void): (data: Buffer) => void {
  let pending: Buffer | undefined

  return (data) => {
    let bytes = pending ? Buffer.concat([pending, data]) : data
    pending = undefined
    while (bytes.length > 0) {
      const found = parse(bytes)
      if (!found) {
        // Somebody else's buffer, valid during this call only.
        pending = Buffer.from(bytes)
        return
      }
      onResponse(found)
      if (found.end === bytes.length) return
      bytes = bytes.subarray(found.end)
    }
  }
}

/** The first response in `bytes`; undefined while it is incomplete. */
function parse(bytes: Buffer): (RawResponse & { end: number }) | undefined {
  const blank = bytes.indexOf(BLANK_LINE)
  if (blank < 0) return undefined
  const status = numberAt(bytes, 9)
  const start = blank + BLANK_LINE.length
  const at = bytes.indexOf(CONTENT_LENGTH)
  if (at >= 0 && at < blank) {
    const end = start + numberAt(bytes, at + CONTENT_LENGTH.length)
    return end > bytes.length ? undefined : { status, body: bytes.subarray(start, end), end }
  }
  const head = decoder.decode(bytes.subarray(0, blank)).toLowerCase()
  if (head.includes('\r\ntransfer-encoding: chunked')) return parseChunks(bytes, start, status)
  return { status, body: bytes.subarray(start, start), end: start }
}

function numberAt(bytes: Buffer, start: number): number {
  let value = 0
  for (let at = start; ; at++) {
    const digit = (bytes[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
  }
}

function parseChunks(bytes: Buffer, start: number, status: number): (RawResponse & { end: number }) | undefined {
  const parts: Buffer[] = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(decoder.decode(bytes.subarray(at, lineEnd)), 16)
    const next = lineEnd + 2 + size + 2
    if (next > bytes.length) return undefined
    if (size === 0) return { status, body: Buffer.concat(parts), end: next }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
