import { describe, expect, test } from 'bun:test'
import { failed, feedOf } from '../domain/feed-scene.ts'
import { lookupsOf, NEW, OWN, openOnDemand, SECRET } from './on-demand-scene.ts'
import { podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

const LIMITED = { rate_limit: 'true' }
/** Of different hosts. */
const feeds = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `https://host${from + n}.example/f`)

/** Lets all happen that does not have to wait for an answer. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((next) => setImmediate(next))
}

describe('one feed', () => {
  test.each([
    ['that can be had', feedOf('Harbour Talk'), 200],
    ['that cannot', failed(), 404],
  ])('%s is asked once for 200 lookups at the same time (D51)', async (_case, answer, status) => {
    const { anyone, asked, hold, askedFor } = await openOnDemand()
    const held = hold()
    const answers = Array.from({ length: 200 }, (_, n) => anyone.get(lookupsOf(NEW)[n % 2] ?? ''))
    await askedFor(1)
    held.release(NEW, answer)
    expect(new Set((await Promise.all(answers)).map((each) => each.status))).toEqual(new Set([status]))
    expect(asked).toHaveLength(1)
  })

  test('that could not be had is left alone for five minutes', async () => {
    const { app, anyone, ida, script, urlsAsked } = await openOnDemand()
    script.answer = async () => failed()
    for (const path of [...lookupsOf(NEW), ...lookupsOf(NEW)])
      expectRefusal(await anyone.get(path), 404, 'unknown_podcast')
    for (const path of lookupsOf(NEW)) expectRefusal(await ida.get(path), 502, 'feed_unreachable')
    expect(urlsAsked()).toEqual([NEW, NEW])
    script.answer = async () => feedOf('Harbour Talk')
    app.clock.advance(299)
    expectRefusal(await anyone.get(podcastPath(NEW)), 404, 'unknown_podcast')
    expect(urlsAsked()).toEqual([NEW, NEW])
    app.clock.advance(2)
    expect(await anyone.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
    expect(urlsAsked()).toEqual([NEW, NEW, NEW])
    // What is known does not wait for the memory of what was not.
    expect(await ida.get(podcastPath(NEW))).toMatchObject({ status: 200 })
  })
})

describe('at once', () => {
  test('at most four feeds are fetched for those who look, and the others in their turn', async () => {
    const { anyone, asked, hold, askedFor } = await openOnDemand()
    const held = hold()
    const urls = feeds(7)
    const answers = urls.map((url) => anyone.get(podcastPath(url)))
    for (let count = 4; count <= 7; count++) {
      await askedFor(count)
      await turns(20)
      expect(asked).toHaveLength(count)
      expect(held.urls()).toHaveLength(4)
      held.release(held.urls()[0] ?? '', feedOf('Harbour Talk'))
    }
    for (const url of held.urls()) held.release(url, failed())
    expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([
      200, 200, 200, 200, 404, 404, 404,
    ])
  })

  test('so many are waited for and no more, by whoever it is; what is known is answered meanwhile', async () => {
    const { anyone, ida, asked, hold, askedFor, script } = await openOnDemand()
    script.answer = async () => feedOf('Harbour Talk')
    await anyone.get(podcastPath(NEW))
    const held = hold()
    const urls = feeds(32)
    const waiting = urls.map((url) => anyone.get(podcastPath(url)))
    await askedFor(5)
    await turns(20)
    for (const client of [anyone, ida]) {
      const answer = await client.get(podcastPath('https://late.example/f'))
      expectRefusal(answer, 503, 'unavailable')
      expect(answer.headers.get('retry-after')).toBe('10')
      expect(await client.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
      expect(await client.get(podcastPath(OWN))).toMatchObject({ status: 200, json: { title: OWN } })
    }
    script.answer = async () => failed()
    for (const url of held.urls()) held.release(url, failed())
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([404]))
    expect(asked).toHaveLength(33)
    expectRefusal(await ida.get(podcastPath('https://late.example/f')), 502, 'feed_unreachable')
  })
})

describe('strangers from one address have in a minute (D51)', () => {
  test('six feeds fetched, and with the seventh are told when to come back', async () => {
    const { app, anyone, impostor, urlsAsked } = await openOnDemand(LIMITED)
    for (const url of feeds(6)) expect(await anyone.get(podcastPath(url))).toMatchObject({ status: 200 })
    app.clock.advance(20)
    for (const client of [anyone, impostor])
      for (const path of lookupsOf(NEW)) {
        const answer = await client.get(path)
        expectRefusal(answer, 429, 'rate_limited')
        expect([answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual(['40', 'no-store'])
      }
    expect(urlsAsked()).toHaveLength(6)
    app.clock.advance(41)
    expect(await anyone.get(podcastPath(NEW))).toMatchObject({ status: 200 })
  })

  test('as much as they like of what is known, what others are waiting for, and what was tried of late', async () => {
    const { anyone, script, hold, askedFor } = await openOnDemand(LIMITED)
    script.answer = async () => failed()
    for (const url of feeds(5)) await anyone.get(podcastPath(url))
    const held = hold()
    const waiting = Array.from({ length: 20 }, () => anyone.get(podcastPath(NEW)))
    await askedFor(6)
    held.release(NEW, feedOf('Harbour Talk'))
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
    for (let n = 0; n < 20; n++) {
      expect((await anyone.get(podcastPath(NEW))).status).toBe(200)
      expectRefusal(await anyone.get(podcastPath(feeds(1)[0] ?? '')), 404, 'unknown_podcast')
      expectRefusal(await anyone.get(podcastPath(SECRET)), 404, 'unknown_podcast')
    }
    expectRefusal(await anyone.get(podcastPath(feeds(1, 9)[0] ?? '')), 429, 'rate_limited')
  })
})

describe('while', () => {
  test('the server stops, nothing is fetched, and nothing that comes is stored', async () => {
    const { app, anyone, ida, asked, hold, askedFor, row } = await openOnDemand()
    const held = hold()
    const waiting = [anyone, ida].map((client) => client.get(podcastPath(NEW)))
    await askedFor(2)
    app.beginStop()
    for (const answer of await Promise.all(waiting)) expectRefusal(answer, 503, 'unavailable')
    held.release(NEW, feedOf('Harbour Talk'))
    for (const client of [anyone, ida]) {
      expectRefusal(await client.get(podcastPath('https://late.example/f')), 503, 'unavailable')
      expect(await client.get(podcastPath(OWN))).toMatchObject({ status: 200, json: { title: OWN } })
    }
    await app.idle()
    expect(asked).toHaveLength(2)
    expect(row(NEW)).toBeNull()
  })
})
