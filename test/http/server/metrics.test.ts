import { expect, test } from 'bun:test'
import { MailFailure } from '../../../src/domain/accounts/mail.ts'
import { BackupFailure } from '../../../src/domain/server/backups.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { MEMORY_BYTES, startTestApp, type TestAppOptions } from '../../support/app.ts'
import { scriptedBackups } from '../../support/backups.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { FakeTimer } from '../../support/clock.ts'
import { failingReads } from '../../support/database.ts'
import { type Metrics, readMetrics, METRICS_TOKEN as TOKEN, WITH_TOKEN } from '../../support/metrics.ts'
import { receiver } from '../../support/webhooks.ts'
import { runJob } from '../accounts.ts'
import { expectError } from '../error.ts'

const AS_PROMETHEUS = { authorization: `Bearer ${TOKEN}` }
const NOW = 1_740_909_600

async function open(options: TestAppOptions = {}) {
  const timer = new FakeTimer()
  const settings = { ...WITH_TOKEN, registration: 'open', ...options.settings }
  const app = startTestApp({ metricsTimer: timer.start, ...options, settings })
  const ida = await signUp(app, 'ida', 'seaglass', 'ida@pods.example')
  const read = () => readMetrics(app)
  return { app, ida, timer, read }
}

test('/metrics exists only with a token, and requires exactly that token', async () => {
  const without = startTestApp()
  expectError(await clientOf(without, AS_PROMETHEUS).get('/metrics'), 404, 'not_found')
  const { app, ida } = await open()
  const session = cookieOf(await ida.get('/api/2/me'))
  const wrong: Record<string, string>[] = [{}, session, basic('ida', 'seaglass'), basic('metrics', TOKEN)]
  for (const given of ['', 'wrong', TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase()])
    wrong.push({ authorization: `Bearer ${given}` })
  for (const headers of wrong) {
    const answer = await clientOf(app, headers).get('/metrics')
    expectError(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="metrics"')
  }
  const { status, headers } = await clientOf(app, AS_PROMETHEUS).get('/metrics')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await clientOf(app, AS_PROMETHEUS).call('HEAD', '/metrics')).status).toBe(200)
  expectError(await clientOf(app, AS_PROMETHEUS).post('/metrics'), 405, 'method_not_allowed')
})

test('/metrics is at the root, also with a sub-path, and not in the description of the API', async () => {
  const { app } = await open({ settings: { base_url: 'https://home.example/podcasts' } })
  const prometheus = clientOf(app, AS_PROMETHEUS)
  expect((await prometheus.get('/metrics')).status).toBe(200)
  expect((await prometheus.get('/podcasts/metrics')).status).toBe(404)
  expect((await prometheus.get('/podcasts/openapi.json')).text).not.toContain('/metrics')
})

test('a new server reports its version, state and resources', async () => {
  const { read } = await open({ db: openMemoryDatabase() })
  const metrics = await read()
  for (const [name, value] of [
    ['podstep_info{version="test"}', 1],
    ['podstep_ready', 1],
    ['process_start_time_seconds', NOW],
    ['process_resident_memory_bytes', MEMORY_BYTES],
    ['podstep_database_wal_size_bytes', 0],
    ['podstep_write_queue_depth', 0],
    ['podstep_write_failures_total', 0],
    ['podstep_mail_enabled', 0],
  ] as const)
    expect([name, metrics.get(name)]).toEqual([name, value])
  expect(metrics.get('podstep_database_size_bytes')).toBeGreaterThan(100_000)
})

