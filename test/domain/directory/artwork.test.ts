import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import { expectError } from '../../http/error.ts'
import { type AskedPicture, BLUE, colourAt, DOWN, FORBIDDEN, GONE, png, RED } from '../../support/pictures.ts'
import { HOUR } from '../feed-scene.ts'
import { FOUND, heldAnswers, openArtworkScene, pathOf } from './artwork-scene.ts'

const DAY = 24 * HOUR
const oneHost = (count: number) => Array.from({ length: count }, (_, n) => `https://feeds.example/${n}`)

describe('a failure', () => {
  test.each([
    ['an unreachable server', DOWN, HOUR],
    ['a response that is no picture', { kind: 'picture', bytes: Buffer.from('<html>') } as const, HOUR],
    ['an address in a private network', FORBIDDEN, HOUR],
    ['a picture that is gone', GONE, DAY],
  ])('is remembered for a while: %s', async (_what, answer, seconds) => {
    const { statusOf, first, pictures, clock, pictureScript } = await openArtworkScene(() => answer)
    for (const size of [64, 64, 600]) expect(await statusOf(first, size)).toBe(204)
    expect(pictures.asked).toHaveLength(1)
    pictureScript.answer = () => FOUND
    clock.advance(seconds - 1)
    expect(await statusOf(first)).toBe(204)
    clock.advance(1)
    expect(await statusOf(first)).toBe(200)
    expect(pictures.asked).toHaveLength(2)
  })

  test('concerns no other picture, not even the next one of the same podcast, and is logged', async () => {
    const answer = ({ url }: AskedPicture) => (url.endsWith('0/logo.png') ? DOWN : FOUND)
    const { statusOf, first, pictureScript, feeds, logged } = await openArtworkScene(answer, { urls: oneHost(2) })
    expect([await statusOf(first), await statusOf(oneHost(2)[1] ?? '')]).toEqual([204, 200])
    const line = { level: 'debug', reason: 'unavailable', cause: DOWN.message }
    expect(logged('no picture of a podcast')).toMatchObject([line])
    pictureScript.logoOf = (url) => `${url}/new.png`
    await feeds.refresh(first)
    expect(await statusOf(first)).toBe(200)
  })

  test('of this server does not count: the picture is tried again', async () => {
    const { anyone, statusOf, first, pictureScript } = await openArtworkScene(() => {
      throw new DomainError('unavailable', 'the server is stopping')
    })
    expectError(await anyone.get(pathOf(first)), 503, 'unavailable')
    pictureScript.answer = () => FOUND
    expect(await statusOf(first)).toBe(200)
  })
})

describe('simultaneous requests', () => {
  test('for one picture share its fetch, in all sizes', async () => {
    const held = heldAnswers()
    const { anyone, ida, first, pictures } = await openArtworkScene(held.answer)
    const asked = [anyone, ida, anyone].flatMap((client) =>
      [64, 600, 300].map((size) => client.get(pathOf(first, size))),
    )
    await held.reached(1)
    held.release()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(9).fill(200))
    expect(pictures.asked).toHaveLength(1)
  })

  test('without an account are limited to 200; others are told to retry, and users are not affected', async () => {
    const held = heldAnswers()
    const urls = oneHost(201)
    const late = 'https://late.example/logo.png'
    const answer = ({ url }: AskedPicture) => (url === late ? FOUND : held.answer())
    const logoOf = (url: string) => (url === urls[200] ? late : `${url}/logo.png`)
    const { anyone, ida, app, statusOf } = await openArtworkScene(answer, { urls, logoOf })
    const asked = urls.slice(0, 200).map((url) => anyone.get(pathOf(url)))
    await held.reached(1)
    const refused = await anyone.get(pathOf(urls[200] ?? ''))
    expectError(refused, 503, 'unavailable')
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(await statusOf(urls[200] ?? '', 64, ida)).toBe(200)
    for (let n = 0; n < urls.length - 1; n++) {
      await held.reached(1)
      held.release(GONE)
    }
    expect((await Promise.all(asked)).filter(({ status }) => status !== 204)).toEqual([])
    await app.idle()
  })
})

