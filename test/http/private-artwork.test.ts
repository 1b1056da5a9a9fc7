import { describe, expect, test } from 'bun:test'
import { png, scriptedPictures } from '../support/pictures.ts'
import { openPrivateFeeds, PRIVATE, PUBLIC } from './private-feeds-scene.ts'

const STRANGE = 'https://feeds.example/nobody-has-this'
const SIZES = [64, 600]

const pathOf = (url: string, size: number) => `/artwork/${size}?url=${encodeURIComponent(url)}`

async function open() {
  const pictures = scriptedPictures(() => ({ kind: 'picture', bytes: png(64, 64) }))
  return { ...(await openPrivateFeeds(undefined, { pictures })), pictures }
}

describe('the picture of a private podcast', () => {
  test.each(['anyone', 'bob', 'impostor'] as const)('is to %s like that of one that nobody has', async (who) => {
    const scene = await open()
    // That it is here already makes no difference.
    for (const url of PRIVATE.slice(0, 3)) expect(await scene.ida.get(pathOf(url, 64))).toMatchObject({ status: 200 })
    const fetched = scene.pictures.asked.length
    const client = scene[who]
    for (const size of SIZES) {
      const unknown = await client.get(pathOf(STRANGE, size))
      expect(unknown).toMatchObject({ status: 404, json: { error: 'unknown_podcast' } })
      for (const url of PRIVATE) {
        const { status, text, headers } = await client.get(pathOf(url, size))
        expect({ url, status, text, headers: [...headers] }).toEqual({
          ...{ url, status: 404, text: unknown.text },
          headers: [...unknown.headers],
        })
      }
    }
    expect(scene.pictures.asked).toHaveLength(fetched)
    expect(await client.get(pathOf(PUBLIC, 64))).toMatchObject({ status: 200 })
  })

  test('is for its subscriber, and for no cache that others share', async () => {
    const { ida } = await open()
    for (const url of PRIVATE) {
      const { status, headers } = await ida.get(pathOf(url, 64))
      expect([url, status, headers.get('cache-control'), headers.get('vary')]).toEqual([
        ...[url, 200, 'private, max-age=86400', 'Authorization, Cookie'],
      ])
    }
  })

  test('is fetched for each podcast on its own, so that nobody learns who else has such a picture', async () => {
    const { ida, anyone, pictures } = await open()
    for (const url of PRIVATE.slice(0, 3)) await ida.get(pathOf(url, 64))
    await anyone.get(pathOf(PUBLIC, 64))
    expect(pictures.asked).toHaveLength(4)
  })
})
