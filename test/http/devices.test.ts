import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

/** Of the fake clock. */
const NOW = '2025-03-02T10:00:00'
const LIST = '/api/2/devices/ida.json'
const PHONE = '/api/2/devices/ida/phone.json'
const FEED = 'https://feeds.example/a'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const devices = async () => (await ida.get(LIST)).json
  return { app, ida, devices }
}

describe('the list of devices', () => {
  test('has exactly five keys, and counts what the device is subscribed to now', async () => {
    const { ida, devices } = await open()
    await ida.post(PHONE, { caption: 'Idas Handy', type: 'mobile' })
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [FEED, 'https://feeds.example/b'] })
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [FEED] })
    expect(await devices()).toEqual([
      { id: 'phone', caption: 'Idas Handy', type: 'mobile', subscriptions: 1, last_contact: NOW },
    ])
  })
})

describe('creating and changing a device', () => {
  test.each(['POST', 'PUT'])(
    '%s answers 200 with an empty body: mygpoclient takes any text for an error',
    async (method) => {
      const { ida, devices } = await open()
      const answer = await ida.call(method, PHONE, { body: { caption: 'Phone', type: 'laptop' } })
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(await devices()).toMatchObject([{ caption: 'Phone', type: 'laptop' }])
    },
  )

  test.each([
    ['an empty body', ''],
    ['an empty object', {}],
    ['nothing known', { caption_: 'x', colour: 'red' }],
  ])('%s only makes sure that it exists, called by its ID', async (_, body) => {
    const { ida, devices } = await open()
    expect(await ida.post(PHONE, body)).toMatchObject({ status: 200, text: '' })
    expect(await devices()).toEqual([
      { id: 'phone', caption: 'phone', type: 'other', subscriptions: 0, last_contact: NOW },
    ])
  })

  test.each([
    ['caption', { caption: 'New' }, { caption: 'New', type: 'server' }],
    ['type', { type: 'desktop' }, { caption: 'Old', type: 'desktop' }],
    ['neither', {}, { caption: 'Old', type: 'server' }],
  ])('only what is given changes: %s', async (_, change, after) => {
    const { ida, devices } = await open()
    await ida.post(PHONE, { caption: 'Old', type: 'server' })
    await ida.post(PHONE, change)
    expect(await devices()).toEqual([{ id: 'phone', subscriptions: 0, last_contact: NOW, ...after }])
  })

  test.each([
    ['mobile', 'mobile'],
    ['laptop', 'laptop'],
    ['desktop', 'desktop'],
    ['server', 'server'],
    ['other', 'other'],
    ['tablet', 'mobile'],
  ])('type %s is stored as %s (D30)', async (given, type) => {
    const { ida, devices } = await open()
    await ida.post(PHONE, { type: given })
    expect(await devices()).toMatchObject([{ type }])
  })

  test.each([
    ['surrounding white space is cut', '  Idas Handy \n', 'Idas Handy'],
    ['100 characters stay', 'é'.repeat(100), 'é'.repeat(100)],
    ['the 101st is cut', `${'a'.repeat(100)}b`, 'a'.repeat(100)],
    ['no character is cut in two', '🎧'.repeat(101), '🎧'.repeat(100)],
    ['markup is text', '<b>"&\'', '<b>"&\''],
  ])('caption: %s', async (_, given, caption) => {
    const { ida, devices } = await open()
    expect(await ida.post(PHONE, { caption: given })).toMatchObject({ status: 200 })
    expect(await devices()).toMatchObject([{ caption }])
  })

  test.each([
    ['an empty caption', { caption: '' }, 'caption'],
    ['a blank caption', { caption: ' \t' }, 'caption'],
    ['a caption that is a number', { caption: 7 }, 'caption'],
    ['a caption that is null', { caption: null }, 'caption'],
    ['an unknown type', { type: 'toaster' }, 'type'],
    ['a type in capitals', { type: 'Mobile' }, 'type'],
    ['an empty type', { type: '' }, 'type'],
    ['a type that is a list', { type: ['mobile'] }, 'type'],
    ['a good caption with a bad type', { caption: 'Changed', type: 'toaster' }, 'type'],
    ['a list', [], 'body'],
  ])('%s is refused and changes nothing', async (_, body, field) => {
    const { ida, devices } = await open()
    await ida.post(PHONE, { caption: 'Old', type: 'server' })
    expectRefusal(await ida.post(PHONE, body), 400, 'validation_failed', field)
    expectRefusal(await ida.post('/api/2/devices/ida/other.json', body), 400, 'validation_failed', field)
    expect(await devices()).toEqual([
      { id: 'phone', caption: 'Old', type: 'server', subscriptions: 0, last_contact: NOW },
    ])
  })
})

