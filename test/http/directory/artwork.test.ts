import { expect, test } from 'bun:test'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { clientOf, cookieOf } from '../../support/client.ts'
import { png, scriptedPictures } from '../../support/pictures.ts'
import { expectError } from '../error.ts'

const FEED = 'https://feeds.example/harbour'
const LOGO = 'https://pictures.example/harbour.png'
const red = png(700, 700)

const pathOf = (url: string, size: number | string = 64) => `/artwork/${size}?url=${encodeURIComponent(url)}`

/** Ida has a feed with a picture. */
async function open({ logoUrl = LOGO, pictures = scriptedPictures(() => ({ kind: 'picture', bytes: red })) } = {}) {
  const scene = await openFeedScene([FEED], { pictures, settings: { rate_limit: 'false' } })
  scene.script.answer = async () => feedOf('', { document: feedDocument({ logoUrl }) })
  await scene.runJob()
  return { ...scene, pictures, anyone: clientOf(scene.app) }
}

test.each([64, 128, 300, 600])('the picture of a podcast is for everybody a WebP of %d pixels', async (size) => {
  const { app, pictures } = await open()
  const response = await app.fetch(new Request(`http://localhost${pathOf(FEED, size)}`))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/webp')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
  const metadata = await new Bun.Image(await response.bytes()).metadata()
  expect(metadata).toEqual({ width: size, height: size, format: 'webp' })
  expect(pictures.asked).toEqual([{ url: LOGO, mayReachPrivate: false }])
})

test('the picture of a podcast has a tag, and is not sent again to a client that has it', async () => {
  const { anyone } = await open()
  const first = await anyone.get(pathOf(FEED))
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-z]+"$/)
  for (const given of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
    const again = await anyone.get(pathOf(FEED), { headers: { 'if-none-match': given } })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers.get('etag')).toBe(etag)
    expect(again.headers.get('cache-control')).toBe('public, max-age=86400')
  }
  for (const given of ['"a"', '', etag.slice(1, -1)])
    expect(await anyone.get(pathOf(FEED), { headers: { 'if-none-match': given } })).toMatchObject({ status: 200 })
  expect((await anyone.get(pathOf(FEED, 128))).headers.get('etag')).not.toBe(etag)
})

test('the picture of a podcast that comes with the cookie of a session is for one person', async () => {
  const { app, ida } = await open()
  const byPassword = await ida.get(pathOf(FEED))
  expect(byPassword.headers.get('cache-control')).toBe('private, max-age=86400')
  const byCookie = await clientOf(app, cookieOf(byPassword)).get(pathOf(FEED))
  expect(byCookie.headers.get('set-cookie')).toBeNull()
  expect(byCookie.headers.get('cache-control')).toBe('public, max-age=86400')
})

test.each([
  ['size 064', '/artwork/064?url=https://feeds.example/harbour', 'size'],
  ['no address', '/artwork/64', 'url'],
  ['bytes in the place of an address', '/artwork/64?url=data:image/png;base64,AAAA', 'url'],
])('there is none for %s', async (_what, path, field) => {
  const { anyone, pictures } = await open()
  expectError(await anyone.get(path), 400, 'validation_failed', field)
  expect(pictures.asked).toEqual([])
})

test('there is none for a feed that nobody has, whatever its address is of, and nothing is fetched', async () => {
  const { anyone, ida, asked, pictures } = await open()
  const before = asked.length
  for (const url of ['https://feeds.example/another', LOGO, 'http://127.0.0.1:8080/admin.png', `${FEED}?token=1`])
    for (const client of [anyone, ida]) {
      const answer = await client.get(pathOf(url))
      expectError(answer, 404, 'unknown_podcast')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  expect([pictures.asked, asked.slice(before)]).toEqual([[], []])
})

test('there is none yet for a feed that has not been read, and nobody keeps that', async () => {
  const { ida } = await openFeedScene([FEED])
  const { status, headers } = await ida.get(pathOf(FEED))
  expect([status, headers.get('cache-control')]).toEqual([204, 'no-store'])
})

test('there is none for a feed without one, which is no error, and may be asked for again soon', async () => {
  const { anyone, pictures } = await open({ logoUrl: '' })
  for (const method of ['GET', 'HEAD']) {
    const { status, text, headers } = await anyone.call(method, pathOf(FEED))
    expect([status, text, headers.get('etag')]).toEqual([204, '', null])
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  }
  expect(pictures.asked).toEqual([])
})
