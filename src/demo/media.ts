import { crc32, deflateSync } from 'node:zlib'

/* Covers and sound of the demo, generated on request. */

/** A silent MPEG-2 layer III frame, mono, 16 kHz, 8 kbit/s: 36 bytes last 36 ms, so a second is 1,000 bytes. */
const FRAME = Uint8Array.of(0xff, 0xf3, 0x18, 0xc4, ...Array.from({ length: 32 }, () => 0))
const BYTES_PER_SECOND = 1000

/** The size of an MP3 of so many seconds, or up to 35 ms more. */
export function silenceBytes(seconds: number): number {
  return Math.ceil((seconds * BYTES_PER_SECOND) / FRAME.length) * FRAME.length
}

/** The bytes from `start` up to `end` (exclusive) of an MP3 of silence, however long that is. */
export function silence(start: number, end: number): Uint8Array<ArrayBuffer> {
  const first = start % FRAME.length
  const frames = new Uint8Array(end - start + first)
  for (let at = 0; at < frames.length; at += FRAME.length) {
    frames.set(FRAME.subarray(0, Math.min(FRAME.length, frames.length - at)), at)
  }
  return frames.subarray(first)
}

const SIDE = 600
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const BIT_DEPTH = 8
const INDEXED = 3

/** A square PNG of 600 pixels, for a podcast or an episode: rings and stripes in three colours that follow from `seed`. */
export function coverPng(seed: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(SIDE, 0)
  head.writeUInt32BE(SIDE, 4)
  head[8] = BIT_DEPTH
  head[9] = INDEXED
  const hue = seed % 360
  const colors = [hue, (hue + 40) % 360, (hue + 180) % 360].flatMap((each, n) => rgb(each, 0.3 + 0.2 * n))
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(PNG_SIGNATURE),
      chunk('IHDR', head),
      chunk('PLTE', Buffer.from(colors)),
      chunk('IDAT', deflateSync(pixels(seed))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function pixels(seed: number): Buffer {
  const ring = 30 + (seed % 50)
  const stripe = 20 + (seed % 37)
  const [x0, y0] = [150 + (seed % 301), 150 + ((seed >>> 8) % 301)]
  const rows = Buffer.alloc(SIDE * (SIDE + 1))
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const isRing = Math.floor(Math.hypot(x - x0, y - y0) / ring) % 2 === 0
      const isStripe = Math.floor((x + y) / stripe) % 3 === 0
      rows[y * (SIDE + 1) + 1 + x] = isRing ? 1 : isStripe ? 2 : 0
    }
  }
  return rows
}

function rgb(hue: number, lightness: number): number[] {
  const a = 0.5 * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  })
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