test('slow pictures of one user are limited to 200, and delay no other user', async () => {
  const urls = Array.from({ length: 201 }, (_, n) => `https://host${n}.example/f`)
  const [last = '', late = ''] = urls.slice(-2)
  const held = heldAnswers()
  const answer = ({ url }: AskedPicture) => (url.startsWith(late) ? FOUND : held.answer())
  const { ida, bob, pictures, pictureScript, statusOf } = await openArtworkScene(answer, { urls })
  const slow = urls.slice(0, -1).map((url) => ida.get(pathOf(url)))
  await held.reached(3)
  expect(await statusOf(late, 64, ida)).toBe(503)
  expect(await statusOf(late, 64, bob)).toBe(200)
  // A picture that both wait for is fetched in the turn of bob.
  const shared = statusOf(last, 64, bob)
  await held.reached(4)
  expect(pictures.asked.at(-1)?.url).toBe(`${last}/logo.png`)
  pictureScript.answer = () => FOUND
  for (let n = 0; n < 4; n++) held.release(GONE)
  await Promise.all(slow)
  expect([200, 204]).toContain(await shared)
}, 60_000)

describe('a picture in the private network', () => {
  const onlyInside = ({ mayReachPrivate }: { mayReachPrivate: boolean }) => (mayReachPrivate ? FOUND : FORBIDDEN)

  test('is shown to users only, before and after one of them has requested it', async () => {
    const { statusOf, first, anyone, ida, bob, pictures } = await openArtworkScene(onlyInside)
    const statuses: number[] = []
    for (const client of [anyone, ida, anyone, bob]) statuses.push(await statusOf(first, 64, client))
    expect(statuses).toEqual([204, 200, 204, 200])
    expect(pictures.asked.map(({ mayReachPrivate }) => mayReachPrivate)).toEqual([false, true])
  })

  test('is not fetched for a podcast without subscribers', async () => {
    const { first, ida, pictures } = await openArtworkScene(onlyInside)
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [first] })
    const { status, headers } = await ida.get(pathOf(first))
    expect([status, headers.get('cache-control')]).toEqual([204, 'no-store'])
    expect(pictures.asked.map(({ mayReachPrivate }) => mayReachPrivate)).toEqual([false])
  })

  test('that cannot be fetched for users either is not requested again', async () => {
    const { statusOf, first, ida, pictures } = await openArtworkScene(() => FORBIDDEN)
    for (let n = 0; n < 3; n++) expect(await statusOf(first, 64, ida)).toBe(204)
    expect(pictures.asked).toHaveLength(2)
  })
})

describe('a picture older than two weeks', () => {
  const picture = (colour: typeof RED) => ({ kind: 'picture', bytes: png(64, 64, () => colour) }) as const

  async function colour(scene: Awaited<ReturnType<typeof openArtworkScene>>, size: number): Promise<string> {
    const response = await scene.app.fetch(new Request(`http://localhost${pathOf(scene.first, size)}`))
    await scene.app.idle()
    const [red = 0, , blue = 0] = await colourAt(await response.bytes(), 0.5, 0.5)
    return red > blue ? 'red' : 'blue'
  }

  test('is fetched again, while requests get the old one', async () => {
    const scene = await openArtworkScene(() => picture(RED))
    expect([await colour(scene, 64), await colour(scene, 600)]).toEqual(['red', 'red'])
    scene.pictureScript.answer = () => picture(BLUE)
    scene.clock.advance(14 * DAY)
    expect([await colour(scene, 64), await colour(scene, 64)]).toEqual(['red', 'red'])
    expect(scene.pictures.asked).toHaveLength(1)
    scene.clock.advance(1)
    expect([await colour(scene, 64), await colour(scene, 64)]).toEqual(['red', 'blue'])
    expect(await colour(scene, 600)).toBe('blue')
    expect(scene.pictures.asked).toHaveLength(2)
  })

  test.each([
    ['the new one is gone', () => GONE],
    ['the server is too busy', () => Promise.reject(new DomainError('unavailable', 'too much'))],
  ])('stays if %s', async (_why, answer) => {
    const scene = await openArtworkScene(() => picture(RED))
    await colour(scene, 64)
    scene.pictureScript.answer = answer
    scene.clock.advance(15 * DAY)
    expect([await colour(scene, 64), await colour(scene, 64)]).toEqual(['red', 'red'])
    expect(scene.logged('work in the background failed')).toEqual([])
  })
})

test('a stopping server fetches no more pictures', async () => {
  const { app, pictures } = await openArtworkScene()
  expect(pictures.isClosed()).toBe(false)
  app.beginStop()
  expect(pictures.isClosed()).toBe(true)
})
