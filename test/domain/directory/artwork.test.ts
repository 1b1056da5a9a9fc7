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
    ['what is down', DOWN, HOUR],
    ['what is no picture', { kind: 'picture', bytes: Buffer.from('<html>') } as const, HOUR],
    ['what is in a private network', FORBIDDEN, HOUR],
    ['what is gone', GONE, DAY],
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

  test('of one picture is none of another, also not of the next one of the same podcast, and is in the log', async () => {
    const answer = ({ url }: AskedPicture) => (url.endsWith('0/logo.png') ? DOWN : FOUND)
    const { statusOf, first, pictureScript, feeds, logged } = await openArtworkScene(answer, { urls: oneHost(2) })
    expect([await statusOf(first), await statusOf(oneHost(2)[1] ?? '')]).toEqual([204, 200])
    const line = { level: 'debug', reason: 'unavailable', cause: DOWN.message }
    expect(logged('no picture of a podcast')).toMatchObject([line])
    pictureScript.logoOf = (url) => `${url}/new.png`
    await feeds.refresh(first)
    expect(await statusOf(first)).toBe(200)
  })

  test('of ours is none of the picture: it is tried again', async () => {
    const { anyone, statusOf, first, pictureScript } = await openArtworkScene(() => {
      throw new DomainError('unavailable', 'the server is stopping')
    })
    expectError(await anyone.get(pathOf(first)), 503, 'unavailable')
    pictureScript.answer = () => FOUND
    expect(await statusOf(first)).toBe(200)
  })
})

describe('all who want a picture at the same time', () => {
  test('wait for the same one, in all sizes', async () => {
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

  test('are two hundred at the most without an account; others come again, and users are not affected', async () => {
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

describe('slow pictures that one user asks for', () => {
  const urls = Array.from({ length: 201 }, (_, n) => `https://host${n}.example/f`)
  const [late = ''] = urls.slice(-1)

  async function openSlow() {
    const held = heldAnswers()
    let isHeld = true
    const answer = ({ url }: AskedPicture) => (isHeld && !url.startsWith(late) ? held.answer() : FOUND)
    const scene = await openArtworkScene(answer, { urls })
    const slow = urls.slice(0, -1).map((url) => scene.ida.get(pathOf(url)))
    await held.reached(3)
    return {
      ...scene,
      held,
      async finish() {
        isHeld = false
        for (let n = 0; n < 4; n++) held.release(GONE)
        await Promise.all(slow)
      },
    }
  }

  test('are 200 at the most, and keep no other user waiting', async () => {
    const { statusOf, ida, bob, finish } = await openSlow()
    expect(await statusOf(late, 64, ida)).toBe(503)
    expect(await statusOf(late, 64, bob)).toBe(200)
    await finish()
  }, 60_000)

  test('are fetched in the turn of another user who asks for them as well', async () => {
    const { held, bob, pictures, statusOf, finish } = await openSlow()
    const last = urls[199] ?? ''
    const asked = statusOf(last, 64, bob)
    await held.reached(4)
    expect(pictures.asked.at(-1)?.url).toBe(`${last}/logo.png`)
    await finish()
    expect([200, 204]).toContain(await asked)
  }, 60_000)
})

describe('a picture in the private network', () => {
  const onlyInside = ({ mayReachPrivate }: { mayReachPrivate: boolean }) => (mayReachPrivate ? FOUND : FORBIDDEN)

  test('is for people with an account, before and after one of them has seen it', async () => {
    const { statusOf, first, anyone, ida, bob, pictures } = await openArtworkScene(onlyInside)
    const statuses: number[] = []
    for (const client of [anyone, ida, anyone, bob]) statuses.push(await statusOf(first, 64, client))
    expect(statuses).toEqual([204, 200, 204, 200])
    expect(pictures.asked.map(({ mayReachPrivate }) => mayReachPrivate)).toEqual([false, true])
  })

  test('is not fetched for a podcast that nobody is subscribed to any more', async () => {
    const { first, ida, pictures } = await openArtworkScene(onlyInside)
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [first] })
    const { status, headers } = await ida.get(pathOf(first))
    expect([status, headers.get('cache-control')]).toEqual([204, 'no-store'])
    expect(pictures.asked.map(({ mayReachPrivate }) => mayReachPrivate)).toEqual([false])
  })

  test('that fails for people with an account as well is not asked for again', async () => {
    const { statusOf, first, ida, pictures } = await openArtworkScene(() => FORBIDDEN)
    for (let n = 0; n < 3; n++) expect(await statusOf(first, 64, ida)).toBe(204)
    expect(pictures.asked).toHaveLength(2)
  })
})

describe('after two weeks', () => {
  const picture = (colour: typeof RED) => ({ kind: 'picture', bytes: png(64, 64, () => colour) }) as const

  async function colour(scene: Awaited<ReturnType<typeof openArtworkScene>>, size: number): Promise<string> {
    const response = await scene.app.fetch(new Request(`http://localhost${pathOf(scene.first, size)}`))
    await scene.app.idle()
    const [red = 0, , blue = 0] = await colourAt(await response.bytes(), 0.5, 0.5)
    return red > blue ? 'red' : 'blue'
  }

  test('a picture is looked for again, while requests get the old one', async () => {
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
    ['it is gone', () => GONE],
    ['we have too much to do', () => Promise.reject(new DomainError('unavailable', 'too much'))],
  ])('the old one stays when %s', async (_why, answer) => {
    const scene = await openArtworkScene(() => picture(RED))
    await colour(scene, 64)
    scene.pictureScript.answer = answer
    scene.clock.advance(15 * DAY)
    expect([await colour(scene, 64), await colour(scene, 64)]).toEqual(['red', 'red'])
    expect(scene.logged('work in the background failed')).toEqual([])
  })
})

test('when the server stops, no picture is fetched any more', async () => {
  const { app, pictures } = await openArtworkScene()
  expect(pictures.isClosed()).toBe(false)
  app.beginStop()
  expect(pictures.isClosed()).toBe(true)
})
