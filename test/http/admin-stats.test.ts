import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, clientOf, signUp } from '../support/client.ts'

const [A, B, C] = ['https://feeds.example/a', 'https://feeds.example/b', 'https://feeds.example/c']

/** Administrator ida, and ole. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite' } })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole')
  const subscribe = (client: Client, name: string, device: string, ...feeds: string[]) =>
    client.put(`/subscriptions/${name}/${device}.txt`, feeds.join('\n'))
  const report = (client: Client, name: string, ...episodes: string[]) =>
    client.post(
      `/api/2/episodes/${name}.json`,
      episodes.map((episode) => ({ podcast: A, episode, action: 'download', timestamp: '2025-03-01T08:00:00' })),
    )
  const stats = async () => {
    const { status, json } = await ida.get('/api/admin/stats')
    expect(status).toBe(200)
    return json
  }
  return { app, ida, ole, anyone: clientOf(app), subscribe, report, stats }
}

describe('GET /api/admin/stats', () => {
  test('counts accounts in every state, until they are deleted', async () => {
    const { ida, anyone, stats } = await open()
    expect(await stats()).toMatchObject({ users: 2 })
    await anyone.post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
    expect(await stats()).toMatchObject({ users: 3 })
    await ida.post('/api/admin/users/ole/deactivate')
    expect(await stats()).toMatchObject({ users: 3 })
    await ida.delete('/api/admin/users/ole')
    expect(await stats()).toMatchObject({ users: 2 })
  })

  test('counts a subscription once per user and feed, on however many devices it is', async () => {
    const { ida, ole, subscribe, stats } = await open()
    await subscribe(ida, 'ida', 'phone', A, B)
    await subscribe(ida, 'ida', 'desk', A)
    expect(await stats()).toMatchObject({ devices: 2, subscriptions: 2, podcasts: 2 })
    await subscribe(ole, 'ole', 'phone', A, C)
    expect(await stats()).toMatchObject({ devices: 3, subscriptions: 4, podcasts: 3 })
  })

  test('forgets a subscription with the last device that has it, but never a podcast', async () => {
    const { ida, ole, subscribe, stats } = await open()
    await subscribe(ida, 'ida', 'phone', A, B)
    await subscribe(ida, 'ida', 'desk', A)
    await subscribe(ole, 'ole', 'phone', A)
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A, B] })
    expect(await stats()).toMatchObject({ subscriptions: 2, podcasts: 2 })
    await ida.delete('/api/2/devices/ida/desk.json')
    expect(await stats()).toMatchObject({ subscriptions: 1, podcasts: 2 })
    await ida.delete('/api/admin/users/ole')
    expect(await stats()).toMatchObject({ subscriptions: 0, podcasts: 2 })
  })

  test('counts a stored action once, however often it was uploaded', async () => {
    const { ida, ole, report, stats } = await open()
    await report(ida, 'ida', `${A}/1`, `${A}/2`, `${A}/1`)
    expect(await stats()).toMatchObject({ episode_actions: 2 })
    for (let n = 0; n < 2; n++) await report(ida, 'ida', `${A}/2`, `${A}/3`)
    expect(await stats()).toMatchObject({ episode_actions: 3 })
    await report(ole, 'ole', `${A}/3`)
    expect(await stats()).toMatchObject({ episode_actions: 4 })
  })
})
