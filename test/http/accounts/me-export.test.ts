import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, cookieOf, signUp } from '../../support/client.ts'
import { countedDatabase } from '../../support/database.ts'
import { recordAt } from '../../support/openapi.ts'

const PATH = '/api/2/me/export'
const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const EPISODE = 'https://cdn.example/1.mp3'

async function open(parts: Parameters<typeof startTestApp>[0] = {}) {
  const app = startTestApp({ settings: { rate_limit: 'false' }, ...parts })
  return { app, ida: await signUp(app, 'ida', 'seaglass', 'Ida@Pods.example') }
}

/** Adds data of every kind. */
async function fill(ida: Client): Promise<void> {
  await ida.post('/api/2/devices/ida/phone.json', { caption: 'Ida’s “phone” \\ 🎧', type: 'mobile' })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [B] })
  await ida.post('/api/2/devices/ida/desk.json', {})
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
  await ida.post('/api/2/settings/ida/account.json', '{"set":{"number":1.0000000000000000001,"text":"\\"}"}}')
  await ida.post('/api/2/settings/ida/device.json?device=phone', { set: { speed: 1.5 } })
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${A}`, { set: { public_subscription: true } })
  await ida.post(`/api/2/settings/ida/episode.json?podcast=${A}&episode=${EPISODE}`, { set: { is_favorite: true } })
  await ida.post('/api/2/lists/ida/create.json?title=Sea%20stuff', [B, A])
  await ida.post('/api/2/lists/ida/create.json?title=Empty', [])
  await ida.post('/api/2/chapters/ida.json', { podcast: A, episode: EPISODE, chapters_add: [{ start: 1, end: 2 }] })
  await ida.post('/api/2/episodes/ida.json', [
    { podcast: A, episode: EPISODE, action: 'download', timestamp: '2025-03-01T09:00:00' },
    { podcast: A, episode: EPISODE, device: 'phone', action: 'play', timestamp: '2025-03-01T10:00:00', position: 61 },
  ])
}

test('an export is a file with all data of the account, but no password, session or token', async () => {
  const { app, ida } = await open()
  await fill(ida)
  await app.rowsOf(
    `INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (1, 'https://id.example', '7', 1740909600)`,
  )
  const password = (hash: string) =>
    `INSERT INTO app_passwords (user_id, password_hash, name, scope, created_at) VALUES (1, ${hash}, 'Phone', 'read', 1740909600)`
  const hex = 'ab'.repeat(32)
  await app.rowsOf({ sqlite: password(`x'${hex}'`), postgres: password(`'\\x${hex}'`) })
  const webhook = { url: 'https://hooks.example/a?token=opensesame', format: 'json', events: ['new_device'] }
  expect((await ida.put('/api/2/me/webhook', webhook)).status).toBe(200)
  const { cookie = '' } = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  const { headers, json, text } = await ida.get(PATH)
  expect(headers.get('content-disposition')).toBe('attachment; filename="podstep-ida-2025-03-02.json"')
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  const added = [{ url: A, added: '2025-03-02T10:00:00' }]
  const action = { podcast: A, episode: EPISODE }
  expect(text).not.toMatch(/opensesame|whsec/)
  expect(json).toMatchObject({
    account: {
      ...{ username: 'ida', email: 'Ida@Pods.example', is_admin: true },
      identities: [{ issuer: 'https://id.example', subject: '7', linked: '2025-03-02T10:00:00' }],
      app_passwords: [{ name: 'Phone', scope: 'read', created: '2025-03-02T10:00:00', last_used: '', client: '' }],
      webhook: { site: 'https://hooks.example', format: 'json', events: ['new_device'] },
    },
    devices: [
      {
        ...{ id: 'phone', caption: 'Ida’s “phone” \\ 🎧', type: 'mobile', last_contact: '2025-03-02T10:00:00' },
        ...{ subscriptions: added, unsubscribed: [{ url: B, removed: '2025-03-02T10:00:00' }] },
      },
      { id: 'desk', subscriptions: added, unsubscribed: [] },
    ],
    sync_groups: [['phone', 'desk']],
    settings: [
      { scope: 'account', settings: { text: '"}' } },
      { scope: 'device', device: 'phone', settings: { speed: 1.5 } },
      { scope: 'episode', podcast: A, episode: EPISODE, settings: { is_favorite: true } },
      { scope: 'podcast', podcast: A, settings: { public_subscription: true } },
    ],
    favorites: [{ podcast: A, episode: EPISODE, added: '2025-03-02T10:00:00' }],
    podcast_lists: [
      { name: 'empty', title: 'Empty', podcasts: [] },
      { name: 'sea-stuff', title: 'Sea stuff', podcasts: [B, A] },
    ],
    chapters: [{ podcast: A, episode: EPISODE, start: 1, end: 2, label: '', advertisement: false }],
    episode_actions: [
      { ...action, action: 'download', timestamp: '2025-03-01T09:00:00' },
      { ...action, device: 'phone', action: 'play', timestamp: '2025-03-01T10:00:00', position: 61 },
    ],
  })
  for (const secret of ['seaglass', 'cheap:', cookie.slice('sessionid='.length)]) expect(text).not.toContain(secret)
  const [session] = await app.rowsOf<{ hash: Uint8Array }>('SELECT token_hash AS hash FROM sessions')
  expect(text.toLowerCase()).not.toContain(Buffer.from(session?.hash ?? [0]).toString('hex'))
})

test('a long export is complete, without duplicates, and is read only as far as the client reads', async () => {
  const [ACTIONS, SETTINGS, FEEDS, REMOVED] = [3500, 130, 2300, 1100]
  const { db, during } = countedDatabase()
  const { app, ida } = await open({ db })
  const feeds = Array.from({ length: FEEDS }, (_, n) => `https://feeds.example/${n}`)
  const phone = '/api/2/subscriptions/ida/phone.json'
  await ida.post(phone, { add: feeds })
  const named = Object.fromEntries(feeds.map((url, n) => [url, `Title ${n}`]))
  await ida.post(phone, { remove: feeds.slice(0, REMOVED), titles: named })
  const items = Array.from({ length: ACTIONS }, (_, n) => ({ podcast: A, episode: `${A}/${n}`, action: 'new' }))
  await ida.post('/api/2/episodes/ida.json', items)
  const targets = JSON.stringify(feeds.slice(0, SETTINGS))
  app.db.run(`INSERT INTO settings SELECT 1, 'podcast', value, '{"a":1}', NULL FROM json_each(?)`, [targets])
  await app.idle()
  const headers = { ...cookieOf(await ida.post('/api/2/auth/ida/login.json')), host: 'localhost' }
  const begin = () => app.fetch(new Request(`http://localhost${PATH}`, { headers }))
  const reads = (sql: readonly string[]) => sql.filter((each) => each.includes('FROM episode_actions')).length

  let text = ''
  const all = await during(async () => {
    text = await (await begin()).text()
  })
  const { devices, settings, titles, episode_actions } = JSON.parse(text)
  const { subscriptions, unsubscribed } = recordAt(devices[0])
  const counts = [subscriptions, unsubscribed, settings, titles, episode_actions].map((list) => {
    const items = [list].flat().map((item) => JSON.stringify(item))
    return [items.length, new Set(items).size]
  })
  expect(counts).toEqual([FEEDS - REMOVED, REMOVED, SETTINGS, FEEDS - REMOVED, ACTIONS].map((count) => [count, count]))

  // The client disconnects early.
  const some = await during(async () => {
    const reader = (await begin()).body?.getReader()
    await reader?.read()
    await reader?.cancel()
  })
  expect(reads(all)).toBeGreaterThan(reads(some) + 2)
})
