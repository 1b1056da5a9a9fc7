import { damaged, type Pages } from './pages.ts'

/** What a column holds; undefined for NULL, for a blob, and for text that is longer than what we look for. */
export type Cell = number | string | undefined

/** Of a text that is read, in bytes: addresses and titles are shorter. */
const TEXT_MAX = 8192
/** Bytes of one row. Those of columns behind so many are not looked for. */
const ROW_MAX = 32 * 1024 * 1024
const HEADER_MAX = 16 * 1024

const decoder = new TextDecoder()

interface Varint {
  readonly value: number
  readonly next: number
}

/** A whole number of 1 to 9 bytes; larger ones than a `number` holds exactly are rounded. */
export function readVarint(bytes: Uint8Array, at: number): Varint {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw damaged('a number breaks off')
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  const last = bytes[at + 8]
  if (last === undefined) throw damaged('a number breaks off')
  let exact = 0n
  for (let index = 0; index < 8; index++) exact = (exact << 7n) | BigInt((bytes[at + index] ?? 0) & 0x7f)
  return { value: Number(BigInt.asIntN(64, (exact << 8n) | BigInt(last))), next: at + 9 }
}

/** The payload of a cell, which goes on on other pages if it is long. */
interface Payload {
  /** Undefined beyond `ROW_MAX`. */
  read(offset: number, length: number): Uint8Array | undefined
}

/** Of a cell of a table's leaf, whose payload of `size` bytes begins at `start`. */
function openPayload(pages: Pages, page: Buffer, start: number, size: number): Payload {
  const { usable } = pages
  const max = usable - 35
  const min = Math.floor(((usable - 12) * 32) / 255) - 23
  const surplus = min + ((size - min) % (usable - 4))
  const local = size <= max ? size : surplus <= max ? surplus : min
  if (start + local + (local < size ? 4 : 0) > usable) throw damaged('a row is longer than its page')
  /** The pages on which it goes on, as far as they are known. */
  const rest = local < size ? [page.readUInt32BE(start + local)] : []
  const bytesOfRest = usable - 4

  function pageOfRest(index: number): Buffer {
    while (rest.length <= index) rest.push(pages.get(rest.at(-1) ?? 0).readUInt32BE(0))
    return pages.get(rest[index] ?? 0)
  }

  return {
    read(offset, length) {
      if (offset + length > size) throw damaged('a row breaks off')
      if (offset + length <= local) return page.subarray(start + offset, start + offset + length)
      if (offset + length > ROW_MAX) return undefined
      const parts: Uint8Array[] = []
      let at = offset
      while (at < offset + length) {
        const left = offset + length - at
        if (at < local) {
          parts.push(page.subarray(start + at, start + Math.min(local, at + left)))
          at = Math.min(local, at + left)
          continue
        }
        const within = (at - local) % bytesOfRest
        const some = Math.min(left, bytesOfRest - within)
        parts.push(pageOfRest(Math.floor((at - local) / bytesOfRest)).subarray(4 + within, 4 + within + some))
        at += some
      }
      return Buffer.concat(parts)
    },
  }
}

const SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function sizeOf(type: number): number {
  if (type === 10 || type === 11 || type < 0) throw damaged('a column of no known type')
  return type >= 12 ? Math.floor((type - 12) / 2) : (SIZES[type] ?? 0)
}

function readCell(payload: Payload, type: number, offset: number): Cell {
  if (type === 0 || (type >= 12 && type % 2 === 0)) return undefined
  if (type === 8 || type === 9) return type - 8
  const size = sizeOf(type)
  if (type >= 12 && size > TEXT_MAX) return undefined
  const bytes = payload.read(offset, size)
  if (!bytes) return undefined
  if (type >= 12) return decoder.decode(bytes)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (type === 7) return buffer.readDoubleBE(0)
  return size === 8 ? Number(buffer.readBigInt64BE(0)) : buffer.readIntBE(0, size)
}

/**
 * The columns of the row whose payload begins at `start`, in the order in which they are asked for: ascending numbers.
 * Rows that are older than a column do not have it.
 */
export function readColumns(
  pages: Pages,
  page: Buffer,
  { start, size }: { readonly start: number; readonly size: number },
  columns: readonly number[],
): Cell[] {
  const payload = openPayload(pages, page, start, size)
  const first = readVarint(payload.read(0, Math.min(9, size)) ?? new Uint8Array(), 0)
  if (first.value < first.next || first.value > Math.min(size, HEADER_MAX)) throw damaged('a row without columns')
  const header = payload.read(0, first.value) ?? new Uint8Array()
  const cells: Cell[] = []
  let at = first.next
  let offset = first.value
  for (let column = 0; cells.length < columns.length; column++) {
    if (at >= header.length) {
      cells.push(undefined)
      continue
    }
    const { value: type, next } = readVarint(header, at)
    if (columns[cells.length] === column) cells.push(readCell(payload, type, offset))
    at = next
    offset += sizeOf(type)
  }
  return cells
}
