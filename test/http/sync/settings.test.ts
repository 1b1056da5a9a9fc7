import { describe, expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { openSync, PHONE } from './scene.ts'

const FEED = 'https://feeds.example/a?x=1&y=%2F'
const EPISODE = 'https://cdn.example/1.mp3?part=2'

const at = (name: string, scope: string, target: Record<string, string> = {}) =>
  `/api/2/settings/${name}/${scope}.json?${new URLSearchParams(target)}`

const ACCOUNT = at('ida', 'account')

/** One thing of each scope. */
const THINGS: readonly (readonly [scope: string, target: Record<string, string>])[] = [
  ['account', {}],
  ['device', { device: 'phone' }],
  ['podcast', { podcast: FEED }],
  ['episode', { podcast: FEED, episode: EPISODE }],
]

async function open() {
  const scene = await openSync()
  await scene.ida.post(PHONE)
  return scene
}

describe.each(THINGS)('the settings of scope %s', (scope, target) => {
  const path = at('ida', scope, target)

  test('are set and removed key by key; the answer is what there is then, and stays', async () => {
    const { ida } = await open()
    expect(await ida.get(path)).toMatchObject({ status: 200, text: '{}' })
    expect((await ida.post(path, { set: { speed: 1.5, skip: 30 } })).text).toBe('{"speed":1.5,"skip":30}')
    expect((await ida.post(path, { set: { speed: 2, on: true } })).text).toBe('{"speed":2,"skip":30,"on":true}')
    expect((await ida.get(path)).text).toBe('{"speed":2,"skip":30,"on":true}')
    expect((await ida.post(path, { set: { on: 9, new: 4 }, remove: ['on', 'new', 'nothing'] })).text).toBe(
      '{"speed":2,"skip":30}',
    )
  })
})

test.each([
  ['1.0', 'body'],
  ['{"set":1.0}', 'set'],
  ['{"set":{"a":2},"remove":[null]}', 'remove'],
])('settings are not changed by %s', async (body, field) => {
  const { app, ida } = await open()
  await ida.post(ACCOUNT, { set: { a: 1 } })
  const before = stored(app)
  expectError(await ida.post(ACCOUNT, body), 400, 'validation_failed', field)
  expect(stored(app)).toBe(before)
})

describe.each(['GET', 'POST'])('%s is refused', (method) => {
  const body = method === 'POST' ? { set: { a: 1 } } : undefined
  const endless = `https://a.example/${'a'.repeat(2048)}`

  test.each<[string, string, number, string, string]>([
    ['an unknown scope', 'user.json', 404, 'not_found', ''],
    ['a scope that every object knows', 'constructor.json', 404, 'not_found', ''],
    ['no device', 'device.json', 400, 'validation_failed', 'device'],
    ['no device ID', 'device.json?device=a%20b', 400, 'validation_failed', 'device'],
    ['a device that only others have', 'device.json?device=boat', 404, 'unknown_device', ''],
    ['no podcast', 'podcast.json?device=phone', 400, 'validation_failed', 'podcast'],
    ['an endless URL', `podcast.json?podcast=${endless}`, 400, 'validation_failed', 'podcast'],
    ['no episode', 'episode.json?podcast=https://feeds.example/a', 400, 'validation_failed', 'episode'],
  ])('%s', async (_what, path, status, word, field) => {
    const { app, ida } = await open()
    await (await signUp(app, 'ole')).post('/api/2/devices/ole/boat.json')
    const before = stored(app)
    expectError(await ida.call(method, `/api/2/settings/ida/${path}`, { body }), status, word, field || undefined)
    expect(stored(app)).toBe(before)
  })
})

test('each thing has settings of its own, which make neither podcasts nor episodes nor devices known', async () => {
  const { app, ida } = await open()
  const rows = () => ['podcasts', 'episodes', 'devices'].map((table) => app.db.query(`SELECT * FROM ${table}`).values())
  const before = rows()
  for (const [scope, target] of THINGS) await ida.post(at('ida', scope, target), { set: { of: scope } })
  for (const [scope, target] of THINGS) expect((await ida.get(at('ida', scope, target))).json).toEqual({ of: scope })
  for (const target of [
    { podcast: EPISODE, episode: FEED },
    { podcast: FEED, episode: FEED },
  ])
    expect((await ida.get(at('ida', 'episode', target))).text).toBe('{}')
  expect(rows()).toEqual(before)
})

describe('limits', () => {
  /** A text that makes `{"k":"…"}` so many bytes long. */
  const filling = (bytes: number) => 'a'.repeat(bytes - '{"k":""}'.length)

  test('one thing has at most 64 KiB of settings, whatever they come to little by little (D19)', async () => {
    const { ida } = await open()
    expect((await ida.post(ACCOUNT, { set: { k: filling(65_536) } })).status).toBe(200)
    expectError(await ida.post(ACCOUNT, { set: { x: 1 } }), 413, 'payload_too_large')
    expect((await ida.get(ACCOUNT)).json).toEqual({ k: filling(65_536) })
    expect((await ida.post(ACCOUNT, { set: { k: 'short', x: 1 } })).json).toEqual({ k: 'short', x: 1 })
    // A body of more than 1 MiB is not even read.
    const body = (bytes: number) => `{"remove":["a"],"x":"${'x'.repeat(bytes - 24)}"}`.padEnd(bytes)
    expect((await ida.post(ACCOUNT, body(1024 * 1024))).status).toBe(200)
    expectError(await ida.post(ACCOUNT, body(1024 * 1024 + 1)), 413, 'payload_too_large')
  })

  test('one user has settings of at most 50,000 things', async () => {
    const { app, ida } = await open()
    const podcast = (n: number | string) => at('ida', 'podcast', { podcast: `https://feeds.example/${n}` })
    app.db.run(
      `INSERT INTO settings (user_id, scope, target, value)
       WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 49999)
       SELECT 1, 'podcast', 'https://feeds.example/' || n, '{"a":1}' FROM n`,
    )
    expect((await ida.post(podcast('last'), { set: { a: 1 } })).status).toBe(200)
    for (const path of [podcast('more'), ACCOUNT])
      expectError(await ida.post(path, { set: { a: 1 } }), 409, 'quota_exceeded')
    expect((await ida.post(podcast(7), { set: { b: 2 } })).json).toEqual({ a: 1, b: 2 })
    expect((await ida.post(podcast('more'), { remove: ['a'] })).status).toBe(200)
    expect((await ida.post(podcast(7), { remove: ['a', 'b'] })).text).toBe('{}')
    expect((await ida.post(ACCOUNT, { set: { a: 1 } })).json).toEqual({ a: 1 })
  })
})
