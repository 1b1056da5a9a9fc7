import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'
import { timestampOf } from './timestamp.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const OLD = 'https://feeds.example/old'
const PATH = '/api/2/subscriptions/ida/phone.json'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const held = async () => (await ida.get('/subscriptions/ida/phone.json')).json
  return { app, ida, held }
}

describe('an upload of changes', () => {
  test('answers with a timestamp and the list of rewritten URLs, and nothing else', async () => {
    const { ida } = await open()
    const answer = await ida.post(PATH, { add: ['http://Tidewater.example'], remove: [] })
    expect([answer.status, answer.json]).toEqual([
      200,
      { timestamp: 1740909601, update_urls: [['http://Tidewater.example', 'http://tidewater.example/']] },
    ])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test.each([
    ['both lists', { add: [A], remove: [OLD] }, [A]],
    ['only add', { add: [A] }, [OLD, A]],
    ['only remove', { remove: [OLD] }, []],
    ['neither', {}, [OLD]],
    ['empty lists', { add: [], remove: [] }, [OLD]],
    ['null for a list', { add: null, remove: null }, [OLD]],
    ['empty texts and nulls inside', { add: ['', null, A, '  '], remove: [null, '', '\ufeff'] }, [OLD, A]],
    ['the same empty text in both lists', { add: [''], remove: [''] }, [OLD]],
    ['the same URL twice', { add: [A, A], remove: [OLD, OLD] }, [A]],
    ['what is there and what is not', { add: [OLD], remove: [B] }, [OLD]],
    ['keys nobody knows', { add: [A], device: 'desk', timestamp: 7 }, [OLD, A]],
  ])('%s: the answer has both keys, nothing was rewritten', async (_, body, expected) => {
    const { ida, held } = await open()
    await ida.post(PATH, { add: [OLD] })
    const answer = await ida.post(PATH, body)
    expect(answer.json).toEqual({ timestamp: timestampOf(answer), update_urls: [] })
    expect(await held()).toEqual(expected)
  })

  test('that changes nothing does not tick', async () => {
    const { app, ida } = await open()
    const first = timestampOf(await ida.post(PATH, { add: [A] }))
    app.clock.advance(3600)
    expect(timestampOf(await ida.post(PATH, { add: [A], remove: [B] }))).toBe(first)
    expect(timestampOf(await ida.get(PATH))).toBe(first)
  })

  test('makes an unknown device, even without a change', async () => {
    const { ida } = await open()
    await ida.post(PATH, {})
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ id: 'phone', subscriptions: 0 }] })
  })

  test('reaches only its own device', async () => {
    const { ida } = await open()
    await ida.post('/api/2/subscriptions/ida/desk.json', { add: [A] })
    await ida.post(PATH, { add: [B], remove: [A] })
    expect(await ida.get('/subscriptions/ida/desk.json')).toMatchObject({ json: [A] })
  })

  test('of 20,000 long URLs is stored whole', async () => {
    const { ida, held } = await open()
    const urls = Array.from(
      { length: 20_000 },
      (_, n) => `https://feeds.example/shows/${n}/${'episodes/'.repeat(40)}feed-of-all.xml?format=rss&lang=en`,
    )
    const body = JSON.stringify({ add: urls })
    expect(body.length).toBeGreaterThan(7 * 1024 * 1024)
    expect(body.length).toBeLessThan(10 * 1024 * 1024)
    expect(await ida.post(PATH, body)).toMatchObject({ status: 200, json: { update_urls: [] } })
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ subscriptions: 20_000 }] })
    expect(new Set([await held()].flat())).toEqual(new Set(urls))
  }, 30_000)
})

