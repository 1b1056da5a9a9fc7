import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'

const LAN = ['http://192.168.1.20:8080', 'http://10.0.0.7:8080']

async function addresses(settings: Record<string, string>, headers?: Record<string, string>): Promise<unknown> {
  const app = startTestApp({ settings: { registration: 'open', ...settings }, addresses: () => LAN })
  await clientOf(app).post('/api/2/register', { username: 'ida', password: 'seaglass' })
  const { json } = await clientOf(app, headers).get('/api/2/server')
  return Reflect.get(Object(json), 'addresses')
}

test('only signed-in users see the addresses for their apps', async () => {
  const ida = basic('ida', 'seaglass')
  expect(await addresses({}, ida)).toEqual(LAN)
  const base_url = 'https://pods.example'
  expect(await addresses({ base_url }, ida)).toEqual([base_url])
  expect(await addresses({})).toEqual([])
})
