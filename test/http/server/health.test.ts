import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, clientOf, signUp } from '../../support/client.ts'
import { failingReads } from '../../support/database.ts'
import { expectError } from '../error.ts'

const UPLOAD = '/api/2/subscriptions/ida/phone.json'
const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

/** Told to come back in ten seconds. */
function expectUnavailable(answer: Answer): void {
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('retry-after')).toBe('10')
}

describe.each(['/healthz', '/readyz', '/health'])('%s', (path) => {
  test('is 200 without credentials', async () => {
    const { status, json, headers } = await clientOf(startTestApp()).get(path)
    expect([status, json, headers.has('set-cookie')]).toEqual([200, { status: 'ok' }, false])
  })

  test('is at the root whatever the sub-path, and only there', async () => {
    const anyone = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
    expect((await anyone.get(path)).status).toBe(200)
    expect((await anyone.get(`/podcasts${path}`)).status).toBe(404)
  })
})

test('while the database cannot be written only the process is healthy; reading goes on, and all recovers', async () => {
  const app = startTestApp({ settings: { registration: 'open' } })
  const ida = await signUp(app)
  await ida.post(UPLOAD, { add: [A] })
  app.db.run('PRAGMA query_only = ON')
  app.clock.advance(5)
  expect((await ida.get('/healthz')).status).toBe(200)
  for (const path of ['/readyz', '/health']) expectUnavailable(await ida.get(path))
  expectUnavailable(await ida.post(UPLOAD, { add: [B] }))
  expectUnavailable(await ida.post('/api/2/auth/ida/login.json'))
  expectUnavailable(await ida.post('/api/2/register', { username: 'ole', password: 'driftwood' }))
  expect((await ida.get('/subscriptions/ida/phone.txt')).text).toBe(`${A}\n`)
  app.db.run('PRAGMA query_only = OFF')
  app.clock.advance(5)
  expect((await ida.get('/readyz')).status).toBe(200)
  await ida.post(UPLOAD, { add: [B] })
  expect((await ida.get('/subscriptions/ida/phone.txt')).text).toBe(`${A}\n${B}\n`)
})

test('while the database cannot be read, requests are told to come back, and nothing is taken for a fault of the server', async () => {
  const db = openMemoryDatabase()
  const fault = failingReads(db)
  const app = startTestApp({ db })
  const ida = await signUp(app)
  fault.code = 'SQLITE_IOERR_READ'
  for (const path of ['/subscriptions/ida/phone.json', '/api/2/devices/ida.json', '/readyz'])
    expectUnavailable(await ida.get(path))
  fault.code = undefined
  expect((await ida.get('/api/2/devices/ida.json')).status).toBe(200)
  expectError(await ida.get('/readyz'), 503, 'unavailable')
  app.clock.advance(60)
  expect((await ida.get('/readyz')).status).toBe(200)
  const lines = app.logs.filter((line) => line.includes('"level":"error"'))
  expect(lines).toEqual([expect.stringContaining('the disk does not let the database be read')])
})

test('while the server is stopping it is not ready', async () => {
  const app = startTestApp()
  app.beginStop()
  expect((await clientOf(app).get('/readyz')).status).toBe(503)
  expect((await clientOf(app).get('/healthz')).status).toBe(200)
})
