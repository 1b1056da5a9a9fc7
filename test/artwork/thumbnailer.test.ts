import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { createThumbnailer } from '../../src/artwork/thumbnailer.ts'
import { createHostQueue } from '../../src/domain/shared/concurrency.ts'
import { BLUE, colourAt, GREEN, gif, jpeg, png, pngChunk, RED, webp } from '../support/images.ts'

const { make } = createThumbnailer(createHostQueue({ atOnce: 2, perHost: 2 }))

async function sizeOf(picture: Uint8Array, size: number) {
  const made = await make(picture, size)
  return made && (await new Bun.Image(made).metadata())
}

const square = png(96, 96)
const jpegSquare = await jpeg(square)
const progressiveSquare = await jpeg(square, true)
const webpSquare = await webp(square)

describe('a thumbnail is a square WebP', () => {
  test.each([
    ['a PNG', square],
    ['a JPEG', jpegSquare],
    ['a progressive JPEG', progressiveSquare],
    ['a WebP', webpSquare],
    ['a PNG with an alpha channel', png(96, 96, () => [1, 2, 3, 0])],
    ['a PNG with other chunks', png(96, 96, undefined, [pngChunk('tEXt', Buffer.from('Title\0Harbour'))])],
    ['bytes in the middle of others', Buffer.concat([Buffer.alloc(3), square]).subarray(3)],
  ])('of %s', async (_what, picture) => {
    expect(await sizeOf(picture, 64)).toEqual({ width: 64, height: 64, format: 'webp' })
  })

  test('of a GIF that does not move', async () => {
    expect(await sizeOf(gif(1), 64)).toEqual({ width: 4, height: 4, format: 'webp' })
  })

  test.each([
    [300, 96],
    [96, 96],
    [95, 95],
    [64, 64],
  ])('for %d pixels a side it has %d, never more than the picture', async (size, side) => {
    expect(await sizeOf(square, size)).toMatchObject({ width: side, height: side })
  })

  test.each([
    [160, 90, 64, 64],
    [90, 160, 64, 64],
    [101, 33, 64, 33],
    [33, 101, 16, 16],
    [128, 32, 32, 32],
    [101, 100, 64, 64],
    [3, 1, 64, 1],
    [1, 1, 64, 1],
  ])('of %d by %d pixels, asked for %d, it has %d a side', async (width, height, size, side) => {
    expect(await sizeOf(png(width, height), size)).toMatchObject({ width: side, height: side })
  })

  test.each([
    ['wide', png(180, 60, (x) => (x < 60 ? RED : x < 120 ? GREEN : BLUE))],
    ['tall', png(60, 180, (_x, y) => (y < 60 ? RED : y < 120 ? GREEN : BLUE))],
  ])('shows the middle of a %s picture, neither pulled nor pressed', async (_how, picture) => {
    const made = (await make(picture, 48)) ?? new Uint8Array()
    for (const x of [0.1, 0.5, 0.9])
      for (const y of [0.1, 0.5, 0.9]) {
        const [red = 0, green = 0, blue = 0] = await colourAt(made, x, y)
        expect(green).toBeGreaterThan(150)
        expect(Math.max(red, blue)).toBeLessThan(100)
      }
  })

  test('keeps left and right, above and below', async () => {
    const made = await make(
      png(96, 96, (x, y) => (y < 48 ? RED : x < 48 ? GREEN : BLUE)),
      64,
    )
    const colours = await Promise.all(
      [
        [0.5, 0.2],
        [0.2, 0.8],
        [0.8, 0.8],
      ].map(([x = 0, y = 0]) => colourAt(made ?? new Uint8Array(), x, y)),
    )
    expect(colours.map((colour) => colour.indexOf(Math.max(...colour)))).toEqual([0, 1, 2])
  })

  test('is of the same bytes each time, so that its tag stays', async () => {
    expect(await make(square, 64)).toEqual((await make(square, 64)) ?? new Uint8Array())
  })
})

/** A colour profile, as PNG has it. */
const profile = (bytes: number) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(Buffer.alloc(bytes, 'profile '))]))

describe('a colour profile', () => {
  test.each([
    ['of half a kilobyte comes along', 96, 560, true],
    ['of half a kilobyte comes along with a picture that is cut', 160, 560, true],
    ['of many kilobytes does not', 96, 500_000, false],
    ['of many kilobytes does not with a picture that is cut', 160, 500_000, false],
  ])('%s', async (_what, width, bytes, comesAlong) => {
    const made = Buffer.from((await make(png(width, 96, undefined, [profile(bytes)]), 64)) ?? [])
    expect(made.includes('ICCP')).toBe(comesAlong)
    expect(made.byteLength).toBeLessThan(2000)
    expect(made.readUInt32LE(4)).toBe(made.byteLength - 8)
    expect(await colourAt(made, 0.5, 0.5)).toEqual(await colourAt((await make(square, 64)) ?? made, 0.5, 0.5))
  })
})
