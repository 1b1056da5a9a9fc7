import { beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../../src/platform/clock.ts'
import { Secret } from '../../../src/platform/secret.ts'
import type { Connections } from '../../../src/store/postgres/connections.ts'
import { connectForFacts, readFacts } from '../../../src/store/postgres/health.ts'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { FakeTimer } from '../../support/clock.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

describePostgres('an application on PostgreSQL', () => {
  const databases = testDatabases()
  let connections: Connections
  let url: string

  beforeAll(async () => {
    ;({ connections, url } = await databases.create())
  })

  test('shows its engine, its size and pending changes, and makes no backups', async () => {
    const token = 'a token for the metrics of this test'
    const app = startTestApp({ postgres: connections, settings: { metrics_token: token } })
    const admin = await signUp(app)
    const status = (await admin.get('/api/admin/server')).json
    expect(status).toMatchObject({ database: { engine: 'postgresql', wal_bytes: 0 }, disk_free_bytes: null })
    expect(status).toMatchObject({ backup: { enabled: false, last: null, keep: 0 } })
    const metrics = await app.fetch(
      new Request('http://localhost/metrics', { headers: { authorization: `Bearer ${token}` } }),
    )
    const text = await metrics.text()
    for (const name of ['podstep_database_size_bytes', 'podstep_write_queue_depth'])
      expect(text).toContain(`\n${name} `)
    await app.idle()
  })

  test('responds with 503 during an outage of PostgreSQL, which is logged once, and recovers', async () => {
    const server: { isDown: boolean } = { isDown: false }
    const refused = Object.assign(new Error('Failed to connect'), { code: 'ERR_POSTGRES_CONNECTION_REFUSED' })
    const { connections: own } = await databases.create()
    const lease = () => (server.isDown ? Promise.reject(refused) : own.lease())
    const app = startTestApp({ postgres: { lease } })
    const ida = await signUp(app)
    server.isDown = true
    for (let n = 0; n < 2; n++) expect((await ida.get('/api/2/devices/ida.json')).status).toBe(503)
    server.isDown = false
    expect((await ida.get('/api/2/devices/ida.json')).status).toBe(200)
    const lines = app.logs.filter((line) => line.includes('PostgreSQL'))
    expect(lines).toEqual([
      expect.stringContaining('cannot use PostgreSQL'),
      expect.stringContaining('PostgreSQL can be used again'),
    ])
  })

  test('reads facts about PostgreSQL, with or without a running server', async () => {
    const expected = { version: expect.stringMatching(/^\d+/), connectionsLeft: expect.any(Number) }
    expect(await readFacts(connections, systemClock())).toMatchObject(expected)
    const options = { version: 'test', clock: systemClock(), timer: new FakeTimer().start }
    expect(await connectForFacts(new Secret(url), options)).toMatchObject(expected)
  })
})
