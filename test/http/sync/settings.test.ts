import { expect, test } from 'bun:test'
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

test.each(THINGS)('settings of scope %s are set and removed key by key, and answered', async (scope, target) => {
  const path = at('ida', scope, target)
  const { ida } = await open()
  const change = async (body: object) => (await ida.post(path, body)).text
  expect(await ida.get(path)).toMatchObject({ status: 200, text: '{}' })
  expect(await change({ set: { speed: 1.5, skip: 30 } })).toBe('{"speed":1.5,"skip":30}')
  expect(await change({ set: { speed: 2, on: true } })).toBe('{"speed":2,"skip":30,"on":true}')
  expect((await ida.get(path)).text).toBe('{"speed":2,"skip":30,"on":true}')
  expect(await change({ set: { on: 9, new: 4 }, remove: ['on', 'new', 'nothing'] })).toBe('{"speed":2,"skip":30}')
})

test('null for set or remove is as if missing; null for a setting is its value', async () => {
  const { ida } = await open()
  const change = async (body: object) => (await ida.post(ACCOUNT, body)).text
  expect(await change({ set: { a: 1, b: null }, remove: null })).toBe('{"a":1,"b":null}')
  expect(await change({ set: null, remove: [null, 'a'] })).toBe('{"b":null}')
  expect(await change({ set: null, remove: null })).toBe('{"b":null}')
})

// A number is kept as it was written, which is an object inside.
test.each(['1.0', '{"set":1.0}', '{"set":{"a":2},"remove":[7]}'])('settings are not changed by %s', async (body) => {
  const { app, ida } = await open()
  await ida.post(ACCOUNT, { set: { a: 1 } })
  const before = await stored(app)
  expect(await ida.post(ACCOUNT, body)).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
  expect(await stored(app)).toBe(before)
})

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
])('settings are neither read nor changed for %s', async (_what, path, status, code, field) => {
  const { app, ida } = await open()
  await (await signUp(app, 'ole')).post('/api/2/devices/ole/boat.json')
  const before = await stored(app)
  const address = `/api/2/settings/ida/${path}`
  for (const answer of [await ida.get(address), await ida.post(address, { set: { a: 1 } })])
    expectError(answer, status, code, field || undefined)
  expect(await stored(app)).toBe(before)
})

test('each thing has settings of its own', async () => {
  const { ida } = await open()
  for (const [scope, target] of THINGS) await ida.post(at('ida', scope, target), { set: { of: scope } })
  for (const [scope, target] of THINGS) expect((await ida.get(at('ida', scope, target))).json).toEqual({ of: scope })
  expect((await ida.get(at('ida', 'episode', { podcast: FEED, episode: FEED }))).text).toBe('{}')
})

test('one thing has at most 64 KiB of settings; a body of more than 1 MiB is not even read (D19)', async () => {
  const { ida } = await open()
  const k = 'a'.repeat(65_536 - '{"k":""}'.length)
  expect((await ida.post(ACCOUNT, { set: { k } })).status).toBe(200)
  expectError(await ida.post(ACCOUNT, { set: { x: 1 } }), 413, 'payload_too_large')
  expect((await ida.get(ACCOUNT)).json).toEqual({ k })
  const body = (bytes: number) => `{"remove":["a"],"x":"${'x'.repeat(bytes - 24)}"}`.padEnd(bytes)
  expect((await ida.post(ACCOUNT, body(1024 * 1024))).status).toBe(200)
  expectError(await ida.post(ACCOUNT, body(1024 * 1024 + 1)), 413, 'payload_too_large')
})
