import { describe, expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, feedOf, openFeedScene, subscribe } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const C = 'https://c.example/f'

const urls = (count: number, name: string) => Array.from({ length: count }, (_, n) => `https://${name}${n}.example/f`)

/** A server that fetches new feeds at once, and ida without any. */
async function open(options: Parameters<typeof openFeedScene>[1] = {}) {
  const scene = await openFeedScene([], { fetchesNewFeeds: true, ...options })
  return {
    ...scene,
    askedUrls: () => scene.asked.map(({ url }) => url),
    /** Waits for everything that has started, without the job. */
    settled: () => scene.app.idle(),
  }
}

describe('a new feed that was never fetched', () => {
  test('is fetched without waiting for the job and gets its title, also if it is in a whole list', async () => {
    const { ida, script, askedUrls, settled } = await open()
    script.answer = async () => feedOf('Harbour Talk')
    await subscribe(ida, 'ida', [A])
    await settled()
    expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([{ url: A, title: 'Harbour Talk' }])
    expect(await ida.put('/subscriptions/ida/phone.json', [A, B])).toMatchObject({ status: 200 })
    await settled()
    expect(askedUrls()).toEqual([A, B])
  })

  test('is not fetched again by a job that runs meanwhile, nor for another subscriber', async () => {
    const { app, ida, hold, begin, askedFor, askedUrls, settled } = await open()
    const ole = await signUp(app, 'ole')
    const held = hold()
    await subscribe(ida, 'ida', [A])
    await askedFor(1)
    begin()
    await subscribe(ole, 'ole', [A])
    held.release(A)
    await settled()
    expect(askedUrls()).toEqual([A])
  })
})

describe('the job fetches a feed later', () => {
  test('that fails, however many subscribe to it', async () => {
    const { app, ida, script, askedUrls, settled, pass } = await open()
    const ole = await signUp(app, 'ole')
    script.answer = async () => failed()
    await subscribe(ida, 'ida', [A])
    await settled()
    await subscribe(ole, 'ole', [A])
    await settled()
    expect(askedUrls()).toEqual([A])
    await pass(2 * 3600)
    expect(askedUrls()).toEqual([A, A])
  })

  test('that was fetched before', async () => {
    const { ida, askedUrls, settled } = await open()
    for (let n = 0; n < 2; n++) {
      await subscribe(ida, 'ida', [A])
      await settled()
      await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A] })
    }
    expect(askedUrls()).toEqual([A])
  })

  test('that is added while the clock is not set', async () => {
    const clock = fakeClock(Date.UTC(2024, 11, 31, 23, 59) / 1000)
    const { ida, askedUrls, settled, pass } = await open({ clock })
    await subscribe(ida, 'ida', [A])
    await settled()
    expect(askedUrls()).toEqual([])
    await pass(60)
    expect(askedUrls()).toEqual([A])
  })

  test('that was being fetched, queued or added when the server stopped', async () => {
    const scene = await open({ settings: { feed_concurrency: '1' } })
    const { app, ida, hold, askedFor, askedUrls, row, settled, logged } = scene
    hold()
    await subscribe(ida, 'ida', [A, B])
    await askedFor(1)
    app.beginStop()
    await subscribe(ida, 'ida', [C])
    await settled()
    expect(askedUrls()).toEqual([A])
    for (const url of [A, B, C]) expect(await row(url)).toMatchObject({ checked_at: null })
    expect(logged('failed')).toEqual([])
  })

  test('that a user adds after 2,000 others', async () => {
    const { ida, askedUrls, settled, runJob } = await open()
    const many = urls(2010, 'host')
    await subscribe(ida, 'ida', many)
    await settled()
    expect(askedUrls()).toEqual(many.slice(0, 2000))
    await runJob()
    expect(askedUrls()).toEqual(many)
  })
})

describe('a hundred new feeds of one user', () => {
  const MANY = urls(100, 'many')

  test('are fetched with the same limits as all others', async () => {
    const { ida, hold, askedFor, settled } = await open({ settings: { feed_concurrency: '3' } })
    const held = hold()
    const [one = '', two = '', three = ''] = [1, 2, 3].map((n) => `https://one.example/${n}`)
    await subscribe(ida, 'ida', [one, two, three, A, B])
    await askedFor(3)
    expect(held.urls()).toEqual([one, two, A])
    held.release(A)
    await askedFor(4)
    expect(held.urls()).toEqual([one, two, B])
    held.release(two)
    await askedFor(5)
    for (const url of held.urls()) held.release(url)
    await settled()
  })

  test('do not delay the one of another user', async () => {
    const { app, ida, hold, askedFor, askedUrls, script, settled } = await open()
    const ole = await signUp(app, 'ole')
    const held = hold()
    await subscribe(ida, 'ida', MANY)
    await askedFor(8)
    await subscribe(ole, 'ole', [A])
    script.answer = async () => UNCHANGED
    for (const url of held.urls()) held.release(url)
    await settled()
    expect(askedUrls().indexOf(A)).toBeLessThan(12)
    expect(askedUrls()).toHaveLength(101)
  })

  test('do not delay feeds that are due', async () => {
    const { app, ida, hold, askedFor, asked, askedUrls, begin, script, settled } = await open()
    const due = urls(5, 'due')
    await subscribe(ida, 'ida', due)
    await settled()
    app.clock.advance(2 * 3600)
    asked.length = 0
    const held = hold()
    await subscribe(ida, 'ida', MANY)
    await askedFor(8)
    begin()
    script.answer = async () => UNCHANGED
    for (const url of held.urls()) held.release(url)
    await settled()
    const places = due.map((url) => askedUrls().indexOf(url))
    for (const place of places) expect(place).toBeWithin(8, 40)
    expect(askedUrls()).toHaveLength(105)
  })
})
