import { describe, expect, test } from 'bun:test'
import { newAppPassword } from '../../../src/domain/accounts/app-passwords.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { seededRandom } from '../../support/values.ts'
import { urlOf } from '../directory/scene.ts'
import { expectError } from '../error.ts'
import { ACTIONS, type Addresses, HOUR, hourly, open, pathOf, titlesIn } from './private-feed-scene.ts'

const PLAY = {
  ...{ podcast: urlOf('a'), episode: 'https://cdn.example/a0.mp3', action: 'play' },
  ...{ started: 0, position: 60, total: 1800 },
}
const KINDS = ['new', 'in_progress', 'tag', 'subscriptions'] as const

describe.each(KINDS)('the address %s', (kind) => {
  const openAddress = async () => {
    const feeds = { a: hourly('a', 2, { tags: ['tag'] }), b: hourly('b', 1) }
    const scene = await open(feeds, { access_log: 'true', rate_limit: 'true' })
    await scene.ida.post(ACTIONS, [PLAY])
    return { ...scene, path: pathOf(scene.addresses[kind]).replace('%7Btag%7D', 'tag') }
  }

  test('is private to caches, sends no referrer, and is in no log', async () => {
    const { anyone, path, password, app } = await openAddress()
    const { status, headers } = await anyone.get(path, { headers: { origin: 'https://evil.example', accept: '*/*' } })
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    })
    for (const name of ['set-cookie', 'access-control-allow-origin', 'www-authenticate'])
      expect(headers.get(name)).toBeNull()
    await app.idle()
    // Lines of requests are written in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(app.logs.join()).toContain('/feeds/:token/')
    const stored = JSON.stringify(await app.rowsOf('SELECT * FROM app_passwords'))
    expect(app.logs.join() + stored).not.toContain(password)
  })

  test('answers 304 by ETag or date until the feed changes', async () => {
    const { anyone, path, app, ida, change } = await openAddress()
    const first = await anyone.get(path)
    const etag = first.headers.get('etag') ?? ''
    const modified = first.headers.get('last-modified') ?? ''
    expect(etag).toMatch(/^"[0-9a-z]+"$/)
    expect(Date.parse(modified)).toBe(app.clock.seconds() * 1000)
    app.clock.advance(HOUR)
    const again = async (headers: Record<string, string>) => (await anyone.get(path, { headers })).status
    for (const [tag, since, status] of [
      [etag, '', 304],
      [`W/${etag}, "x"`, '', 304],
      ['', modified, 304],
      ['"x"', modified, 200],
      ['', 'Sun, 02 Mar 2025 00:00:00 GMT', 200],
      ['', 'nonsense', 200],
    ] as const)
      expect(await again({ ...(tag && { 'if-none-match': tag }), 'if-modified-since': since })).toBe(status)
    const head = await anyone.call('HEAD', path)
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)))
    // A change within the same second.
    await change('ida', 'phone', { remove: ['a'] })
    await ida.post(ACTIONS, [{ ...PLAY, position: 90 }])
    const changed = await anyone.get(path, { headers: { 'if-none-match': etag, 'if-modified-since': modified } })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect(Date.parse(changed.headers.get('last-modified') ?? '')).toBeGreaterThan(Date.parse(modified))
    expect(await again({ 'if-modified-since': modified })).toBe(200)
  })

  test('is not found with a wrong token, while the account is inactive, or after revocation', async () => {
    const { anyone, path, password, browser, id, app, admin } = await openAddress()
    const others: string[] = []
    for (const scope of ['sync', 'read']) {
      const { json } = await browser.post('/api/2/me/app-passwords', { name: scope, scope })
      expect(json).not.toContainKey('addresses')
      others.push(Object(json).password)
    }
    const wrong = ['x', 'x'.repeat(5000), newAppPassword(seededRandom(7)).password, `${password}x`, ...others, '%00']
    const unknown = await anyone.get('/nowhere')
    for (const token of wrong) {
      const answer = await anyone.get(path.replace(password, token))
      expectError(answer, 404, 'not_found')
      expect(answer.text).toBe(unknown.text)
    }
    await admin.post('/api/admin/users/ida/deactivate')
    expectError(await anyone.get(path), 404, 'not_found')
    await admin.post('/api/admin/users/ida/activate')
    expect((await anyone.get(path)).status).toBe(200)
    const again = await signIn(app, 'ida', 'seaglass')
    expect((await again.delete(`/api/2/me/app-passwords/${id}`)).status).toBe(200)
    expectError(await anyone.get(path), 404, 'not_found')
  })
})

