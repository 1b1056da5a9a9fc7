import { describe, expect, test } from 'bun:test'
import { feedEpisode } from '../../store/contract/fixtures.ts'
import { type AskedPicture, DOWN, GONE } from '../../support/pictures.ts'
import { HOUR } from '../feed-scene.ts'
import { episodePathOf, FOUND, heldAnswers, openArtworkScene, pathOf } from './artwork-scene.ts'

const media = (n: number) => `https://cdn.example/${n}.mp3`
const pictureOf = (n: number) => `https://pictures${n % 5}.example/${n}.jpg`

/** Episodes numbered from 0, each with a picture of its own by default. */
const episodesWith = (count: number, imageOf = pictureOf) =>
  Array.from({ length: count }, (_, n) => feedEpisode({ url: media(n), guid: String(n), imageUrl: imageOf(n) }))

type Answer = Parameters<typeof openArtworkScene>[0]
type Options = Parameters<typeof openArtworkScene>[1]

/** The artwork scene, with episodes that have pictures of their own. */
async function open(answer: Answer = () => FOUND, options: Options = {}) {
  const scene = await openArtworkScene(answer, { episodes: episodesWith(3), ...options })
  const { first, ida, pictures } = scene
  const asked = () => pictures.asked.map(({ url }) => url)
  return {
    ...scene,
    asked,
    /** Status of the response for episode `n`. */
    show: async (n: number, { feed = first, client = ida, size = 64 } = {}) =>
      (await client.get(episodePathOf(feed, media(n), size))).status,
  }
}

describe('the pictures of episodes', () => {
  test('are fetched on request, not with the feed', async () => {
    const { show, asked } = await open()
    expect(asked()).toEqual([])
    expect([await show(1), await show(1, { size: 600 }), await show(2)]).toEqual([200, 200, 200])
    expect(asked()).toEqual([pictureOf(1), pictureOf(2)])
  })

  test('are fetched once if several episodes, or the podcast, have the same one', async () => {
    const LOGO = 'https://pictures.example/logo.png'
    const episodes = episodesWith(4, (n) => (n < 2 ? 'https://pictures.example/season.png' : LOGO))
    const { show, ida, first, asked } = await open(() => FOUND, { episodes, logoOf: () => LOGO })
    await ida.get(pathOf(first))
    expect([await show(0), await show(1), await show(2), await show(3)]).toEqual([200, 200, 200, 200])
    expect(asked()).toEqual([LOGO, 'https://pictures.example/season.png'])
  })

  test('are fetched for each podcast, even if they are the same', async () => {
    const urls = ['https://feeds.example/0', 'https://feeds.example/1']
    const { show, asked } = await open(() => FOUND, { urls })
    for (const feed of urls) expect(await show(0, { feed })).toBe(200)
    expect(asked()).toEqual([pictureOf(0), pictureOf(0)])
  })

  test('are left alone for an hour after a failure', async () => {
    const { show, asked, clock, pictureScript, logged } = await open(() => DOWN)
    for (const size of [64, 600]) expect(await show(0, { size })).toBe(204)
    expect(asked()).toHaveLength(1)
    expect(logged('no picture of an episode')).toHaveLength(1)
    pictureScript.answer = () => FOUND
    clock.advance(HOUR)
    expect(await show(0)).toBe(200)
  })
})

describe('a feed with hundreds of different pictures', () => {
  const episodes = episodesWith(320)

  test('has three hundred of them fetched an hour, and the others later', async () => {
    const other = 'https://feeds.example/1'
    const urls = ['https://feeds.example/0', other]
    const { show, asked, clock, ida, first } = await open(() => GONE, { episodes, urls, isLimited: true })
    for (let n = 0; n < 320; n++) await show(n)
    expect(asked()).toHaveLength(300)
    const refused = await ida.get(episodePathOf(first, media(300)))
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([204, 'no-store'])
    // Known answers stay the same, and covers and other podcasts are not limited.
    expect((await ida.get(episodePathOf(first, media(0)))).headers.get('cache-control')).toBe('private, max-age=300')
    await ida.get(pathOf(first))
    await show(0, { feed: other })
    expect(asked()).toHaveLength(302)
    clock.advance(HOUR)
    await show(300)
    expect(asked().at(-1)).toBe(pictureOf(300))
  })

  test('has a hundred of them waiting, two fetched at once, and does not delay covers', async () => {
    const held = heldAnswers()
    const answer = ({ url }: AskedPicture) => (url.endsWith('logo.png') ? FOUND : held.answer())
    const { show, asked, ida, first, app } = await open(answer, { episodes })
    const waiting = Array.from({ length: 100 }, (_, n) => show(n))
    await held.reached(2)
    const cover = ida.get(pathOf(first))
    const isAsked = () => asked().some((url) => url.endsWith('logo.png'))
    for (let turns = 0; turns < 1000 && !isAsked(); turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(isAsked()).toBe(true)
    expect(await show(100)).toBe(503)
    expect(asked().filter((url) => !url.endsWith('logo.png'))).toHaveLength(2)
    for (let n = 0; n < 100; n++) {
      await held.reached(1)
      held.release(GONE)
    }
    expect((await cover).status).toBe(200)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([204]))
    await app.idle()
  })

  test('takes turns with other feeds', async () => {
    const held = heldAnswers()
    const other = 'https://feeds.example/1'
    const urls = ['https://feeds.example/0', other]
    const { show, asked, app, first } = await open(held.answer, { episodes, urls })
    const waiting = Array.from({ length: 20 }, (_, n) => show(n, { feed: first }))
    await held.reached(2)
    waiting.push(show(319, { feed: other }))
    for (let n = 0; n < 21; n++) {
      await held.reached(1)
      held.release(GONE)
    }
    await Promise.all(waiting)
    expect(asked().indexOf(pictureOf(319))).toBeLessThan(6)
    await app.idle()
  })
})

test('pictures of chapters are found by their start, for users, of known episodes', async () => {
  const horn = [60, 'The horn', '', 'https://pictures.example/horn.png']
  const chapters = JSON.stringify([[0, 'Hello', ''], horn])
  const episodes = [feedEpisode({ url: media(0), imageUrl: pictureOf(0), chapters })]
  const { ida, anyone, first, asked } = await open(() => FOUND, { episodes })
  const statusOf = async (start: number | string, { client = ida, episode = media(0) } = {}) =>
    (await client.get(`${episodePathOf(first, episode)}&chapter=${start}`)).status
  expect(await statusOf(60, { client: anyone })).toBe(204)
  expect([await statusOf(60, { episode: media(1) }), await statusOf('x')]).toEqual([404, 400])
  expect(asked()).toEqual([])
  expect([await statusOf(60), await statusOf(0), await statusOf(61)]).toEqual([200, 204, 204])
  expect(asked()).toEqual(['https://pictures.example/horn.png'])
})