describe('device IDs (D13)', () => {
  test.each(['x'.repeat(65), 'my phone', ' phone', 'a,b', 'a%2Fb', '🎧', 'a"b', 'a\u0000b'])(
    '%j is none, on any path that takes one',
    async (id) => {
      const { ida, devices } = await open()
      const name = id.includes('%') ? id : encodeURIComponent(id)
      for (const [method, path, body] of [
        ['POST', `/api/2/devices/ida/${name}.json`, {}],
        ['PUT', `/api/2/devices/ida/${name}.json`, {}],
        ['DELETE', `/api/2/devices/ida/${name}.json`, undefined],
        ['POST', `/api/2/subscriptions/ida/${name}.json`, { add: [FEED] }],
        ['GET', `/api/2/subscriptions/ida/${name}.json`, undefined],
        ['PUT', `/subscriptions/ida/${name}.txt`, FEED],
        ['GET', `/subscriptions/ida/${name}.txt`, undefined],
      ] as const) {
        expectRefusal(await ida.call(method, path, { body }), 400, 'validation_failed', 'device')
      }
      expect(await devices()).toEqual([])
    },
  )
})

describe('deleting a device', () => {
  test('answers ok; its subscriptions and their history go, the actions stay and name it', async () => {
    const { ida, devices } = await open()
    const action = { podcast: FEED, episode: 'https://cdn.example/1', action: 'play', device: 'phone' }
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [FEED] })
    await ida.post('/api/2/episodes/ida.json', [action])
    expect(await ida.delete(PHONE)).toMatchObject({ status: 200, json: { status: 'ok' } })

    expect(await devices()).toEqual([])
    expect(await ida.get('/subscriptions/ida.txt')).toMatchObject({ status: 200, text: '' })
    expectRefusal(await ida.get('/subscriptions/ida/phone.txt'), 404, 'unknown_device')
    expect(await ida.get('/api/2/subscriptions/ida/phone.json?since=1')).toMatchObject({
      json: { add: [], remove: [] },
    })
    expect(await ida.get('/api/2/episodes/ida.json?device=phone')).toMatchObject({ json: { actions: [action] } })
  })

  test('the next write makes it anew, with nothing of its past', async () => {
    const { ida, devices } = await open()
    await ida.post(PHONE, { caption: 'Old', type: 'server' })
    await ida.put('/subscriptions/ida/phone.txt', FEED)
    await ida.delete(PHONE)
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [] })
    expect(await devices()).toEqual([
      { id: 'phone', caption: 'phone', type: 'other', subscriptions: 0, last_contact: NOW },
    ])
  })

  test.each([
    ['a device that never was', 'ghost'],
    ['one deleted before', 'phone'],
    ['another spelling', 'DESK'],
  ])('%s is not found', async (_, id) => {
    const { ida, devices } = await open()
    await ida.post('/api/2/devices/ida/desk.json')
    await ida.post(PHONE)
    await ida.delete(PHONE)
    expectRefusal(await ida.delete(`/api/2/devices/ida/${id}.json`), 404, 'unknown_device')
    expect(await devices()).toMatchObject([{ id: 'desk' }])
  })
})

describe('devices nobody announced', () => {
  test.each([
    ['an upload of changes', 'POST', '/api/2/subscriptions/ida/phone.json', { add: [] }],
    ['a whole list', 'PUT', '/subscriptions/ida/phone.txt', ''],
    [
      'an episode action',
      'POST',
      '/api/2/episodes/ida.json',
      [{ podcast: FEED, episode: 'https://cdn.example/1', action: 'new', device: 'phone' }],
    ],
  ])('are made by %s, called by their ID (D31)', async (_, method, path, body) => {
    const { ida, devices } = await open()
    expect(await ida.call(method, path, { body })).toMatchObject({ status: 200 })
    expect(await devices()).toEqual([
      { id: 'phone', caption: 'phone', type: 'other', subscriptions: 0, last_contact: NOW },
    ])
  })

  test.each([
    '/subscriptions/ida/phone.json',
    '/api/2/subscriptions/ida/phone.json',
    '/api/2/episodes/ida.json?device=phone',
  ])('are not made by reading %s', async (path) => {
    const { ida, devices } = await open()
    await ida.get(path)
    expect(await devices()).toEqual([])
  })
})
