import type { Thumbnailer } from '../domain/directory/artwork-ports.ts'
import type { HostQueue } from '../domain/shared/concurrency.ts'
import { isStillPicture } from './still-picture.ts'

/** A picture with more pixels is refused by its header, before memory is allocated: decoding this many takes 64 MB. */
const LIMITS = { maxPixels: 4096 * 4096 } as const

/** A longer picture is a banner and no cover; and rows of millions of pixels take more memory than others. */
const RATIO_MAX = 4

const WEBP = { quality: 80 } as const

/** All pictures share one place in the queue: hosts are plenty, processors are not. */
const PROCESSORS = ''

/** Decodes and encodes on threads of the runtime; `queue` bounds how many run side by side. */
export function createThumbnailer(queue: HostQueue): Thumbnailer {
  return {
    async make(picture, size) {
      if (!isStillPicture(picture)) return undefined
      try {
        return await queue.run(PROCESSORS, () => thumbnail(picture, size))
      } catch (error) {
        if (isPictureError(error)) return undefined
        throw error
      }
    },
  }
}

/**
 * The whole picture, scaled until its short side is `size`, so that a page can show a square of that size from the middle of it without
 * enlarging anything. Undefined for banners.
 */
async function thumbnail(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { width, height } = await new Bun.Image(picture, LIMITS).metadata()
  const short = Math.min(width, height)
  const ratio = Math.max(width, height) / short
  if (ratio > RATIO_MAX) return undefined
  const box = Math.ceil(Math.min(size, short) * ratio)
  const webp = await new Bun.Image(picture, LIMITS).resize(box, box, { fit: 'inside' }).webp(WEBP).bytes()
  return withSmallProfile(new Uint8Array(webp))
}

/** The runtime marks its errors by a code: `ERR_IMAGE_DECODE_FAILED` and others. */
function isPictureError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_(?:IMAGE_|OUT_OF_MEMORY$)/.test(String(error.code))
}

/** A WebP container and each of its chunks begin with a name of four letters and a length. */
const HEAD_BYTES = 8
const FIRST_CHUNK = 12
/** A bit among the flags of an extended WebP. */
const HAS_PROFILE = 0x20

/** Profiles of screens take half a kilobyte. Longer ones describe usual colours at length, or printers, in up to half a megabyte. */
const PROFILE_BYTES_MAX = 1024

/** The WebP without its colour profile, if that is longer than a small picture should carry: the encoder always copies it. */
function withSmallProfile(webp: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(webp.buffer, webp.byteOffset, webp.byteLength)
  const at = profileAt(bytes)
  if (at === undefined) return webp
  const length = chunkBytes(bytes, at)
  if (length <= HEAD_BYTES + PROFILE_BYTES_MAX) return webp
  const rest = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
  rest.writeUInt32LE(rest.byteLength - HEAD_BYTES, 4)
  // A file with a profile is an extended one, whose first chunk holds the flags.
  const flags = FIRST_CHUNK + HEAD_BYTES
  rest.writeUInt8(rest.readUInt8(flags) & ~HAS_PROFILE, flags)
  return new Uint8Array(rest)
}

function profileAt(bytes: Buffer): number | undefined {
  for (let at = FIRST_CHUNK; at + HEAD_BYTES <= bytes.byteLength; at += chunkBytes(bytes, at))
    if (bytes.toString('latin1', at, at + 4) === 'ICCP') return at
  return undefined
}

/** The length of a chunk with its head, and with the byte that makes an odd length even. */
function chunkBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32LE(at + 4)
  return HEAD_BYTES + length + (length % 2)
}
