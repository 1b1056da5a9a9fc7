import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'
import { timestampOf } from './timestamp.ts'

const PATH = '/api/2/sync-devices/ida.json'

const feed = (name: string) => `https://feeds.example/${name}`

/** Ida's account with devices in this order, each subscribed to the feeds of its name: `{ phone: 'ab' }` has feeds a and b. */
async function open(devices: Record<string, string> = {}) {
  const app = startTestApp()
  const ida = await signUp(app)
  for (const [device, feeds] of Object.entries(devices)) {
    await ida.put(`/subscriptions/ida/${device}.txt`, [...feeds].map(feed).join('\n'))
  }
  const groups = (...lists: string[][]) => ida.post(PATH, { synchronize: lists })
  return { app, ida, groups }
}

/** The feeds of a device, as the letters of `open`, in alphabetical order. */
async function held(client: Client, device: string): Promise<string> {
  const { text } = await client.get(`/subscriptions/ida/${device}.txt`)
  const names = [...text.matchAll(/example\/(.*)\n/g)].map(([, name = '']) => name)
  return names.toSorted((a, b) => a.localeCompare(b)).join('')
}

async function heldBy(client: Client, ...devices: string[]): Promise<string[]> {
  const all: string[] = []
  for (const device of devices) all.push(await held(client, device))
  return all
}

describe('the status', () => {
  test('has both keys even when there is nothing to tell', async () => {
    const { ida } = await open()
    expect(await ida.get(PATH)).toMatchObject({ status: 200, json: { synchronized: [], 'not-synchronized': [] } })
  })
})

describe('forming a group', () => {
  test('gives every member the union at once, each as an addition in its next delta (D35)', async () => {
    const { ida, groups } = await open({ phone: 'ab', desk: 'bc', car: 'd' })
    const since = timestampOf(await ida.get('/api/2/subscriptions/ida/phone.json'))
    expect(await groups(['phone', 'desk'])).toMatchObject({
      status: 200,
      json: { synchronized: [['phone', 'desk']], 'not-synchronized': ['car'] },
    })
    expect(await heldBy(ida, 'phone', 'desk', 'car')).toEqual(['abc', 'abc', 'd'])
    const delta = async (device: string) =>
      (await ida.get(`/api/2/subscriptions/ida/${device}.json?since=${since}`)).json
    expect(await delta('phone')).toMatchObject({ add: [feed('c')], remove: [] })
    expect(await delta('desk')).toMatchObject({ add: [feed('a')], remove: [] })
    expect(await delta('car')).toMatchObject({ add: [], remove: [] })
  })

  test('brings back what one member had removed and another still has', async () => {
    const { ida, groups } = await open({ phone: 'a', desk: 'a' })
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [feed('a')] })
    await groups(['phone', 'desk'])
    expect(await heldBy(ida, 'phone', 'desk')).toEqual(['a', 'a'])
  })

  test('again changes nothing and does not tick', async () => {
    const { ida, groups } = await open({ phone: 'a', desk: 'b' })
    await groups(['phone', 'desk'])
    const before = (await ida.get('/api/2/subscriptions/ida/phone.json')).json
    await groups(['desk', 'phone'])
    expect((await ida.get('/api/2/subscriptions/ida/phone.json')).json).toEqual(before)
  })
})

describe('in a group', () => {
  test.each([
    ['phone', 'desk'],
    ['desk', 'phone'],
  ])('what %s adds and removes happens on %s too, and on no other device', async (writer, reader) => {
    const { ida, groups } = await open({ phone: 'a', desk: '', car: 'a' })
    await groups(['phone', 'desk'])
    const answer = await ida.post(`/api/2/subscriptions/ida/${writer}.json`, { add: [feed('b')], remove: [feed('a')] })
    expect(answer).toMatchObject({ status: 200 })
    expect(await heldBy(ida, writer, reader, 'car')).toEqual(['b', 'b', 'a'])
    expect(await ida.get(`/api/2/subscriptions/ida/${reader}.json?since=1`)).toMatchObject({
      json: { add: [feed('b')], remove: [feed('a')] },
    })
  })

  test('a replaced list replaces the list of every member', async () => {
    const { ida, groups } = await open({ phone: 'a', desk: 'b', car: 'c' })
    await groups(['phone', 'desk'])
    await ida.put('/subscriptions/ida/desk.json', [feed('b'), feed('z')])
    expect(await heldBy(ida, 'phone', 'desk', 'car')).toEqual(['bz', 'bz', 'c'])
  })

  test('a device that is deleted leaves, and the others keep what it brought', async () => {
    const { ida, groups } = await open({ a: '1', b: '2', c: '3' })
    await groups(['a', 'b', 'c'])
    await ida.delete('/api/2/devices/ida/a.json')
    expect((await ida.get(PATH)).json).toEqual({ synchronized: [['b', 'c']], 'not-synchronized': [] })
    await ida.delete('/api/2/devices/ida/b.json')
    expect((await ida.get(PATH)).json).toEqual({ synchronized: [], 'not-synchronized': ['c'] })
    expect(await heldBy(ida, 'c')).toEqual(['123'])
  })
})