/** Uploaded, stored ('' for rejected, null for dropped without a word); docs/protocol.md#feed-urls. */
const SANITISED: readonly (readonly [string, string | null])[] = [
  ['https://feeds.tidewater.example/harbour.xml', 'https://feeds.tidewater.example/harbour.xml'],
  [' http://Tidewater.example ', 'http://tidewater.example/'],
  ['feed://tidewater.example/a.rss', 'http://tidewater.example/a.rss'],
  ['feed:https://tidewater.example/a.rss', 'https://tidewater.example/a.rss'],
  ['pcast://tidewater.example/a', 'http://tidewater.example/a'],
  ['itpc://tidewater.example/a', 'http://tidewater.example/a'],
  ['itms://tidewater.example/a', 'http://tidewater.example/a'],
  ['podcast:http://tidewater.example/a', 'http://tidewater.example/a'],
  ['tidewater.example/feed', 'http://tidewater.example/feed'],
  ['tidewater.example:8080/feed', 'http://tidewater.example:8080/feed'],
  ['https://ida:pw@tidewater.example/p', 'https://tidewater.example/p'],
  ['http://tidewater.example/x:y?u=a%2Bb', 'http://tidewater.example/x:y?u=a%2Bb'],
  ['http://tidewater.example/a+b,c(d)?e=f+g', 'http://tidewater.example/a+b,c(d)?e=f+g'],
  ['http://tidewater.example/øre', 'http://tidewater.example/%C3%B8re'],
  ['http://tidewater.example/a b', 'http://tidewater.example/a%20b'],
  ['http://tidewater.example:80/a', 'http://tidewater.example/a'],
  ['https://tidewater.example/a/../b', 'https://tidewater.example/b'],
  ['https://tidewater.example/a?', 'https://tidewater.example/a'],
  ['https://tidewater.example/a#part', 'https://tidewater.example/a#part'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['gopher://tidewater.example/', ''],
  ['ftp://tidewater.example/', ''],
  ['antennapod_local:content://1', ''],
  ['mailto:ida@tidewater.example', ''],
  ['fb:tidewater', ''],
  ['word', ''],
  ['http://', ''],
  [`https://tidewater.example/${'x'.repeat(2048)}`, ''],
  ['', null],
  [' \t\u00a0\ufeff', null],
]

describe('uploaded URLs are sanitised and reported (D16)', () => {
  test.each(SANITISED)('%j becomes %j', async (uploaded, stored) => {
    const { ida, held } = await open()
    const pairs = stored === null || stored === uploaded ? [] : [[uploaded, stored]]
    expect(await ida.post(PATH, { add: [uploaded] })).toMatchObject({ status: 200, json: { update_urls: pairs } })
    expect(await held()).toEqual(stored ? [stored] : [])

    // Unsubscribing in the same words works, and is reported alike.
    expect((await ida.post(PATH, { remove: [uploaded] })).json).toMatchObject({ update_urls: pairs })
    expect(await held()).toEqual([])
  })

  test('what came back from us comes back as it is', async () => {
    const { ida, held } = await open()
    await ida.post(PATH, { add: SANITISED.map(([uploaded]) => uploaded) })
    const stored = [await held()].flat()
    expect(stored.length).toBeGreaterThan(15)
    expect(await ida.post(PATH, { add: stored })).toMatchObject({ status: 200, json: { update_urls: [] } })
    expect(await held()).toEqual(stored)
  })

  test('each old URL is reported once, in the order of the upload, with text only', async () => {
    const { ida } = await open()
    const answer = await ida.post(PATH, {
      add: ['word', 'HTTP://feeds.example/c', A, 'HTTP://feeds.example/c'],
      remove: ['ftp://feeds.example/', '', null, 'feed://feeds.example/d'],
    })
    expect(answer.json).toMatchObject({
      update_urls: [
        ['word', ''],
        ['HTTP://feeds.example/c', 'http://feeds.example/c'],
        ['ftp://feeds.example/', ''],
        ['feed://feeds.example/d', 'http://feeds.example/d'],
      ],
    })
  })
})

describe('the same feed in both lists', () => {
  test.each([
    ['a URL', A],
    ['a URL that would be rewritten', ' HTTP://feeds.example/a '],
    ['a URL that would be rejected', 'word'],
  ])('in the same words is refused, and nothing is stored: %s', async (_, url) => {
    const { ida, held } = await open()
    await ida.post(PATH, { add: [OLD] })
    const before = timestampOf(await ida.get(PATH))
    expectRefusal(await ida.post(PATH, { add: [B, url], remove: [url, OLD] }), 400, 'validation_failed')
    expectRefusal(
      await ida.post('/api/2/subscriptions/ida/new.json', { add: [url], remove: [url] }),
      400,
      'validation_failed',
    )
    expect(await held()).toEqual([OLD])
    expect(timestampOf(await ida.get(PATH))).toBe(before)
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ id: 'phone' }] })
  })

  test.each([
    [[A], ['HTTPS://feeds.example/a']],
    [[' https://FEEDS.example/a'], [A]],
    [['https://ida@feeds.example/a'], ['https://feeds.example/a?']],
  ])('in different words stays or becomes subscribed: add %j, remove %j', async (add, remove) => {
    const { ida, held } = await open()
    for (const _ of ['not subscribed before', 'subscribed before']) {
      expect(await ida.post(PATH, { add, remove })).toMatchObject({ status: 200 })
      expect(await held()).toEqual([A])
    }
  })
})

describe('an upload of the wrong objectSchema changes nothing', () => {
  test.each([
    ['text for a list', { add: A }, 'add'],
    ['a number for a list', { add: [A], remove: 7 }, 'remove'],
    ['an object for a list', { add: { 0: A } }, 'add'],
    ['true for a list', { remove: true, add: [A] }, 'remove'],
    ['a number in a list', { add: [A, 7] }, 'add'],
    ['true in a list', { add: [A], remove: [OLD, true] }, 'remove'],
    ['an object in a list', { add: [{ url: A }] }, 'add'],
    ['a list in a list', { remove: [[OLD]] }, 'remove'],
    ['a list', [A], 'body'],
    ['text', JSON.stringify(A), 'body'],
    ['null', 'null', 'body'],
  ])('%s', async (_, body, field) => {
    const { ida, held } = await open()
    await ida.post(PATH, { add: [OLD] })
    expectRefusal(await ida.post(PATH, body), 400, 'validation_failed', field)
    expectRefusal(await ida.post('/api/2/subscriptions/ida/new.json', body), 400, 'validation_failed', field)
    expect(await held()).toEqual([OLD])
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ id: 'phone' }] })
  })

  test.each(['', ' ', '{"add":', `{"add":["${A}"]} x`])('no JSON: %j', async (body) => {
    const { ida, held } = await open()
    await ida.post(PATH, { add: [OLD] })
    expectRefusal(await ida.post(PATH, body), 400, 'invalid_json')
    expect(await held()).toEqual([OLD])
  })
})
