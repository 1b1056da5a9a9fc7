import { expect } from 'bun:test'
import { startTestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, signUp } from '../../support/client.ts'

export const A = 'https://feeds.example/a'
export const B = 'https://feeds.example/b'
export const OLD = 'https://feeds.example/old'

export const DEVICES = '/api/2/devices/ida.json'
export const EPISODES = '/api/2/episodes/ida.json'
/** Of the device "phone". */
export const PHONE = '/api/2/devices/ida/phone.json'
export const CHANGES = '/api/2/subscriptions/ida/phone.json'

/** A server on which ida has an account, and what tests of her data read again and again. */
export async function openSync(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  const ida = await signUp(app)
  return {
    app,
    ida,
    devices: async () => (await ida.get(DEVICES)).json,
    /** The feed URLs of a device. */
    held: async (device = 'phone') => [(await ida.get(`/subscriptions/ida/${device}.json`)).json].flat(),
    changesSince: (since: number | string, device = 'phone') =>
      ida.get(`/api/2/subscriptions/ida/${device}.json?since=${since}`),
    actions: async (query = '') => Reflect.get(Object((await ida.get(`${EPISODES}${query}`)).json), 'actions'),
  }
}

/** The `timestamp` of a successful answer: Unix seconds as a whole number that fits 32 bits, as Kasts reads it. */
export function timestampOf({ status, json }: Answer): number {
  expect(status).toBe(200)
  const timestamp = typeof json === 'object' && json !== null && 'timestamp' in json ? json.timestamp : undefined
  if (typeof timestamp !== 'number') throw new Error('the answer has no timestamp')
  expect(timestamp).toBe(timestamp | 0)
  return timestamp
}
