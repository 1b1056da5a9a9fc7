import { expect, test } from 'bun:test'
import { clientOf, cookieOf } from '../../support/client.ts'
import { countedDatabase } from '../../support/database.ts'
import { A, BROWSER, CHANGES, DEVICES, EPISODES, GROUPS, openSync, PHONE, SETTINGS } from './scene.ts'

// When an app last used a device. Requests of browsers do not count.

const LIST = '/subscriptions/ida/phone.json'
const ACTION = { podcast: A, episode: `${A}/1`, action: 'play' }
const NOW = '2025-03-02T11:00:00'

/** Creates two devices that no app has used, and waits an hour. */
async function open() {
  const counted = countedDatabase()
  const { app, ida } = await openSync({ db: counted.db, settings: { rate_limit: 'false' } })
  const browser = clientOf(app, { ...cookieOf(await ida.post('/api/2/auth/ida/login.json')), ...BROWSER })
  for (const device of ['phone', 'desk']) await browser.post(`/api/2/devices/ida/${device}.json`, {})
  app.clock.advance(3600)
  await app.idle()

  async function lastSeen(): Promise<Record<string, string>> {
    const list = (await browser.get(DEVICES)).json as { id: string; last_contact: string }[]
    return Object.fromEntries(list.map((device) => [device.id, device.last_contact]))
  }
  return { app, ida, browser, lastSeen, during: counted.during }
}

/** Requests of apps about a device. */
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

test.each(REQUESTS)('%s %s counts as use of the device by an app, but not by a browser', async (method, path, body) => {
  const { ida, browser, lastSeen } = await open()
  expect((await browser.call(method, path, { body })).status).toBe(200)
  expect(await lastSeen()).toEqual({ phone: '', desk: '' })
  expect((await ida.call(method, path, { body })).status).toBe(200)
  expect(await lastSeen()).toEqual({ phone: NOW, desk: '' })
})

test.each([
  ['is refused', 'POST', PHONE, { type: 'nonsense' }],
  ['groups devices', 'POST', GROUPS, { synchronize: [['phone', 'desk']] }],
  ['names an invalid device', 'GET', `${EPISODES}?device=${'x'.repeat(5000)}`, undefined],
  ['concerns settings of the account', 'GET', `${SETTINGS}?device=phone`, undefined],
  ['uploads only malformed actions', 'POST', EPISODES, [{ ...ACTION, action: 'nonsense', device: 'desk' }]],
])('a request that %s is no use of a device', async (_case, method, path, body) => {
  const { ida, lastSeen } = await open()
  await ida.call(method, path, { body })
  expect(await lastSeen()).toEqual({ phone: '', desk: '' })
})

test('times are written every five minutes, once per device, and only if they changed', async () => {
  const { app, ida, lastSeen, during } = await open()
  const job = app.jobs.find(({ name }) => name === 'last seen')
  expect(job?.pattern).toBe('*/5 * * * *')
  for (let n = 0; n < 10; n++) await ida.get(LIST)
  await ida.get('/subscriptions/ida/desk.json')
  const updates = async () => {
    const statements = await during(async () => {
      job?.run()
      await app.idle()
    })
    return statements.filter((sql) => sql.startsWith('UPDATE'))
  }
  expect(await updates()).toHaveLength(2)
  expect(await updates()).toEqual([])
  expect(await lastSeen()).toEqual({ phone: NOW, desk: NOW })
})