test('an address that guesses 300 tokens is limited, except for valid tokens', async () => {
  const { anyone, addresses, password, app } = await open({}, { rate_limit: 'true' })
  const path = pathOf(addresses.new)
  const guess = (n: number) => anyone.get(path.replace(password, newAppPassword(seededRandom(n)).password))
  for (let n = 0; n < 300; n++) expect((await guess(n)).status).toBe(404)
  expectError(await guess(300), 429, 'rate_limited')
  expect((await anyone.get(path)).status).toBe(200)
  app.setPeer('198.51.100.7')
  expect((await guess(301)).status).toBe(404)
})

test('subscriptions of others and repeated reports of apps do not change the ETag', async () => {
  const { anyone, addresses, change, ida, app } = await open({ a: hourly('a', 1) })
  const report = (timestamp: string) => ida.post(ACTIONS, [{ ...PLAY, device: 'phone', timestamp }])
  await report('2025-03-02T08:00:00')
  const paths = [addresses.subscriptions, addresses.in_progress].map(pathOf)
  const tags = () => Promise.all(paths.map(async (path) => (await anyone.get(path)).headers.get('etag')))
  const before = await tags()
  await change('bob', 'phone', { add: ['a'] })
  await report('2025-03-02T08:30:00')
  await app.indexed()
  expect(await app.rowsOf('SELECT MAX(subscribers) AS n FROM podcasts')).toEqual([{ n: 2 }])
  expect(await tags()).toEqual(before)
})

test('addresses are below base_url, and accept only reads', async () => {
  const app = startTestApp({ settings: { base_url: 'https://pods.example/sub' } })
  await signUp(app)
  const login = await clientOf(app, basic('ida', 'seaglass')).post('/sub/api/2/auth/ida/login.json')
  const own = clientOf(app, { ...cookieOf(login), origin: 'https://pods.example' })
  const anyone = clientOf(app)
  const { json } = await own.post('/sub/api/2/me/app-passwords', { name: 'Car', scope: 'feeds' })
  for (const kind of KINDS) {
    const address = (json as { addresses: Addresses }).addresses[kind]
    expect(address).toStartWith('https://pods.example/sub/feeds/')
    const path = address.replace('https://pods.example', '').replace('{tag}', 'sea')
    expect((await anyone.get(path)).status).toBe(200)
    expect((await anyone.get(path.replace('/sub', ''))).status).toBe(404)
    expectError(await anyone.delete(path), 405, 'method_not_allowed')
  }
})

test('versions within one second have different dates', async () => {
  const { anyone, addresses, change } = await open({ a: hourly('a', 1), b: hourly('b', 1) })
  const dates: number[] = []
  for (const left of ['a', 'b', 'none']) {
    const { headers } = await anyone.get(pathOf(addresses.subscriptions))
    dates.push(Date.parse(headers.get('last-modified') ?? ''))
    if (left !== 'none') await change('ida', 'phone', { remove: [left] })
  }
  const [first = 0] = dates
  expect(dates).toEqual([first, first + 1000, first + 2000])
})

test('the last use of an address is stored once an hour', async () => {
  const { anyone, addresses, browser, app } = await open({})
  const listed = async () => {
    await app.idle()
    const [first] = (await browser.get('/api/2/me/app-passwords')).json as { last_used: string; client: string }[]
    return [first?.last_used, first?.client]
  }
  expect(await listed()).toEqual(['', ''])
  const get = (agent: string) => anyone.get(pathOf(addresses.new), { headers: { 'user-agent': agent } })
  await get('CarRadio/2.0')
  const [used, agent] = await listed()
  expect(agent).toBe('CarRadio')
  app.clock.advance(HOUR - 1)
  await get('Other/1')
  expect(await listed()).toEqual([used, 'CarRadio'])
  app.clock.advance(1)
  await get('')
  expect(await listed()).toEqual([expect.not.stringMatching(`^${used}$`), 'CarRadio'])
})

test('a full disk does not prevent reading', async () => {
  const { anyone, addresses, app } = await open({ a: hourly('a', 1) }, {}, { db: openMemoryDatabase() })
  await app.idle()
  app.db.run('PRAGMA query_only = ON')
  expect(titlesIn(await anyone.get(pathOf(addresses.new)))).toHaveLength(1)
  await app.idle()
  expect(app.logs.join()).not.toContain('work in the background failed')
  app.db.run('PRAGMA query_only = OFF')
})

test('an internal error is logged without the address', async () => {
  const { anyone, addresses, password, app } = await open({ a: hourly('a', 1) }, {}, { db: openMemoryDatabase() })
  app.db.run('DROP TABLE provisional_titles')
  expectError(await anyone.get(pathOf(addresses.new)), 500, 'internal')
  expect(app.logs.join()).toContain('"path":"/feeds"')
  expect(app.logs.join()).not.toContain(password)
})
