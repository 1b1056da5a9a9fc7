import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { createThumbnailer } from '../../src/artwork/thumbnailer.ts'
import { createHostQueue } from '../../src/domain/shared/concurrency.ts'
import { BLUE, colourAt, GREEN, gif, jpeg, manyScans, png, pngChunk, RED, rawPng, webp } from '../support/pictures.ts'

const { make, counters } = createThumbnailer(createHostQueue({ atOnce: 2, perHost: 2 }))
const figures = () => counters().map(({ values }) => values[0]?.value)

async function sizeOf(picture: Uint8Array, size: number) {
  const made = await make(picture, size)
  return made && (await new Bun.Image(made).metadata())
}

const square = png(96, 96)
const jpeg96 = await jpeg(square)
const asProgressive = await jpeg(square, true)
const webp96 = await webp(square)

test('only thumbnails that were made are counted', async () => {
  const [before] = figures()
  await make(square, 64)
  await make(Buffer.from('no picture'), 64)
  expect(figures()).toEqual([(before ?? 0) + 1, 0])
})

describe('a thumbnail is a WebP', () => {
  test.each<[string, Uint8Array, side: number]>([
    ['a PNG', square, 64],
    ['a JPEG', jpeg96, 64],
    ['a progressive JPEG', asProgressive, 64],
    ['a WebP', webp96, 64],
    ['a GIF without animation', gif(1), 4],
    ['bytes within a larger buffer', Buffer.concat([Buffer.alloc(3), square]).subarray(3), 64],
  ])('of %s', async (_what, picture, side) => {
    expect(await sizeOf(picture, 64)).toEqual({ width: side, height: side, format: 'webp' })
  })

  test.each([
    [96, 96, 300, 96, 96],
    [96, 96, 96, 96, 96],
    [90, 160, 64, 64, 114],
    [101, 33, 64, 101, 33],
    [101, 100, 64, 65, 64],
  ])('from %d by %d pixels, requested at %d, has %d by %d', async (width, height, size, wide, high) => {
    expect(await sizeOf(png(width, height), size)).toMatchObject({ width: wide, height: high })
  })

  test('shows the whole picture upright, with the same bytes each time, so that its ETag stays', async () => {
    const picture = png(180, 90, (x, y) => (y < 45 ? RED : x < 90 ? GREEN : BLUE))
    const made = (await make(picture, 48)) ?? new Uint8Array()
    const colours = [await colourAt(made, 0.5, 0.2), await colourAt(made, 0.1, 0.8), await colourAt(made, 0.9, 0.8)]
    expect(colours.map((colour) => colour.indexOf(Math.max(...colour)))).toEqual([0, 1, 2])
    expect(await make(picture, 48)).toEqual(made)
  })
})

/** A colour profile of a PNG. */
const profile = (bytes: number) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(Buffer.alloc(bytes, 'profile '))]))

test.each([
  ['of half a kilobyte is kept', 560, true],
  ['of many kilobytes is removed', 500_000, false],
])('a colour profile %s', async (_what, bytes, stays) => {
  const made = Buffer.from((await make(png(96, 96, undefined, [profile(bytes)]), 64)) ?? [])
  expect(made.includes('ICCP')).toBe(stays)
  expect(made.byteLength).toBeLessThan(2000)
  expect(made.readUInt32LE(4)).toBe(made.byteLength - 8)
  expect(await colourAt(made, 0.5, 0.5)).toEqual(await colourAt((await make(square, 64)) ?? made, 0.5, 0.5))
})

/** An animated WebP, by a flag in the header of an extended WebP. */
function moving(picture: Buffer): Buffer {
  const head = [Buffer.from('RIFF    WEBPVP8X'), Buffer.from([10, 0, 0, 0, 2, 0, 0, 0]), Buffer.alloc(6)]
  const extended = Buffer.concat([...head, picture.subarray(12)])
  extended.writeUInt32LE(extended.byteLength - 8, 4)
  return extended
}

const scans = await manyScans(square, 100)
const SIDE = 4096
const blackRow = 1 + SIDE * 4

test.each<[string, Uint8Array]>([
  ['no data', new Uint8Array()],
  ['a web page', Buffer.from('<!doctype html><html><body><img src="x" onerror="alert(1)"></body></html>')],
  ['a BMP', Buffer.from(`424d${'00'.repeat(60)}`, 'hex')],
  ['an AVIF', Buffer.from('\0\0\0\x20ftypavif\0\0\0\0avifmif1miaf', 'latin1')],
  ['a header of 60,000 by 60,000 pixels', rawPng(60_000, 60_000, Buffer.alloc(100))],
  ['more than 4096 by 4096 pixels', rawPng(4097, 4096, Buffer.alloc(100))],
  ['a width of zero', rawPng(0, 10, Buffer.alloc(100))],
  ['one row of 16 million pixels', rawPng(SIDE * SIDE, 1, Buffer.alloc(SIDE * SIDE * 4 + 1))],
  ['a banner', png(130, 32)],
  ['a truncated PNG', square.subarray(0, square.byteLength / 2)],
  ['a PNG with missing pixels', rawPng(96, 96, Buffer.alloc(1000))],
  ['a truncated JPEG', jpeg96.subarray(0, jpeg96.byteLength / 2)],
  ['a truncated WebP', webp96.subarray(0, webp96.byteLength / 2)],
  ['a truncated GIF', gif(1).subarray(0, 20)],
  ['an animated GIF', gif(2)],
  ['an animated PNG', png(96, 96, undefined, [pngChunk('acTL', Buffer.alloc(8))])],
  ['an animated WebP', moving(webp96)],
  ['a JPEG with very many scans', scans],
  ['a PNG of 100,000 chunks', png(96, 96, undefined, Array(100_000).fill(pngChunk('tEXt', Buffer.from('a\0b'))))],
  ['a PNG with zeros in place of pixels', Buffer.concat([square.subarray(0, 60), Buffer.alloc(1000)])],
])('%s has no thumbnail and does no harm', async (_what, picture) => {
  expect(await make(picture, 64)).toBeUndefined()
})

describe('a valid picture has a thumbnail even with', () => {
  test('4096 by 4096 pixels, in 65 kB', async () => {
    const bomb = rawPng(SIDE, SIDE, Buffer.alloc(SIDE * blackRow))
    expect(bomb.byteLength).toBeLessThan(100_000)
    expect(await sizeOf(bomb, 64)).toMatchObject({ width: 64, height: 64 })
  })

  test('more data than pixels', async () => {
    expect(await sizeOf(rawPng(16, 16, Buffer.alloc(20_000_000)), 64)).toMatchObject({ width: 16 })
  })
})
