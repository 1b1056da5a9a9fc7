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

  test('reaches only its own device', async () => {
    const { ida } = await open()
    await ida.post('/api/2/subscriptions/ida/desk.json', { add: [A] })
    await ida.post(PATH, { add: [B], remove: [A] })
    expect(await ida.get('/subscriptions/ida/desk.json')).toMatchObject({ json: [A] })
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
})
