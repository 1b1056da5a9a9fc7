/** Of the container, and of a chunk: a name of four letters and a length. */
const HEAD_BYTES = 8
const FIRST_CHUNK = 12
/** Among the flags of an extended WebP. */
const HAS_PROFILE = 0x20

/** Profiles of screens are half a kilobyte; longer ones say at length that the colours are the usual ones, or are about printers. */
const PROFILE_BYTES_MAX = 1024

/** The WebP without its colour profile, if that is longer than a small picture should carry. */
export function withSmallProfile(webp: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(webp.buffer, webp.byteOffset, webp.byteLength)
  const at = profileAt(bytes)
  if (at === undefined) return webp
  const length = chunkBytes(bytes, at)
  if (length <= HEAD_BYTES + PROFILE_BYTES_MAX) return webp
  const rest = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
  rest.writeUInt32LE(rest.byteLength - HEAD_BYTES, 4)
  // The first chunk of one that has a profile holds the flags.
  const flags = FIRST_CHUNK + HEAD_BYTES
  rest.writeUInt8(rest.readUInt8(flags) & ~HAS_PROFILE, flags)
  return new Uint8Array(rest)
}

function profileAt(bytes: Buffer): number | undefined {
  for (let at = FIRST_CHUNK; at + HEAD_BYTES <= bytes.byteLength; at += chunkBytes(bytes, at))
    if (bytes.toString('latin1', at, at + 4) === 'ICCP') return at
  return undefined
}

/** With its head, and a byte that makes it even. */
function chunkBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32LE(at + 4)
  return HEAD_BYTES + length + (length % 2)
}