test('requests are counted and timed by method, route and status, never by address', async () => {
  const { app, ida, read } = await open()
  const anyone = clientOf(app)
  for (const device of ['phone', 'laptop']) await ida.get(`/api/2/subscriptions/ida/${device}.json?since=0`)
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: ['https://feeds.example/s3cret'] })
  await ida.call('HEAD', '/api/2/me')
  await anyone.get('/api/2/me')
  for (const path of ['/ida-pixel', '/ole/s3cret']) await anyone.get(path)
  await anyone.call('OPTIONS', '/api/2/me')
  const metrics = await read()
  const requests = (method: string, route: string, status: number) =>
    metrics.get(`podstep_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
  const DELTA = '/api/2/subscriptions/:username/:device'
  expect(requests('GET', DELTA, 200)).toBe(2)
  expect(requests('POST', DELTA, 200)).toBe(1)
  expect(requests('HEAD', '/api/2/me', 200)).toBe(1)
  expect(requests('GET', '/api/2/me', 401)).toBe(1)
  expect(requests('GET', 'none', 404)).toBe(2)
  expect(requests('OPTIONS', 'none', 204)).toBe(1)
  expect(metrics.get(`podstep_http_request_duration_seconds_count{method="GET",route="${DELTA}"}`)).toBe(2)
  expect(metrics.text).not.toMatch(/ida|ole|phone|s3cret/)
})

test('syncs are counted by app and kind, and unknown apps as "other"', async () => {
  const { app, read } = await open()
  const by = (agent: string): Client => clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': agent })
  const agents = ['AntennaPod/3.9.0', 'gPodder/3.11.5 (+http://gpodder.org/) Linux', 'Evil"}\\ 1']
  agents.push(`AntennaPod/${'9'.repeat(300)}`)
  for (const agent of agents) await by(agent).put('/subscriptions/ida/phone.txt', 'https://feeds.example/a\n')
  for (let n = 0; n < 3; n++) await by('AntennaPod/3.8.0').get('/api/2/subscriptions/ida/phone.json?since=0')
  await by('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0').put('/subscriptions/ida/phone.txt', '')
  const metrics = await read()
  const syncs = (name: string, kind: string) => metrics.get(`podstep_syncs_total{app="${name}",kind="${kind}"}`)
  const lists = ['AntennaPod', 'gPodder', 'other', 'browser'].map((name) => syncs(name, 'sent_list'))
  expect(lists).toEqual([2, 1, 1, 1])
  expect(syncs('AntennaPod', 'fetched_changes')).toBe(3)
  expect(metrics.text).not.toContain('Evil')
})

test('writes are counted by group size, and failed ones separately', async () => {
  const { app, ida, read } = await open({ db: openMemoryDatabase() })
  const count = async () => (await read()).get('podstep_write_group_size_count') ?? 0
  const before = await count()
  const sum = (await read()).get('podstep_write_group_size_sum') ?? 0
  await Promise.all(['a', 'b', 'c'].map((device) => ida.post(`/api/2/devices/ida/${device}.json`, {})))
  expect(await count()).toBeGreaterThan(before)
  expect((await read()).get('podstep_write_group_size_sum')).toBeGreaterThanOrEqual(sum + 3)
  app.db.run('PRAGMA query_only = ON')
  app.clock.advance(5)
  expect((await ida.post('/api/2/devices/ida/d.json', {})).status).toBe(503)
  const metrics = await read()
  expect(metrics.get('podstep_write_failures_total')).toBeGreaterThan(0)
  expect(metrics.get('podstep_ready')).toBe(0)
})

test('a server that stops or cannot read its database is not ready, and reports its other metrics', async () => {
  const db = openMemoryDatabase()
  const fault = failingReads(db)
  const { app, read } = await open({ db })
  fault.code = 'SQLITE_IOERR_READ'
  const metrics = await read()
  expect(metrics.get('podstep_ready')).toBe(0)
  expect(metrics.get('podstep_write_queue_depth')).toBe(0)
  expect(metrics.has('podstep_mail_queue_depth')).toBe(false)
  fault.code = undefined
  app.clock.advance(60)
  expect((await read()).get('podstep_ready')).toBe(1)
  app.beginStop()
  expect((await read()).get('podstep_ready')).toBe(0)
})

test('backups: enabled, the result of the last attempt, and the newest file', async () => {
  const backupStore = scriptedBackups()
  const { app, read } = await open({ backupStore })
  const nothing = { overdue: 0, tried: undefined, success: undefined, newest: undefined, bytes: undefined }
  expect((await read()).get('podstep_backup_enabled')).toBe(1)
  expect(backupsIn(await read())).toEqual(nothing)
  app.services.backups.run()
  await app.idle()
  app.clock.advance(3600)
  expect(backupsIn(await read())).toEqual({ overdue: 0, tried: NOW, success: 1, newest: NOW, bytes: 4096 })
  backupStore.script.make = () => Promise.reject(new BackupFailure('the disk is full', 'no_room'))
  app.services.backups.run()
  await app.idle()
  expect(backupsIn(await read())).toEqual({ overdue: 0, tried: NOW + 3600, success: 0, newest: NOW, bytes: 4096 })
  app.clock.advance(2 * 86_400)
  expect(backupsIn(await read())).toMatchObject({ overdue: 1 })
  backupStore.script.list = () => Promise.reject(new BackupFailure('the folder cannot be read', 'folder'))
  expect(backupsIn(await read())).toEqual({ ...nothing, overdue: 1, tried: NOW + 3600, success: 0 })
})

function backupsIn(metrics: Metrics) {
  return {
    overdue: metrics.get('podstep_backup_overdue'),
    tried: metrics.get('podstep_backup_last_attempt_timestamp_seconds'),
    success: metrics.get('podstep_backup_last_success'),
    newest: metrics.get('podstep_backup_newest_timestamp_seconds'),
    bytes: metrics.get('podstep_backup_newest_size_bytes'),
  }
}

test('waiting, sent and failed mails and webhook messages are counted', async () => {
  const refusals = [new MailFailure('server', 'no answer')]
  const hooks = receiver()
  const mailer = {
    async send() {
      const refusal = refusals.pop()
      if (refusal) throw refusal
    },
  }
  const { app, ida, read } = await open({ mailer, webhookSender: hooks.sender })
  const sent = async (what: string, result: string) => {
    const metrics = await read()
    const attempts = ['failed', result].map((each) => metrics.get(`podstep_${what}_attempts_total{result="${each}"}`))
    return [metrics.get(`podstep_${what}_queue_depth`), ...attempts]
  }
  await clientOf(app).post('/api/2/password-reset', { email: 'ida@pods.example' })
  await app.idle()
  expect(await sent('mail', 'sent')).toEqual([1, 1, 0])
  app.clock.advance(60)
  await runJob(app, 'mail')
  expect(await sent('mail', 'sent')).toEqual([0, 1, 1])

  await ida.put('/api/2/me/webhook', { url: 'https://hooks.example/ida' })
  await ida.post('/api/2/devices/ida/phone.json', {})
  for (const [status, counts] of [
    [503, [1, 1, 0]],
    [200, [0, 1, 1]],
  ] as const) {
    hooks.script.answer = () => status
    app.clock.advance(600)
    app.jobs.find(({ name }) => name === 'webhooks')?.run()
    await app.idle()
    expect(await sent('webhook', 'delivered')).toEqual([...counts])
  }
})

test('feed fetches are counted by result', async () => {
  const { app, ida, read } = await open()
  const results = async (result: string) => (await read()).get(`podstep_feed_fetches_total{result="${result}"}`)
  expect(await results('unchanged')).toBe(0)
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: ['https://feeds.example/a', 'https://feeds.example/b'] })
  await app.indexed()
  app.jobs.find(({ name }) => name === 'feeds')?.run()
  await app.idle()
  expect(await results('unreachable')).toBe(2)
  expect((await read()).get('podstep_feed_fetches_running')).toBe(0)
})

test('open streams are counted', async () => {
  const { app, ida, read } = await open()
  const session = cookieOf(await ida.get('/api/2/me'))
  const stream = await app.fetch(
    new Request('http://localhost/api/2/me/events', { headers: { host: 'localhost', ...session } }),
  )
  expect((await read()).get('podstep_live_streams')).toBe(1)
  await stream.body?.cancel()
  expect((await read()).get('podstep_live_streams')).toBe(0)
})

test('the delay of the event loop is measured until the server stops', async () => {
  const { app, timer, read } = await open()
  // The first timer is on time; then the loop is blocked for a second.
  timer.pass(200)
  app.clock.advance(1)
  timer.pass(200)
  const metrics = await read()
  const delay = 'podstep_event_loop_delay_seconds'
  expect(metrics.get(`${delay}_count`)).toBe(2)
  expect(metrics.get(`${delay}_sum`)).toBeCloseTo(0.8)
  expect(metrics.get(`${delay}_bucket{le="0.5"}`)).toBe(1)
  expect(metrics.get(`${delay}_bucket{le="1"}`)).toBe(2)
  app.beginStop()
  expect(timer.waiting).toBe(0)
})
