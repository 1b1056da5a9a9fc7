import { expect, test } from 'bun:test'
import { envName, isSecret, keys } from '../../../src/config/options.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { MEMORY_BYTES, startTestApp } from '../../support/app.ts'
import { type Client, clientOf, signUp } from '../../support/client.ts'

const SERVER = '/api/admin/server'

test('GET /api/admin/server reports the version, state and resources of the server', async () => {
  const settings = { base_url: 'https://pods.example/podcasts/', data_dir: '/srv/podcasts' }
  const app = startTestApp({ db: openMemoryDatabase(), settings })
  const ida = await signUp(app)
  app.clock.advance(90_061)
  app.db.run('CREATE TABLE ballast AS SELECT randomblob(1000000) AS weight')
  const pages = () => app.db.query<{ n: number }, []>('SELECT page_count AS n FROM pragma_page_count').get()?.n ?? 0
  expect((await ida.get(`/podcasts${SERVER}`)).json).toEqual({
    version: 'test',
    started: '2025-03-02T10:00:00',
    uptime_seconds: 90_061,
    database: { engine: 'sqlite', bytes: pages() * 4096, wal_bytes: 0 },
    memory_bytes: MEMORY_BYTES,
    base_url: 'https://pods.example/podcasts',
    data_dir: '/srv/podcasts',
    outbound: true,
    // An in-memory database has no disk.
    disk_free_bytes: null,
    jobs: app.jobs.map(({ name }) => name),
    backup: {
      ...{ enabled: true, running: false, last: null, last_good: null, overdue: false, keep: 3 },
      next: expect.stringMatching(/^2025-03-0[34]T/),
    },
  })
})

test('GET /api/admin/settings lists every setting, but of secrets only that they are set', async () => {
  const settings = {
    base_url: 'https://pods.example',
    ...{ smtp_host: 'mail.home.example', smtp_from: 'podcasts@home.example', smtp_user: 'ida' },
    ...{ oidc_issuer: 'https://id.home.example', oidc_client_id: 'podstep' },
    ...Object.fromEntries(keys.filter(isSecret).map((key) => [key, `hunter2 ${key}`])),
    database: 'postgres://ida:hunter2@db.home.example/podstep',
  }
  const { json, text } = await (await signUp(startTestApp({ settings }))).get('/api/admin/settings')
  expect(json).toBeArrayOfSize(keys.length)
  const description = expect.stringMatching(/^.{10,}\.$/)
  expect(json).toContainEqual({ key: 'port', value: '8080', origin: 'default', secret: false, description })
  for (const key of keys.filter(isSecret))
    expect(json).toContainEqual({ key, value: 'set', origin: 'environment', secret: true, description })
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain(envName('smtp_password'))
})

test('GET /api/admin/stats counts accounts in every state, and each feed once per user', async () => {
  const [A, B, C] = ['https://feeds.example/a', 'https://feeds.example/b', 'https://feeds.example/c']
  const app = startTestApp({ settings: { registration: 'invite' } })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole')
  const report = (client: Client, name: string, ...names: string[]) => {
    const rest = { podcast: A, action: 'download', timestamp: '2025-03-01T08:00:00' }
    return client.post(
      `/api/2/episodes/${name}.json`,
      names.map((each) => ({ ...rest, episode: `${A}/${each}` })),
    )
  }
  const expectStats = async (expected: object) =>
    expect((await ida.get('/api/admin/stats')).json).toMatchObject(expected)

  const kai = { username: 'kai', password: 'pebbles', email: 'kai@pods.example' }
  await clientOf(app).post('/api/2/register', kai)
  await ida.post('/api/admin/users/kai/deactivate')
  await ida.put('/subscriptions/ida/phone.json', [A, B])
  await ida.put('/subscriptions/ida/desk.json', [A])
  await expectStats({ users: 3, devices: 2, subscriptions: 2, podcasts: 2, episode_actions: 0 })
  await ole.put('/subscriptions/ole/phone.json', [A, C])
  await report(ida, 'ida', '1', '2', '1')
  await report(ida, 'ida', '2', '3')
  await report(ole, 'ole', '3')
  await expectStats({ devices: 3, subscriptions: 4, podcasts: 3, episode_actions: 4 })
  // A subscription ends with the last device that has it; a podcast stays.
  await ida.put('/subscriptions/ida/phone.json', [])
  await expectStats({ subscriptions: 3, podcasts: 3 })
  await ida.delete('/api/2/devices/ida/desk.json')
  await expectStats({ devices: 2, subscriptions: 2, podcasts: 3 })
  for (const name of ['ole', 'kai']) await ida.delete(`/api/admin/users/${name}`)
  await expectStats({ users: 1, subscriptions: 0, podcasts: 3, episode_actions: 3 })
})
