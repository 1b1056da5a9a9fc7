import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** What a PNG begins with. */
const SIGNATURE_BYTES = 8
/** Length and name in front of the data of a chunk, and a checksum behind. */
const HEAD_BYTES = 8
const CHECK_BYTES = 4
const PIXEL_BYTES = 4

interface Chunk {
  readonly name: string
  readonly data: Buffer
}

/**
 * The square in the middle of a PNG with four bytes for each pixel and rows as they are, without filters: as `Bun.Image` writes them
 * uncompressed, which itself cannot cut anything off. Throws for any other PNG.
 */
export function squarePng(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const chunks = chunksOf(bytes)
  const header = chunks.find(({ name }) => name === 'IHDR')?.data
  if (!header) throw new Error('a PNG without a header')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const packed = Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data))
  const rows = inflateSync(packed)
  const rowBytes = 1 + width * PIXEL_BYTES
  if (rows.byteLength !== rowBytes * height) throw new Error('a PNG of another kind')

  const side = Math.min(width, height)
  const left = Math.floor((width - side) / 2)
  const top = Math.floor((height - side) / 2)
  const cut = Array.from({ length: side }, (_, y) => {
    const row = (top + y) * rowBytes
    if (rows[row] !== 0) throw new Error('a PNG with filters')
    const begin = row + 1 + left * PIXEL_BYTES
    return [rows.subarray(row, row + 1), rows.subarray(begin, begin + side * PIXEL_BYTES)]
  })
  const data = deflateSync(Buffer.concat(cut.flat()), { level: 0 })
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...rewritten(chunks, side, data)])
}

/** The colour profile among them stays. */
function rewritten(chunks: readonly Chunk[], side: number, data: Buffer): Buffer[] {
  const first = chunks.findIndex(({ name }) => name === 'IDAT')
  return chunks.flatMap(({ name, data: old }, index) => {
    if (name === 'IHDR') return chunk(name, sized(old, side))
    if (name !== 'IDAT') return chunk(name, old)
    return index === first ? chunk(name, data) : []
  })
}

function sized(header: Buffer, side: number): Buffer {
  const copy = Buffer.from(header)
  copy.writeUInt32BE(side, 0)
  copy.writeUInt32BE(side, 4)
  return copy
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at < bytes.byteLength; ) {
    const begin = at + HEAD_BYTES
    const end = begin + bytes.readUInt32BE(at)
    chunks.push({ name: bytes.toString('latin1', at + 4, begin), data: bytes.subarray(begin, end) })
    at = end + CHECK_BYTES
  }
  return chunks
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.byteLength + 8)
  framed.writeUInt32BE(data.byteLength, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.byteLength + 4)
  return framed
}
