import { expect } from 'bun:test'
import { startTestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, signUp } from '../../support/client.ts'

export const A = 'https://feeds.example/a'
export const B = 'https://feeds.example/b'
export const OLD = 'https://feeds.example/old'

export const DEVICES = '/api/2/devices/ida.json'
export const EPISODES = '/api/2/episodes/ida.json'
export const GROUPS = '/api/2/sync-devices/ida.json'
export const SETTINGS = '/api/2/settings/ida/account.json'
export const PHONE = '/api/2/devices/ida/phone.json'
/** Subscription changes of the device "phone". */
export const CHANGES = '/api/2/subscriptions/ida/phone.json'

export const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

/** Starts a server with Ida's account, and returns short forms of common reads. */
export async function openSync(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  const ida = await signUp(app)
  return {
    app,
    ida,
    devices: async () => (await ida.get(DEVICES)).json,
    /** Feed URLs of a device. */
    held: async (device = 'phone') => [(await ida.get(`/subscriptions/ida/${device}.json`)).json].flat(),
    changesSince: (since: number | string, device = 'phone') =>
      ida.get(`/api/2/subscriptions/ida/${device}.json?since=${since}`),
    actions: async (query = '') => Reflect.get(Object((await ida.get(`${EPISODES}${query}`)).json), 'actions'),
  }
}

/** The `timestamp` of a successful response: whole Unix seconds in 32 bits, since Kasts reads no more. */
export function timestampOf({ status, json }: Answer): number {
  expect(status).toBe(200)
  const timestamp = typeof json === 'object' && json !== null && 'timestamp' in json ? json.timestamp : undefined
  if (typeof timestamp !== 'number') throw new Error('the response has no timestamp')
  expect(timestamp).toBe(timestamp | 0)
  return timestamp
}