describe('leaving a group', () => {
  test('keeps the subscriptions, and later changes no longer travel', async () => {
    const { ida, groups } = await open({ a: '1', b: '2', c: '3' })
    await groups(['a', 'b', 'c'])
    expect((await ida.post(PATH, { 'stop-synchronize': ['b'] })).json).toEqual({
      synchronized: [['a', 'c']],
      'not-synchronized': ['b'],
    })
    await ida.post('/api/2/subscriptions/ida/a.json', { add: [feed('4')], remove: [feed('1')] })
    await ida.post('/api/2/subscriptions/ida/b.json', { add: [feed('5')] })
    expect(await heldBy(ida, 'a', 'b', 'c')).toEqual(['234', '1235', '234'])
  })

  test('of two dissolves the group for both', async () => {
    const { ida, groups } = await open({ phone: 'a', desk: 'b' })
    await groups(['phone', 'desk'])
    expect((await ida.post(PATH, { 'stop-synchronize': ['phone'] })).json).toEqual({
      synchronized: [],
      'not-synchronized': ['phone', 'desk'],
    })
    await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [feed('a')] })
    expect(await heldBy(ida, 'phone', 'desk')).toEqual(['ab', 'b'])
  })
})

describe('a request that cannot be carried out changes nothing at all', () => {
  test.each([
    ['unknown in the first list', { synchronize: [['a', 'ghost']] }],
    [
      'unknown after a good list',
      {
        synchronize: [
          ['a', 'c'],
          ['b', 'ghost'],
        ],
      },
    ],
    ['unknown and alone', { synchronize: [['ghost']] }],
    ['unknown and to stop', { synchronize: [['a', 'c']], 'stop-synchronize': ['d', 'ghost'] }],
    ['known in another spelling', { synchronize: [['a', 'C']] }],
  ])('404: %s', async (_, body) => {
    const { ida, groups } = await open({ a: '1', b: '2', c: '3', d: '4' })
    await groups(['b', 'd'])
    const before = [await ida.get(PATH), await ida.get('/api/2/subscriptions/ida/a.json?since=0')]
    expectRefusal(await ida.post(PATH, body), 404, 'unknown_device')
    const after = [await ida.get(PATH), await ida.get('/api/2/subscriptions/ida/a.json?since=0')]
    expect(after.map(({ json }) => json)).toEqual(before.map(({ json }) => json))
    expect(await heldBy(ida, 'a', 'b', 'c', 'd')).toEqual(['1', '24', '3', '24'])
  })

  test.each([
    ['a flat list', { synchronize: ['a', 'c'] }, 'synchronize'],
    ['numbers', { synchronize: [['a', 7]] }, 'synchronize'],
    ['null inside', { synchronize: [['a', null]] }, 'synchronize'],
    ['text', { 'stop-synchronize': 'a' }, 'stop-synchronize'],
    ['nested', { synchronize: [['a', 'c']], 'stop-synchronize': [['b']] }, 'stop-synchronize'],
    ['a list', [['a', 'c']], 'body'],
    [
      'what cannot be a device ID',
      {
        synchronize: [
          ['a', 'c'],
          ['b', '!'],
        ],
      },
      'device',
    ],
  ])('400: %s', async (_, body, field) => {
    const { ida } = await open({ a: '1', b: '2', c: '3' })
    expectRefusal(await ida.post(PATH, body), 400, 'validation_failed', field)
    expect((await ida.get(PATH)).json).toEqual({ synchronized: [], 'not-synchronized': ['a', 'b', 'c'] })
    expect(await heldBy(ida, 'a', 'b', 'c')).toEqual(['1', '2', '3'])
  })
})

describe('users', () => {
  test('do not see, join or change the devices of others, even under the same IDs', async () => {
    const { app, ida } = await open({ phone: 'a', desk: 'b' })
    const bob = await signUp(app, 'bob')
    await bob.put('/subscriptions/bob/phone.txt', feed('c'))
    expectRefusal(
      await bob.post('/api/2/sync-devices/bob.json', { synchronize: [['phone', 'desk']] }),
      404,
      'unknown_device',
    )
    await bob.put('/subscriptions/bob/desk.txt', feed('d'))
    await bob.post('/api/2/sync-devices/bob.json', { synchronize: [['phone', 'desk']] })
    await bob.post('/api/2/subscriptions/bob/desk.json', { remove: [feed('c')] })
    expect((await ida.get(PATH)).json).toEqual({ synchronized: [], 'not-synchronized': ['phone', 'desk'] })
    expect(await heldBy(ida, 'phone', 'desk')).toEqual(['a', 'b'])
    expect((await bob.get('/subscriptions/bob/phone.txt')).text).toBe(`${feed('d')}\n`)
  })
})
