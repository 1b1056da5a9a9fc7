export interface RawResponse {
  readonly status: number
  readonly body: Uint8Array
}

const decoder = new TextDecoder('latin1')
const BLANK_LINE = Buffer.from('\r\n\r\n')

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
      bytes = bytes.subarray(found.end)
    }
  }
}

/** The first response in `bytes`; undefined while it is incomplete. */
function parse(bytes: Buffer): (RawResponse & { end: number }) | undefined {
  const blank = bytes.indexOf(BLANK_LINE)
  if (blank < 0) return undefined
  const head = decoder.decode(bytes.subarray(0, blank)).toLowerCase()
  const status = Number(head.slice(9, 12))
  const start = blank + 4
  const at = head.indexOf('\r\ncontent-length:')
  if (at >= 0) {
    const end = start + Number.parseInt(head.slice(at + 17), 10)
    return end > bytes.length ? undefined : { status, body: bytes.subarray(start, end), end }
  }
  if (head.includes('\r\ntransfer-encoding: chunked')) return parseChunks(bytes, start, status)
  return { status, body: bytes.subarray(start, start), end: start }
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
