import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { createThumbnailer } from '../../src/artwork/thumbnailer.ts'
import { createHostQueue } from '../../src/domain/shared/concurrency.ts'
import { BLUE, colourAt, GREEN, gif, jpeg, png, pngChunk, RED, webp } from '../support/pictures.ts'

const { make } = createThumbnailer(createHostQueue({ atOnce: 2, perHost: 2 }))

async function sizeOf(picture: Uint8Array, size: number) {
  const made = await make(picture, size)
  return made && (await new Bun.Image(made).metadata())
}

const square = png(96, 96)
const asJpeg = await jpeg(square)
const asProgressive = await jpeg(square, true)
const asWebp = await webp(square)

describe('a thumbnail is a WebP', () => {
  test.each<[string, Uint8Array]>([
    ['a PNG', square],
    ['a JPEG', asJpeg],
    ['a progressive JPEG', asProgressive],
    ['a WebP', asWebp],
    ['a PNG with an alpha channel', png(96, 96, () => [1, 2, 3, 0])],
    ['bytes in the middle of others', Buffer.concat([Buffer.alloc(3), square]).subarray(3)],
  ])('of %s', async (_what, picture) => {
    expect(await sizeOf(picture, 64)).toEqual({ width: 64, height: 64, format: 'webp' })
  })

  test('of a GIF that is not animated', async () => {
    expect(await sizeOf(gif(1), 64)).toEqual({ width: 4, height: 4, format: 'webp' })
  })

  test.each([
    [96, 96, 300, 96, 96],
    [96, 96, 96, 96, 96],
    [160, 90, 64, 114, 64],
    [90, 160, 64, 64, 114],
    [101, 33, 64, 101, 33],
    [33, 101, 16, 16, 49],
    [128, 32, 32, 128, 32],
    [101, 100, 64, 65, 64],
    [3, 1, 64, 3, 1],
    [1, 1, 64, 1, 1],
  ])('of %d by %d pixels, asked for %d, it has %d by %d', async (width, height, size, wide, high) => {
    expect(await sizeOf(png(width, height), size)).toMatchObject({ width: wide, height: high })
  })

  test('shows the whole picture the right way up, the same bytes each time, so that its tag stays', async () => {
    const picture = png(180, 90, (x, y) => (y < 45 ? RED : x < 90 ? GREEN : BLUE))
    const made = (await make(picture, 48)) ?? new Uint8Array()
    const corners = [
      [0.5, 0.2],
      [0.1, 0.8],
      [0.9, 0.8],
    ] as const
    const colours = await Promise.all(corners.map(([x, y]) => colourAt(made, x, y)))
    expect(colours.map((colour) => colour.indexOf(Math.max(...colour)))).toEqual([0, 1, 2])
    expect(await make(picture, 48)).toEqual(made)
  })
})

/** A colour profile, as PNG has it. */
const profile = (bytes: number) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(Buffer.alloc(bytes, 'profile '))]))

describe('a colour profile', () => {
  test.each([
    ['of half a kilobyte stays', 560, true],
    ['of many kilobytes is removed', 500_000, false],
  ])('%s', async (_what, bytes, stays) => {
    const made = Buffer.from((await make(png(96, 96, undefined, [profile(bytes)]), 64)) ?? [])
    expect(made.includes('ICCP')).toBe(stays)
    expect(made.byteLength).toBeLessThan(2000)
    expect(made.readUInt32LE(4)).toBe(made.byteLength - 8)
    expect(await colourAt(made, 0.5, 0.5)).toEqual(await colourAt((await make(square, 64)) ?? made, 0.5, 0.5))
  })
})
