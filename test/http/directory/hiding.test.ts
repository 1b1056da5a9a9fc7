import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, clientOf, signUp } from '../../support/client.ts'

/** A podcast that becomes private disappears from public answers at once (docs/protocol.md#D56). */

const FEED = 'https://feeds.example/fog'
const SETTINGS = (name: string) => `/api/2/settings/${name}/podcast.json?podcast=${encodeURIComponent(FEED)}`
const PUBLIC = [
  '/toplist/50.json',
  '/toplist/50.opml',
  '/search.json?q=fog',
  '/api/2/tags/50.json',
  `/api/2/data/podcast.json?url=${encodeURIComponent(FEED)}`,
]

const change = (client: Client, name: string, body: object) =>
  client.post(`/api/2/subscriptions/${name}/phone.json`, body)
const hide = (client: Client, name: string) =>
  client.post(SETTINGS(name), { set: { public_subscription: false }, remove: [] })

/** Ida and ole subscribe to the podcast; ole hides it. */
async function open() {
  const app = startTestApp({ settings: { registration: 'open', rate_limit: 'false' } })
  const admin = await signUp(app, 'admin')
  const [ida, ole] = [await signUp(app, 'ida'), await signUp(app, 'ole')]
  for (const [client, name] of [[ida, 'ida'] as const, [ole, 'ole'] as const])
    await change(client, name, { add: [FEED], remove: [] })
  await hide(ole, 'ole')
  await app.indexed()
  const anyone = clientOf({ fetch: app.fetchAtOnce })
  const shown = async () => {
    const answers = await Promise.all(PUBLIC.map(async (path) => [path, (await anyone.get(path)).text] as const))
    return answers.filter(([, text]) => text.includes('fog')).map(([path]) => path)
  }
  return { app, admin, ida, ole, shown }
}

type World = Awaited<ReturnType<typeof open>>

test.each<[string, (world: World) => Promise<unknown>]>([
  ['hides it', ({ ida }) => hide(ida, 'ida')],
  ['unsubscribes', ({ ida }) => change(ida, 'ida', { add: [], remove: [FEED] })],
  ['removes the device', ({ ida }) => ida.delete('/api/2/devices/ida/phone.json')],
  ['is deactivated', ({ admin }) => admin.post('/api/admin/users/ida/deactivate')],
  ['is deleted', ({ admin }) => admin.delete('/api/admin/users/ida')],
])('a podcast becomes private at once if its last public subscriber %s', async (_case, act) => {
  const world = await open()
  expect(await world.shown()).toContain('/toplist/50.json')
  await act(world)
  expect(await world.shown()).toEqual([])
  await world.app.indexed()
  expect(await world.shown()).toEqual([])
})
