import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { startWebServer } from '../../support/web-server.ts'

const PROXY = '192.0.2.10'
const FORWARDED = { 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pods.example' }

interface Examined {
  readonly ok: boolean
  readonly checks: readonly { readonly check: string; readonly code: string; readonly values: object }[]
}

const codes = ({ checks }: Examined) => Object.fromEntries(checks.map(({ check, code }) => [check, code]))

test('the connection test reports headers of the proxy, whether it is trusted, and the same instance each time', async () => {
  const app = startTestApp({ settings: { trusted_proxies: PROXY } })
  const ask = async (headers: Record<string, string>, peer: string) => {
    app.setPeer(peer)
    const { text } = await clientOf(app, headers).get('/api/2/server/connection')
    const [first = '', second] = text.split('\n\n')
    expect(second).toBe('event: end\ndata: {}')
    const [event, data = ''] = first.split('\n')
    expect(event).toBe('event: connection')
    return JSON.parse(data.slice('data: '.length))
  }
  const known = await ask(FORWARDED, PROXY)
  const unknown = await ask(FORWARDED, '192.0.2.11')
  const plain = await ask({}, PROXY)
  const { instance } = known
  expect(instance).toMatch(/^[0-9a-f]{24}$/)
  const header = 'x-forwarded-for'
  expect(known).toEqual({ instance, header, trusted: true, has_address: true, scheme: 'https', host: 'pods.example' })
  // The proxy's host is not trusted either.
  expect(unknown).toMatchObject({ instance, header, trusted: false, host: 'localhost' })
  expect(plain).toEqual({ instance, header: null, trusted: true, has_address: false, scheme: null, host: 'localhost' })
})

test('an administrator can run the doctor', async () => {
  const app = startTestApp({ settings: { outbound: 'off' } })
  const ida = await signUp(app)
  const { json, status } = await ida.post('/api/admin/doctor')
  expect(status).toBe(200)
  const examined = json as Examined
  expect(examined.ok).toBe(true)
  expect(codes(examined)).toMatchObject({
    ...{ settings: 'settings_none', passwords: 'passwords_ok', feed_worker: 'feed_worker_off', server: 'server_ok' },
    ...{ base_url: 'base_url_none', clock: 'clock_ok', mail: 'mail_none' },
  })
  const at = examined.checks.find(({ check }) => check === 'clock')?.values
  expect(at).toEqual({ at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) })
})

test('an untrusted proxy of this request or of an earlier one is reported with its address', async () => {
  const app = startTestApp({ settings: { outbound: 'off' } })
  const ida = await signUp(app)
  const proxy = async () => {
    const { checks } = (await ida.post('/api/admin/doctor')).json as Examined
    return checks.find(({ check }) => check === 'proxy')
  }
  expect(await proxy()).toMatchObject({ code: 'proxy_skipped' })
  app.clock.advance(1)
  app.setPeer(PROXY)
  await clientOf(app, FORWARDED).get('/healthz')
  app.setPeer('192.0.2.1')
  const values = { header: 'x-forwarded-for', peer: PROXY }
  expect(await proxy()).toMatchObject({ code: 'proxy_peer_not_believed', values })
  app.clock.advance(2 * 3600 + 1)
  expect(await proxy()).toMatchObject({ code: 'proxy_skipped' })
})

test('the public address is checked even with outbound off, and another server there is an error', async () => {
  await using other = startWebServer({ '/api/2/server/connection': () => new Response('<h1>It works!') })
  const base = `http://127.0.0.1:${other.port}`
  const app = startTestApp({ settings: { outbound: 'off', base_url: base } })
  const ida = await signUp(app)
  const { json } = await ida.post('/api/admin/doctor')
  expect((json as Examined).ok).toBe(false)
  expect(codes(json as Examined)).toMatchObject({ base_url: 'base_url_wrong', server: 'server_ok' })
  expect(other.asked.map(({ path }) => path)).toEqual(['/api/2/server/connection'])
})

test('Home shows the open entries of the doctor to administrators only', async () => {
  const app = startTestApp({ settings: { outbound: 'off' } })
  const ida = await signUp(app)
  const open = async () => {
    const { json } = await ida.get('/api/admin/doctor')
    const { checks } = json as { checks: readonly { check: string; status: string }[] }
    const entries = checks.filter(({ status }) => ['error', 'warning', 'todo'].includes(status))
    const { json: home } = await ida.get('/api/2/me/home')
    expect(home).toMatchObject({ server: entries })
    return entries.map(({ check }) => check)
  }
  const before = await open()
  expect(before).toEqual(['backup', 'users', 'base_url'])
  await ida.post('/api/admin/doctor')
  expect(await open()).toEqual(before)
  const bob = await signUp(app, 'bob')
  expect((await bob.get('/api/2/me/home')).json).toMatchObject({ server: [] })
  expect(await open()).not.toContain('users')
})
