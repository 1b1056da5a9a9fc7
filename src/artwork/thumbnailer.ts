import type { Thumbnailer } from '../domain/directory/artwork.ts'
import type { HostQueue } from '../domain/shared/concurrency.ts'
import { single } from '../platform/metrics.ts'
import { codeOf } from '../platform/unknown.ts'

/** Larger pictures are refused by their header, before memory is allocated: decoding this many pixels takes 64 MB. */
const LIMITS = { maxPixels: 4096 * 4096 } as const

/** Longer pictures are banners, not covers; and rows of millions of pixels take extra memory. */
const RATIO_MAX = 4

const WEBP = { quality: 80 } as const

/** All pictures share one key of the queue, because processors are the bottleneck, not hosts. */
const PROCESSORS = ''

export function createThumbnailer(queue: HostQueue): Thumbnailer {
  let made = 0
  return {
    counters: () => [
      single('counter', 'podstep_thumbnails_made_total', 'Thumbnails of pictures that were made.', made),
      single(
        'gauge',
        'podstep_thumbnails_waiting',
        'Pictures that wait to be made into thumbnails.',
        queue.counts().waiting,
      ),
    ],

    async make(picture, size) {
      if (!isStillPicture(picture)) return undefined
      try {
        const bytes = await queue.run(PROCESSORS, () => thumbnail(picture, size))
        if (bytes) made++
        return bytes
      } catch (error) {
        if (/^ERR_(?:IMAGE_|OUT_OF_MEMORY$)/.test(codeOf(error))) return undefined
        throw error
      }
    },
  }
}

/** Scales the short side to `size`, so that pages can crop a square. `undefined` for banners. */
async function thumbnail(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { width, height } = await new Bun.Image(picture, LIMITS).metadata()
  const short = Math.min(width, height)
  const ratio = Math.max(width, height) / short
  if (ratio > RATIO_MAX) return undefined
  const box = Math.ceil(Math.min(size, short) * ratio)
  const webp = await new Bun.Image(picture, LIMITS).resize(box, box, { fit: 'inside' }).webp(WEBP).bytes()
  return withSmallProfile(new Uint8Array(webp))
}

const HEAD_BYTES = 8
const FIRST_CHUNK = 12
const HAS_PROFILE = 0x20

/** Screen profiles take half a kilobyte. Longer ones, up to half a megabyte, describe common colours or printers. */
const PROFILE_BYTES_MAX = 1024

/** Removes a colour profile that is too long for a small picture; the encoder always copies it. */
function withSmallProfile(webp: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(webp.buffer, webp.byteOffset, webp.byteLength)
  const at = profileAt(bytes)
  if (at === undefined) return webp
  const length = chunkBytes(bytes, at)
  if (length <= HEAD_BYTES + PROFILE_BYTES_MAX) return webp
  const rest = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
  rest.writeUInt32LE(rest.byteLength - HEAD_BYTES, 4)
  // A file with a profile is in the extended format, whose first chunk holds the flags.
  const flags = FIRST_CHUNK + HEAD_BYTES
  rest.writeUInt8(rest.readUInt8(flags) & ~HAS_PROFILE, flags)
  return new Uint8Array(rest)
}

function profileAt(bytes: Buffer): number | undefined {
  for (let at = FIRST_CHUNK; at + HEAD_BYTES <= bytes.byteLength; at += chunkBytes(bytes, at))
    if (bytes.toString('latin1', at, at + 4) === 'ICCP') return at
  return undefined
}

function chunkBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32LE(at + 4)
  return HEAD_BYTES + length + (length % 2)
}

/** Whether the bytes are safe to decode: a complete, still JPEG, PNG, WebP or GIF within limits. Linear time. */
function isStillPicture(picture: Uint8Array): boolean {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength)
  if (begins(bytes, '\xff\xd8\xff')) return isWholeJpeg(bytes)
  if (begins(bytes, '\x89PNG\r\n\x1a\n')) return isStillPng(bytes)
  if (begins(bytes, 'RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return isStillWebp(bytes)
  return begins(bytes, 'GIF8') && isStillGif(bytes)
}

const START_OF_SCAN = Buffer.from('ffda', 'hex')
const END_OF_IMAGE = Buffer.from('ffd9', 'hex')

/** Encoders write at most a dozen scans. Each is a pass over the picture: 8 MB of them would take an hour. */
const SCANS_MAX = 64

/** Refuses truncated files, which the decoder would show half grey. */
function isWholeJpeg(bytes: Buffer): boolean {
  let scans = 0
  let last = -1
  // The marker cannot occur in the data of a scan. It may occur in a profile or a preview, which only raises the count.
  for (
    let at = bytes.indexOf(START_OF_SCAN);
    at >= 0 && scans <= SCANS_MAX;
    at = bytes.indexOf(START_OF_SCAN, at + 2)
  ) {
    scans++
    last = at
  }
  return scans <= SCANS_MAX && bytes.indexOf(END_OF_IMAGE, last) > last
}

/** The chunk that declares an animation precedes the first picture. */
function isStillPng(bytes: Buffer): boolean {
  const picture = bytes.indexOf('IDAT')
  return !bytes.subarray(0, Math.max(picture, 0)).includes('acTL')
}

function isStillWebp(bytes: Buffer): boolean {
  const isExtended = bytes.toString('latin1', 12, 16) === 'VP8X'
  return !isExtended || ((bytes[20] ?? 0) & 0x02) === 0
}

const EXTENSION = 0x21
const IMAGE = 0x2c

function isStillGif(bytes: Buffer): boolean {
  let at = 13 + paletteBytes(bytes[10] ?? 0)
  let images = 0
  for (;;) {
    if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2)
    else if (bytes[at] === IMAGE) {
      images++
      if (images > 1) return false
      at = afterBlocks(bytes, at + 11 + paletteBytes(bytes[at + 9] ?? 0))
    } else return true
  }
}

function paletteBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1)
}

function afterBlocks(bytes: Buffer, at: number): number {
  let next = at
  for (;;) {
    const length = bytes[next] ?? 0
    next += length + 1
    if (length === 0) return next
  }
}

function begins(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}
