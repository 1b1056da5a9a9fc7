import { crc32, deflateSync, inflateSync } from 'node:zlib'
import type { CachedThumbnail, PictureAnswer, Pictures, ThumbnailCache } from '../../src/domain/directory/artwork.ts'
import { fakeClock } from './clock.ts'

/* Hand-made pictures, so that tests can make any, including hostile ones. */

export type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

export const RED: Pixel = [220, 20, 20, 255]
export const GREEN: Pixel = [20, 220, 20, 255]
export const BLUE: Pixel = [20, 20, 220, 255]

export function pngChunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.byteLength + 8)
  framed.writeUInt32BE(data.byteLength, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.byteLength + 4)
  return framed
}

/** Makes a PNG with these rows, which need not match the size, and with chunks before them. */
export function rawPng(width: number, height: number, rows: Uint8Array, before: readonly Uint8Array[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits per channel, RGBA.
  header.set([8, 6], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function png(
  width: number,
  height: number,
  colour: (x: number, y: number) => Pixel = () => RED,
  before: readonly Uint8Array[] = [],
): Buffer {
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => colour(x, y)).flat(),
  ])
  return rawPng(width, height, Buffer.from(rows.flat()), before)
}

/** Converts a picture to JPEG. */
export async function jpeg(picture: Uint8Array, progressive = false): Promise<Buffer> {
  return Buffer.from(await new Bun.Image(picture).jpeg({ progressive, quality: 90 }).bytes())
}

export async function webp(picture: Uint8Array): Promise<Buffer> {
  return Buffer.from(await new Bun.Image(picture).webp({ quality: 90 }).bytes())
}

const GIF_HEAD = [0x04, 0, 0x04, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
const GIF_LOOP = [0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, 0, 0, 0]
const GIF_FRAME = [0x21, 0xf9, 4, 0, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2, 5, 0x84, 0x8f, 0xa9, 0xcb, 0x5, 0]

/** Makes a GIF of 4 by 4 pixels. */
export function gif(frames: number): Buffer {
  const moves = Array.from({ length: frames }, () => GIF_FRAME).flat()
  return Buffer.from([...Buffer.from('GIF89a'), ...GIF_HEAD, ...(frames > 1 ? GIF_LOOP : []), ...moves, 0x3b])
}

/** Makes a progressive JPEG that repeats its last scan: each takes 30 bytes, and a pass over the whole picture. */
export async function manyScans(picture: Uint8Array, times: number): Promise<Buffer> {
  const whole = await jpeg(picture, true)
  const scan = whole.subarray(whole.lastIndexOf(Buffer.from('ffda', 'hex')), -2)
  return Buffer.concat([
    whole.subarray(0, -2),
    ...Array.from({ length: times }, () => scan),
    Buffer.from('ffd9', 'hex'),
  ])
}

/** The colour at a position in a thumbnail; `x` and `y` are from 0 to 1. */
export async function colourAt(thumbnail: Uint8Array, x: number, y: number): Promise<number[]> {
  const { width, height } = await new Bun.Image(thumbnail).metadata()
  const bytes = Buffer.from(await new Bun.Image(thumbnail).png({ compressionLevel: 0 }).bytes())
  const data: Buffer[] = []
  for (let at = 8; at < bytes.byteLength; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  const row = Math.floor(y * height) * (1 + width * 4) + 1
  const begin = row + Math.floor(x * width) * 4
  return [...inflateSync(Buffer.concat(data)).subarray(begin, begin + 3)]
}

export const GONE = { kind: 'failed', reason: 'gone', message: 'its server answers 404' } as const
export const DOWN = { kind: 'failed', reason: 'unavailable', message: 'its server answers 500' } as const
export const FORBIDDEN = { kind: 'failed', reason: 'forbidden', message: 'it is in a private network' } as const

export interface AskedPicture {
  readonly url: string
  readonly mayReachPrivate: boolean
}

/** Keeps all thumbnails in memory, without a limit. */
export function memoryCache(now: () => number = fakeClock().seconds): ThumbnailCache {
  const thumbnails = new Map<string, CachedThumbnail>()
  return {
    get: async (name) => thumbnails.get(name),
    set: async (name, thumbnail) => void thumbnails.set(name, { ...thumbnail, madeAt: now() }),
    delete: async (name) => void thumbnails.delete(name),
  }
}

/** Pictures from `answer` instead of the internet. */
export function scriptedPictures(
  answer: (request: AskedPicture) => PictureAnswer | Promise<PictureAnswer> = () => GONE,
  cache: ThumbnailCache = memoryCache(),
): Pictures & { readonly asked: readonly AskedPicture[]; readonly isClosed: () => boolean } {
  const asked: AskedPicture[] = []
  let isClosed = false
  return {
    asked,
    isClosed: () => isClosed,
    cache,
    source: {
      async ask(url, mayReachPrivate) {
        asked.push({ url, mayReachPrivate })
        return answer({ url, mayReachPrivate })
      },
      close() {
        isClosed = true
      },
    },
  }
}
