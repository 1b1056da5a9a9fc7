import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, clientOf, signUp } from '../../support/client.ts'
import { failingReads } from '../../support/database.ts'
import { recordAt } from '../../support/openapi.ts'
import { expectError } from '../error.ts'

const UPLOAD = '/api/2/subscriptions/ida/phone.json'
const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

/** Expects 503 with a retry in ten seconds. */
function expectUnavailable(answer: Answer): void {
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('retry-after')).toBe('10')
}

test.each(['/healthz', '/readyz', '/health'])('%s needs no credentials, and exists at the root only', async (path) => {
  const { status, json, headers } = await clientOf(startTestApp()).get(path)
  expect([status, json, headers.has('set-cookie')]).toEqual([200, { status: 'ok' }, false])
  const anyone = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
  expect((await anyone.get(path)).status).toBe(200)
  expect((await anyone.get(`/podcasts${path}`)).status).toBe(404)
})

test('while the database is read-only, the server is healthy but not ready, still answers reads, and recovers', async () => {
  const app = startTestApp({ db: openMemoryDatabase(), settings: { registration: 'open' } })
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

test('while the database cannot be read, requests are 503 and not counted as faults of the server', async () => {
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

test('a stopping server is not ready', async () => {
  const app = startTestApp()
  app.beginStop()
  expect((await clientOf(app).get('/readyz')).status).toBe(503)
  expect((await clientOf(app).get('/healthz')).status).toBe(200)
})

const PATH = '/api/2/server'
const BASE = { base_url: 'https://pods.example/podcasts' }

test('a new server reports that the next account becomes administrator, and which features are off', async () => {
  const { status, json } = await clientOf(startTestApp(), { host: 'nas.local:8080' }).get(PATH)
  expect(status).toBe(200)
  expect(json).toEqual({
    ...{ version: 'test', registration: 'closed', first_run: true, mail: false, external_directory: false },
    ...{ sso: { enabled: false, provider_name: null, login_url: null }, proxy_user: null, account: null },
    ...{ outbound: true, base_url: 'http://nas.local:8080', addresses: [] },
  })
})

const MAIL = { smtp_host: 'mail.home.example', smtp_from: 'pods@home.example' }
const OIDC = { oidc_issuer: 'https://id.example', oidc_client_id: 'pods', oidc_name: 'Harbour ID' }
const SSO = { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' }

test.each<[string, Record<string, string>, object]>([
  ['open registration', { registration: 'open' }, { registration: 'open' }],
  ['mail', { ...BASE, ...MAIL }, { mail: true, base_url: BASE.base_url }],
  ['mail without an address for links', MAIL, { mail: false }],
  ['an identity provider', { ...BASE, ...OIDC }, { sso: SSO }],
  ['an external directory', { directory_key: 'k', directory_secret: 's' }, { external_directory: true }],
])('the server reports %s', async (_case, settings, expected) => {
  const base = 'base_url' in settings ? '/podcasts' : ''
  expect(await clientOf(startTestApp({ settings })).get(base + PATH)).toMatchObject({ status: 200, json: expected })
})

test('`first_run` is true while no user can sign in, and reveals nothing else about users', async () => {
  const app = startTestApp()
  const anyone = clientOf(app)
  const isFirst = async () => Object((await anyone.get(PATH)).json).first_run
  expect(await isFirst()).toBe(true)
  const ida = await signUp(app)
  expect(await isFirst()).toBe(false)
  const { json, text } = await anyone.get(PATH)
  expect((await ida.get(PATH)).json).toEqual({ ...recordAt(json), account: expect.any(Object) })
  await signUp(app, 'ole')
  expect((await anyone.get(PATH)).text).toBe(text)
  await app.rowsOf("UPDATE users SET state = 'inactive'")
  expect(await isFirst()).toBe(true)
})
