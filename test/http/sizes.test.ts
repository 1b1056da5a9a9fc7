import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const DELTA = '/api/2/subscriptions/ida/phone.json'
const EPISODES = '/api/2/episodes/ida.json'
const MIB = 1024 * 1024

async function open() {
  const ida = await signUp(startTestApp())
  const devices = async () => (await ida.get('/api/2/devices/ida.json')).json
  return { ida, devices }
}

describe('20,000 feeds, as many as a request may hold', () => {
  const feeds = Array.from({ length: 20_000 }, (_, n) => `https://feeds.example/podcasts/${n}/feed.xml`)

  test('can be added, listed, replaced and removed, each in one request', async () => {
    const { ida, devices } = await open()
    expect(await ida.post(DELTA, { add: feeds })).toMatchObject({ status: 200, json: { update_urls: [] } })
    expect(await devices()).toMatchObject([{ subscriptions: 20_000 }])
    const { text } = await ida.get('/subscriptions/ida/phone.txt')
    expect(text.split('\n').length).toBe(20_001)
    expect(await ida.put('/subscriptions/ida/phone.txt', text)).toMatchObject({ status: 200, text: '' })
    expect((await ida.post(DELTA, { remove: feeds })).status).toBe(200)
    expect(await devices()).toMatchObject([{ subscriptions: 0 }])
  }, 30_000)

  test('rejected ones are all reported, in strings', async () => {
    const { ida, devices } = await open()
    const add = feeds.map((feed) => feed.replace('https', 'gopher'))
    const { status, text } = await ida.post(DELTA, { add })
    expect(status).toBe(200)
    expect(text.match(/\["gopher:[^"]*",""\]/g)).toHaveLength(20_000)
    expect(await devices()).toMatchObject([{ subscriptions: 0 }])
  }, 30_000)
})

describe('too much is refused and changes nothing', () => {
  const long = `https://feeds.example/${'a'.repeat(11 * MIB)}`

  test.each([
    ['POST', '/api/2/devices/ida/phone.json', { caption: long }],
    ['POST', '/api/2/sync-devices/ida.json', { synchronize: [[long]] }],
    ['POST', DELTA, { add: [long] }],
    ['PUT', '/subscriptions/ida/phone.txt', long],
    ['POST', EPISODES, [{ podcast: long }]],
  ])('11 MiB: %s %s', async (method, path, body) => {
    const { ida, devices } = await open()
    expectRefusal(await ida.call(method, path, { body }), 413, 'payload_too_large')
    expect(await devices()).toEqual([])
  })
})

describe('JSON nested without end harms nobody', () => {
  const deep = '['.repeat(500_000) + ']'.repeat(500_000)

  test.each([
    ['POST', '/api/2/devices/ida/phone.json', `{"caption":${deep}}`],
    ['POST', '/api/2/sync-devices/ida.json', `{"synchronize":${deep}}`],
    ['POST', DELTA, `{"add":${deep}}`],
    ['PUT', '/subscriptions/ida/phone.json', deep],
    ['POST', EPISODES, deep],
  ])('%s %s is refused', async (method, path, body) => {
    const { ida, devices } = await open()
    expect((await ida.call(method, path, { body })).status).toBe(400)
    expect(await devices()).toEqual([])
  })
})

test('OPML nested 90,000 deep is read like any other', async () => {
  const { ida } = await open()
  const nested = `${'<outline>'.repeat(90_000)}<outline xmlUrl="https://x.example/"/>${'</outline>'.repeat(90_000)}`
  expect((await ida.put('/subscriptions/ida/phone.opml', `<opml><body>${nested}</body></opml>`)).status).toBe(200)
  expect((await ida.get('/subscriptions/ida/phone.txt')).text).toBe('https://x.example/\n')
})

describe('a sync request', () => {
  test('may name a device 3,000 times', async () => {
    const { ida } = await open()
    await ida.post('/api/2/devices/ida/phone.json')
    await ida.post('/api/2/devices/ida/desk.json')
    const lists = Array.from({ length: 3_000 }, () => ['phone', 'desk', 'phone'])
    expect(await ida.post('/api/2/sync-devices/ida.json', { synchronize: lists })).toMatchObject({
      status: 200,
      json: { synchronized: [['phone', 'desk']], 'not-synchronized': [] },
    })
  })

  test('with one unknown device among 3,000 is refused whole', async () => {
    const { ida } = await open()
    await ida.post('/api/2/devices/ida/phone.json')
    await ida.post('/api/2/devices/ida/desk.json')
    const lists = [...Array.from({ length: 3_000 }, () => ['phone', 'desk']), ['desk', 'ghost']]
    expectRefusal(await ida.post('/api/2/sync-devices/ida.json', { synchronize: lists }), 404, 'unknown_device')
    expect((await ida.get('/api/2/sync-devices/ida.json')).json).toMatchObject({ synchronized: [] })
  })
})
