import { describe, expect, test } from 'bun:test'
import { envName, isSecret, keys } from '../../src/config/options.ts'
import { MEMORY_BYTES, startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'

const SERVER = '/api/admin/server'
const SETTINGS = '/api/admin/settings'
const CANARY = 'hunter2-of-the-harbour'

/** Everything that a secret is of use for, and all secrets. */
const ALL_SECRETS = {
  base_url: 'https://pods.example',
  smtp_host: 'mail.home.example',
  smtp_from: 'podcasts@home.example',
  smtp_user: 'ida',
  oidc_issuer: 'https://id.home.example',
  oidc_client_id: 'podstep',
  ...Object.fromEntries(keys.filter(isSecret).map((key) => [key, `${CANARY} ${key}`])),
}

describe('GET /api/admin/server', () => {
  test('tells what the server is and how it is', async () => {
    const app = startTestApp({ settings: { base_url: 'https://pods.example/podcasts/', data_dir: '/srv/podcasts' } })
    const ida = await signUp(app)
    app.clock.advance(90_061)
    const { status, json, headers } = await ida.get(`/podcasts${SERVER}`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toEqual({
      version: 'test',
      started: '2025-03-02T10:00:00',
      uptime_seconds: 90_061,
      database: { bytes: expect.any(Number), wal_bytes: 0 },
      memory_bytes: MEMORY_BYTES,
      base_url: 'https://pods.example/podcasts',
      data_dir: '/srv/podcasts',
      // A database in memory is on no disk.
      disk_free_bytes: null,
      jobs: app.jobs.map(({ name }) => name),
      backup: { enabled: true, running: false, last: null },
    })
  })

  test('knows how large the database is', async () => {
    const app = startTestApp()
    const ida = await signUp(app)
    const pages = () => app.db.query<{ n: number }, []>('SELECT page_count AS n FROM pragma_page_count').get()?.n ?? 0
    const before = pages()
    expect((await ida.get(SERVER)).json).toMatchObject({ database: { bytes: before * 4096 } })
    app.db.run('CREATE TABLE ballast AS SELECT randomblob(1000000) AS weight')
    expect(pages()).toBeGreaterThan(before + 200)
    expect((await ida.get(SERVER)).json).toMatchObject({ database: { bytes: pages() * 4096 } })
  })
})

describe('GET /api/admin/settings', () => {
  test('lists every setting in effect, and where it comes from', async () => {
    const ida = await signUp(
      startTestApp({ settings: { registration: 'invite', smtp_host: 'mail.lan', smtp_from: 'a@b.example' } }),
    )
    const { status, json, headers } = await ida.get(SETTINGS)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toBeArrayOfSize(keys.length)
    const shown = (key: string, value: string, origin: string, secret = false) =>
      expect(json).toContainEqual({ key, value, origin, secret, description: expect.stringMatching(/^.{10,}\.$/) })
    shown('port', '8080', 'default')
    shown('registration', '"invite"', 'environment')
    shown('base_url', '', 'default')
    shown('trusted_proxies', '[]', 'default')
    shown('data_dir', '"/nowhere/data"', 'default')
    shown('smtp_password', '', 'default', true)
  })

  test('says of secrets that they are set, and not a letter more', async () => {
    const ida = await signUp(startTestApp({ settings: ALL_SECRETS }))
    const { json, text } = await ida.get(SETTINGS)
    for (const key of keys.filter(isSecret))
      expect(json).toContainEqual(expect.objectContaining({ key, value: 'set', origin: 'environment', secret: true }))
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain(envName('smtp_password'))
  })
})
