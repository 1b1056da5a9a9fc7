import { expect, test } from 'bun:test'
import { clientOf, cookieOf } from '../../support/client.ts'
import { countedDatabase } from '../../support/database.ts'
import { A, CHANGES, DEVICES, EPISODES, openSync, PHONE } from './scene.ts'

/** When an app last used a device: requests of people with a browser do not count. */

const LIST = '/subscriptions/ida/phone.json'
const ACTION = { podcast: A, episode: `${A}/1`, action: 'play' }
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const NOW = '2025-03-02T11:00:00'

/** Ida with a phone and a desk that no app has used yet, an hour later. */
async function open() {
  const counted = countedDatabase()
  const { app, ida } = await openSync({ db: counted.db, settings: { rate_limit: 'false' } })
  const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  const browser = clientOf(app, { ...session, ...BROWSER })
  for (const device of ['phone', 'desk']) await browser.post(`/api/2/devices/ida/${device}.json`, {})
  app.clock.advance(3600)
  await app.idle()

  async function lastSeen(): Promise<Record<string, string>> {
    const list = (await browser.get(DEVICES)).json as { id: string; last_contact: string }[]
    return Object.fromEntries(list.map((device) => [device.id, device.last_contact]))
  }
  async function runJob(): Promise<void> {
    app.jobs.find(({ name }) => name === 'last seen')?.run()
    await app.idle()
  }
  return { app, ida, browser, lastSeen, runJob, during: counted.during }
}

/** Every request about a device that an app makes. */
const REQUESTS: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['POST', PHONE, { caption: 'Phone' }],
  ['GET', CHANGES, undefined],
  ['POST', CHANGES, { add: [A] }],
  ['GET', LIST, undefined],
  ['PUT', '/subscriptions/ida/phone.txt', A],
  ['GET', `${EPISODES}?device=phone`, undefined],
  ['POST', EPISODES, ['phone', 'phone'].map((device, position) => ({ ...ACTION, device, position }))],
  ['GET', '/api/2/settings/ida/device.json?device=phone', undefined],
  ['POST', '/api/2/settings/ida/device.json?device=phone', { set: { speed: 1 } }],
]

test.each(REQUESTS)('a device is seen with %s %s, but not by a browser', async (method, path, body) => {
  const { ida, browser, lastSeen } = await open()
  expect((await browser.call(method, path, { body })).status).toBe(200)
  expect(await lastSeen()).toEqual({ phone: '', desk: '' })
  expect((await ida.call(method, path, { body })).status).toBe(200)
  expect(await lastSeen()).toEqual({ phone: NOW, desk: '' })
})

test.each([
  ['is refused', 'POST', PHONE, { type: 'nonsense' }],
  ['groups devices', 'POST', '/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] }],
  ['names an invalid device', 'GET', `${EPISODES}?device=${'x'.repeat(5000)}`, undefined],
  ['concerns settings of the account', 'GET', '/api/2/settings/ida/account.json?device=phone', undefined],
  ['uploads malformed actions only', 'POST', EPISODES, [{ ...ACTION, action: 'nonsense', device: 'desk' }]],
])('a device is seen with no request that %s', async (_case, method, path, body) => {
  const { ida, lastSeen } = await open()
  await ida.call(method, path, { body })
  expect(await lastSeen()).toEqual({ phone: '', desk: '' })
})

test('it is written every five minutes, once for all requests, and not again without news', async () => {
  const { app, ida, lastSeen, runJob, during } = await open()
  expect(app.jobs.find(({ name }) => name === 'last seen')?.pattern).toBe('*/5 * * * *')
  for (let n = 0; n < 10; n++) await ida.get(LIST)
  await ida.get('/subscriptions/ida/desk.json')
  const updates = async () => (await during(runJob)).filter((sql) => sql.startsWith('UPDATE'))
  expect(await updates()).toHaveLength(2)
  expect(await updates()).toEqual([])
  expect(await lastSeen()).toEqual({ phone: NOW, desk: NOW })
})
