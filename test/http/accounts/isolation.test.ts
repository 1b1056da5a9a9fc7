import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'

const FEED = 'https://feeds.example/a'
const ACTION = { podcast: FEED, episode: 'https://cdn.example/1', action: 'play', device: 'phone' }

async function fill(client: Client, username: string): Promise<void> {
  await client.put(`/subscriptions/${username}/phone.txt`, FEED)
  await client.post(`/api/2/devices/${username}/desk.json`, { type: 'desktop' })
  await client.post(`/api/2/sync-devices/${username}.json`, { synchronize: [['phone', 'desk']] })
  await client.post(`/api/2/episodes/${username}.json`, [ACTION])
  await client.post(`/api/2/settings/${username}/account.json`, { set: { theme: 'dark' } })
  await client.post(`/api/2/settings/${username}/podcast.json?podcast=${FEED}`, { set: { public_subscription: false } })
}

test('two users with the same device IDs, feeds and episodes never touch, whatever one does, and when it is deleted', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  const bob = await signUp(app, 'bob')
  await fill(ida, 'ida')
  await fill(bob, 'bob')
  await app.idle()
  const everything = async () => [
    (await ida.get('/api/2/me/export')).text,
    (await ida.get('/api/2/subscriptions/ida/phone.json?since=1')).text,
    (await ida.get('/api/2/episodes/ida.json')).text,
  ]
  const before = await everything()
  await bob.post('/api/2/devices/bob/phone.json', { caption: "Bob's", type: 'server' })
  await bob.post('/api/2/subscriptions/bob/phone.json', { add: ['https://feeds.example/b'], remove: [FEED] })
  await bob.post('/api/2/episodes/bob.json', [{ ...ACTION, action: 'delete' }])
  await bob.put('/subscriptions/bob/desk.json', [])
  await bob.post('/api/2/settings/bob/account.json', { set: { theme: 'light' } })
  await bob.post(`/api/2/settings/bob/podcast.json?podcast=${FEED}`, { remove: ['public_subscription'] })
  await bob.post('/api/2/sync-devices/bob.json', { 'stop-synchronize': ['phone'] })
  for (const device of ['desk', 'phone']) await bob.delete(`/api/2/devices/bob/${device}.json`)
  expect(await everything()).toEqual(before)
  await fill(bob, 'bob')
  await app.services.administration.remove('bob', COMMAND_LINE)
  await app.idle()
  expect(await everything()).toEqual(before)
})
