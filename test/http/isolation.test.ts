import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'

const FEED = 'https://feeds.example/a'
const ACTION = { podcast: FEED, episode: 'https://cdn.example/1', action: 'play', device: 'phone' }

/** Every route whose path names a user, but for login and logout, which answer in words of their own. */
const ROUTES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/api/2/devices/{u}.json'],
  ['POST', '/api/2/devices/{u}/phone.json', { caption: 'Stolen' }],
  ['PUT', '/api/2/devices/{u}/phone.json', { caption: 'Stolen' }],
  ['DELETE', '/api/2/devices/{u}/phone.json'],
  ['GET', '/api/2/sync-devices/{u}.json'],
  ['POST', '/api/2/sync-devices/{u}.json', { 'stop-synchronize': ['phone'] }],
  ['GET', '/subscriptions/{u}'],
  ['GET', '/subscriptions/{u}.json'],
  ['GET', '/subscriptions/{u}.jsonp?jsonp=f'],
  ['GET', '/subscriptions/{u}.txt'],
  ['GET', '/subscriptions/{u}.opml'],
  ['GET', '/subscriptions/{u}.xml'],
  ['GET', '/subscriptions/{u}/phone'],
  ['GET', '/subscriptions/{u}/phone.json'],
  ['GET', '/subscriptions/{u}/ghost.json'],
  ['PUT', '/subscriptions/{u}/phone.txt', 'https://evil.example/'],
  ['POST', '/subscriptions/{u}/phone.json', ['https://evil.example/']],
  ['GET', '/api/2/subscriptions/{u}/phone.json?since=0'],
  ['POST', '/api/2/subscriptions/{u}/phone.json', { remove: [FEED] }],
  ['GET', '/api/2/episodes/{u}.json'],
  ['POST', '/api/2/episodes/{u}.json', [{ ...ACTION, action: 'delete' }]],
  ['GET', '/api/2/settings/{u}/account.json'],
  ['GET', '/api/2/settings/{u}/device.json?device=ghost'],
  ['POST', '/api/2/settings/{u}/account.json', { set: { theme: 'stolen' } }],
  ['POST', `/api/2/settings/{u}/podcast.json?podcast=${FEED}`, { remove: ['public_subscription'] }],
]

/** Everything the account shows of itself. */
async function everything(client: Client, username: string): Promise<string[]> {
  const shown: string[] = []
  for (const path of [
    `/api/2/devices/${username}.json`,
    `/api/2/sync-devices/${username}.json`,
    `/subscriptions/${username}.txt`,
    `/subscriptions/${username}/phone.txt`,
    `/subscriptions/${username}/desk.txt`,
    `/api/2/subscriptions/${username}/phone.json?since=1`,
    `/api/2/episodes/${username}.json`,
    `/api/2/settings/${username}/account.json`,
    `/api/2/settings/${username}/podcast.json?podcast=${FEED}`,
  ]) {
    shown.push((await client.get(path)).text)
  }
  return shown
}

async function fill(client: Client, username: string): Promise<void> {
  await client.put(`/subscriptions/${username}/phone.txt`, FEED)
  await client.post(`/api/2/devices/${username}/desk.json`, { type: 'desktop' })
  await client.post(`/api/2/sync-devices/${username}.json`, { synchronize: [['phone', 'desk']] })
  await client.post(`/api/2/episodes/${username}.json`, [ACTION])
  await client.post(`/api/2/settings/${username}/account.json`, { set: { theme: 'dark' } })
  await client.post(`/api/2/settings/${username}/podcast.json?podcast=${FEED}`, { set: { public_subscription: false } })
}

async function open() {
  const app = startTestApp()
  // The first account is an administrator: that opens nobody's data either.
  const admin = await signUp(app, 'ada')
  const ida = await signUp(app, 'ida')
  const bob = await signUp(app, 'bob')
  await fill(ida, 'ida')
  return { app, admin, ida, bob }
}

describe('a path that names somebody else is forbidden, whether or not there is such a user (D23)', () => {
  test.each([
    ['another case', 'IDA'],
    ['a space behind', 'ida%20'],
    ['a percent sign that is one', '%2569da'],
    ['a name that begins alike', 'bobby'],
    ['an alias that others have', 'current'],
    ['a Kelvin sign, which folds to k', 'bo%E2%84%AA'],
  ])('however the name is spelt: %s', async (_, name) => {
    const { bob } = await open()
    for (const [method, path, body] of ROUTES)
      expectRefusal(await bob.call(method, path.replace('{u}', name), { body }), 403, 'forbidden')
  })
})

describe('two users with the same device IDs, feeds and episodes', () => {
  test('never touch: whatever one does, the other has what they had', async () => {
    const { ida, bob } = await open()
    await fill(bob, 'bob')
    const before = await everything(ida, 'ida')
    await bob.post('/api/2/devices/bob/phone.json', { caption: "Bob's", type: 'server' })
    await bob.post('/api/2/subscriptions/bob/phone.json', { add: ['https://feeds.example/b'], remove: [FEED] })
    await bob.post('/api/2/episodes/bob.json', [{ ...ACTION, action: 'delete' }])
    await bob.put('/subscriptions/bob/desk.json', [])
    await bob.post('/api/2/settings/bob/account.json', { set: { theme: 'light' } })
    await bob.post(`/api/2/settings/bob/podcast.json?podcast=${FEED}`, { remove: ['public_subscription'] })
    await bob.post('/api/2/sync-devices/bob.json', { 'stop-synchronize': ['phone'] })
    await bob.delete('/api/2/devices/bob/desk.json')
    await bob.delete('/api/2/devices/bob/phone.json')
    expect(await everything(ida, 'ida')).toEqual(before)
  })

  test('a deleted account leaves the other alone', async () => {
    const { app, ida, bob } = await open()
    await fill(bob, 'bob')
    const before = await everything(ida, 'ida')
    await app.services.administration.remove('bob', COMMAND_LINE)
    expect(await everything(ida, 'ida')).toEqual(before)
    expectRefusal(await bob.get('/subscriptions/bob.json'), 401, 'invalid_credentials')
  })

  test('a new account of an old name starts with nothing', async () => {
    const { app, bob } = await open()
    await fill(bob, 'bob')
    const cookie = cookieOf(await bob.post('/api/2/auth/bob/login.json'))
    await app.services.administration.remove('bob', COMMAND_LINE)
    const anew = await signUp(app, 'bob', 'driftwood')
    expect((await anew.get('/api/2/devices/bob.json')).json).toEqual([])
    expect(await anew.get('/api/2/episodes/bob.json')).toMatchObject({ json: { actions: [], timestamp: 1 } })
    expectRefusal(await clientOf(app, cookie).get('/api/2/devices/bob.json'), 401, 'unauthorized')
    expectRefusal(await clientOf(app, basic('bob', 'seaglass')).get('/api/2/me'), 401, 'invalid_credentials')
  })
})
