import { describe, expect, test } from 'bun:test'
import { inflateSync } from 'node:zlib'
import { drawIcon } from '../../scripts/web-icons.ts'
import { ICONS, manifestFor } from '../../scripts/web-manifest.ts'
import { COLORS } from '../../src/brand.ts'

/** The colour of a pixel of an icon, in hexadecimal RGBA. */
function pixelOf(png: Uint8Array, size: number, x: number, y: number): string {
  const start = Buffer.from(png).indexOf('IDAT')
  const rows = inflateSync(png.subarray(start + 4, start + 4 + Buffer.from(png).readUInt32BE(start - 4)))
  const at = y * (1 + size * 4) + 1 + x * 4
  return rows.toString('hex', at, at + 4)
}

const accent = `${COLORS.accent[0].slice(1)}ff`

describe('the icons', () => {
  test.each(Object.entries(ICONS))('%s has the declared size', async (_name, options) => {
    const { width, height, format } = await new Bun.Image(drawIcon(options)).metadata()
    expect([width, height, format]).toEqual([options.size, options.size, 'png'])
  })

  test('show the mark on the accent colour, with or without round corners', () => {
    const rounded = drawIcon({ size: 48, isRounded: true, markWidth: 1 })
    expect(pixelOf(rounded, 48, 0, 0).slice(-2)).toBe('00')
    expect(pixelOf(rounded, 48, 24, 2)).toBe(accent)
    const whole = drawIcon({ size: 48, isRounded: false, markWidth: 1 })
    expect(pixelOf(whole, 48, 0, 0)).toBe(accent)
    // The last step of the stairs, and the ball.
    expect(pixelOf(whole, 48, 40, 11)).toBe(`${COLORS.ground[0].slice(1)}ff`)
    expect(pixelOf(whole, 48, 10, 19)).toBe(`${COLORS.warm[1].slice(1)}ff`)
  })
})

describe('the manifest', () => {
  const texts = { home: { add: 'Hinzufügen' }, common: { nav: { discover: 'Entdecken', listening: 'Verlauf' } } }
  const manifest = JSON.parse(manifestFor('de', texts))

  test('works below a sub-path, since its addresses are relative', () => {
    const addresses = [manifest.start_url, manifest.scope, manifest.share_target.action]
    const listed = [
      ...manifest.icons.map(({ src }: { src: string }) => src),
      ...manifest.shortcuts.map(({ url }: { url: string }) => url),
    ]
    for (const address of [...addresses, ...listed]) expect(address).toMatch(/^(?:\.\/|[a-z])/)
  })

  test('is translated, and lists only pages with a text', () => {
    expect([manifest.lang, manifest.shortcuts]).toEqual([
      'de',
      [
        { name: 'Entdecken', url: 'discover' },
        { name: 'Verlauf', url: 'listening' },
        { name: 'Hinzufügen', url: 'add' },
      ],
    ])
  })

  test('opens links shared by other apps on the page that adds podcasts', () => {
    expect(manifest.share_target).toEqual({
      action: 'add',
      method: 'GET',
      enctype: 'application/x-www-form-urlencoded',
      params: { title: 'title', text: 'text', url: 'url' },
    })
    expect(manifest.protocol_handlers).toContainEqual({ protocol: 'web+feed', url: 'add?url=%s' })
  })
})
