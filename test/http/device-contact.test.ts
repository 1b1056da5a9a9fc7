import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { countedDatabase } from '../support/database.ts'

const LIST = '/api/2/devices/ida.json'
const FEED = 'https://feeds.example/a'
const ACTION = { podcast: FEED, episode: `${FEED}/1`, action: 'play' }
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

const NOW = '2025-03-02T11:00:00'

/** Ida with a phone and a desk that no app has used yet, an hour later. */
async function open() {
  const counted = countedDatabase()
  const app = startTestApp({ db: counted.db, settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  const browser = clientOf(app, { ...session, ...BROWSER })
  for (const device of ['phone', 'desk']) await browser.post(`/api/2/devices/ida/${device}.json`, {})
  app.clock.advance(3600)
  await app.idle()

  async function lastSeen(client: Client = browser): Promise<Record<string, string>> {
    const { json } = await client.get(LIST)
    const list: { id: string; last_contact: string }[] = Array.isArray(json) ? json : []
    return Object.fromEntries(list.map((device) => [device.id, device.last_contact]))
  }
  async function run(job: string): Promise<void> {
    app.jobs.find(({ name }) => name === job)?.run()
    await app.idle()
  }
  /** As the next start of the server finds them. */
  const contactsAfterRestart = () => lastSeen(clientOf(startTestApp({ db: app.db, clock: app.clock }), session))
  return { app, ida, browser, lastSeen, contactsAfterRestart, run, during: counted.during }
}

/** Every request about a device that an app makes. */
const REQUESTS: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['POST', '/api/2/devices/ida/phone.json', { caption: 'Phone' }],
  ['PUT', '/api/2/devices/ida/phone.json', {}],
  ['GET', '/api/2/subscriptions/ida/phone.json?since=0', undefined],
  ['POST', '/api/2/subscriptions/ida/phone.json', { add: [FEED] }],
  ['GET', '/subscriptions/ida/phone.json', undefined],
  ['GET', '/subscriptions/ida/phone.txt', undefined],
  ['GET', '/subscriptions/ida/phone.opml', undefined],
  ['PUT', '/subscriptions/ida/phone.txt', FEED],
  ['POST', '/subscriptions/ida/phone.json', [FEED]],
  ['GET', '/api/2/episodes/ida.json?device=phone', undefined],
  ['POST', '/api/2/episodes/ida.json', [{ ...ACTION, device: 'phone' }]],
  ['GET', '/api/2/settings/ida/device.json?device=phone', undefined],
  ['POST', '/api/2/settings/ida/device.json?device=phone', { set: { speed: 1 } }],
]

describe('the last contact of a device', () => {
  test('is unknown at first', async () => {
    expect(await (await open()).lastSeen()).toEqual({ phone: '', desk: '' })
  })

  test.each(REQUESTS)('is %s %s', async (method, path, body) => {
    const { ida, lastSeen } = await open()
    expect((await ida.call(method, path, { body })).status).toBe(200)
    expect(await lastSeen()).toEqual({ phone: NOW, desk: '' })
  })

  test.each(REQUESTS)('is not %s %s by a browser that is signed in', async (method, path, body) => {
    const { browser, lastSeen } = await open()
    expect((await browser.call(method, path, { body })).status).toBe(200)
    expect(await lastSeen()).toEqual({ phone: '', desk: '' })
  })

  test.each([
    ['is refused', 'POST', '/api/2/devices/ida/phone.json', { type: 'nonsense' }],
    ['lists the devices', 'GET', LIST, undefined],
    ['lists everything', 'GET', '/subscriptions/ida.json', undefined],
    ['groups devices', 'POST', '/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] }],
    ['names no device', 'POST', '/api/2/episodes/ida.json', [ACTION]],
    ['asks for all actions', 'GET', '/api/2/episodes/ida.json', undefined],
    ['asks for what cannot be a device', 'GET', `/api/2/episodes/ida.json?device=${'x'.repeat(5000)}`, undefined],
    ['is about settings of the account', 'GET', '/api/2/settings/ida/account.json?device=phone', undefined],
    ['asks after a device of another case', 'GET', '/api/2/subscriptions/ida/Phone.json', undefined],
  ])('is no request that %s', async (_case, method, path, body) => {
    const { ida, lastSeen } = await open()
    await ida.call(method, path, { body })
    expect(await lastSeen()).toEqual({ phone: '', desk: '' })
  })

  test('is that of each device that an upload of actions names', async () => {
    const { ida, lastSeen } = await open()
    const items = ['phone', 'new', 'phone'].map((device, position) => ({ ...ACTION, device, position }))
    await ida.post('/api/2/episodes/ida.json', [...items, { ...ACTION, action: 'nonsense', device: 'desk' }])
    expect(await lastSeen()).toEqual({ phone: NOW, desk: '', new: NOW })
  })

  test('of a device that was removed is forgotten: another of its name has none', async () => {
    const { ida, browser, lastSeen, run } = await open()
    await ida.get('/subscriptions/ida/phone.json')
    await browser.delete('/api/2/devices/ida/phone.json')
    await browser.post('/api/2/devices/ida/phone.json', {})
    expect(await lastSeen()).toEqual({ desk: '', phone: '' })
    await run('contacts')
    expect(await lastSeen()).toEqual({ desk: '', phone: '' })
  })
})

describe('writing it down', () => {
  test('is done every five minutes, once for all, and not again without news', async () => {
    const { app, ida, lastSeen, run, during } = await open()
    expect(app.jobs.find(({ name }) => name === 'contacts')?.pattern).toBe('*/5 * * * *')
    for (let n = 0; n < 10; n++) await ida.get('/subscriptions/ida/phone.json')
    await ida.get('/subscriptions/ida/desk.json')
    const updates = async () => (await during(() => run('contacts'))).filter((sql) => sql.startsWith('UPDATE'))
    expect(await updates()).toHaveLength(2)
    expect(await updates()).toEqual([])
    expect(await lastSeen()).toEqual({ phone: NOW, desk: NOW })
  })

  test('is done when the server stops', async () => {
    const { app, ida, contactsAfterRestart } = await open()
    await ida.get('/subscriptions/ida/phone.json')
    app.beginStop()
    await app.idle()
    expect(await contactsAfterRestart()).toMatchObject({ phone: NOW })
  })
})
