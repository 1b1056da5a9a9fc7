import { expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { openSync, PHONE } from './scene.ts'

const FEED = 'https://feeds.example/a?x=1&y=%2F'

const at = (name: string, scope: string, target: Record<string, string> = {}) =>
  `/api/2/settings/${name}/${scope}.json?${new URLSearchParams(target)}`

const ACCOUNT = at('ida', 'account')

/** One thing of each scope. */
const THINGS: readonly (readonly [scope: string, target: Record<string, string>])[] = [
  ['account', {}],
  ['device', { device: 'phone' }],
  ['podcast', { podcast: FEED }],
  ['episode', { podcast: FEED, episode: 'https://cdn.example/1.mp3?part=2' }],
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
  for (const [other, its] of THINGS)
    if (other !== scope) await ida.post(at('ida', other, its), { set: { not: 'here' } })
  expect(await change({ set: { speed: 1.5, skip: null }, remove: null })).toBe('{"speed":1.5,"skip":null}')
  expect((await ida.get(path)).text).toBe('{"speed":1.5,"skip":null}')
  expect(await change({ set: { new: 4 }, remove: ['new', 'nothing', 'skip', null] })).toBe('{"speed":1.5}')
  expect(await change({ set: null, remove: null })).toBe('{"speed":1.5}')
})

// A number is kept as it was written, which is an object inside.
test.each(['1.0', '{"set":1.0}', '{"set":{"a":2},"remove":[7]}'])('settings are not changed by %s', async (body) => {
  const { ida } = await open()
  await ida.post(ACCOUNT, { set: { a: 1 } })
  expect(await ida.post(ACCOUNT, body)).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
  expect((await ida.get(ACCOUNT)).json).toEqual({ a: 1 })
})

test.each<[string, string, number, string, string]>([
  ['an unknown scope', 'user.json', 404, 'not_found', ''],
  ['a scope that every object knows', 'constructor.json', 404, 'not_found', ''],
  ['no device ID', 'device.json?device=a%20b', 400, 'validation_failed', 'device'],
  ['a device that only others have', 'device.json?device=boat', 404, 'unknown_device', ''],
  ['no podcast', 'podcast.json?device=phone', 400, 'validation_failed', 'podcast'],
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
