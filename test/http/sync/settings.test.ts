import { expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { openSync, PHONE, SETTINGS } from './scene.ts'

const FEED = 'https://feeds.example/a?x=1&y=%2F'

const pathOf = (scope: string, target: Record<string, string> = {}) =>
  `/api/2/settings/ida/${scope}.json?${new URLSearchParams(target)}`

const SCOPES: readonly (readonly [scope: string, target: Record<string, string>])[] = [
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

test.each(SCOPES)('settings of scope %s are set and removed one key at a time', async (scope, target) => {
  const path = pathOf(scope, target)
  const { ida } = await open()
  const change = async (body: object) => (await ida.post(path, body)).text
  expect(await ida.get(path)).toMatchObject({ status: 200, text: '{}' })
  for (const [other, its] of SCOPES) if (other !== scope) await ida.post(pathOf(other, its), { set: { not: 'here' } })
  expect(await change({ set: { speed: 1.5, skip: null }, remove: null })).toBe('{"speed":1.5,"skip":null}')
  expect((await ida.get(path)).text).toBe('{"speed":1.5,"skip":null}')
  expect(await change({ set: { new: 4 }, remove: ['new', 'nothing', 'skip', null] })).toBe('{"speed":1.5}')
  expect(await change({ set: null, remove: null })).toBe('{"speed":1.5}')
})

// Exact numbers are objects internally.
test.each(['1.0', '{"set":1.0}', '{"set":{"a":2},"remove":[7]}'])('the body %s is refused', async (body) => {
  const { ida } = await open()
  await ida.post(SETTINGS, { set: { a: 1 } })
  expect(await ida.post(SETTINGS, body)).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
  expect((await ida.get(SETTINGS)).json).toEqual({ a: 1 })
})

test.each<[string, string, number, string, string]>([
  ['an unknown scope', 'user.json', 404, 'not_found', ''],
  ['an inherited property as scope', 'constructor.json', 404, 'not_found', ''],
  ['an invalid device ID', 'device.json?device=a%20b', 400, 'validation_failed', 'device'],
  ['a device of another user', 'device.json?device=boat', 404, 'unknown_device', ''],
  ['a missing podcast', 'podcast.json?device=phone', 400, 'validation_failed', 'podcast'],
  ['a missing episode', 'episode.json?podcast=https://feeds.example/a', 400, 'validation_failed', 'episode'],
])('settings are neither read nor changed for %s', async (_what, path, status, code, field) => {
  const { app, ida } = await open()
  await (await signUp(app, 'ole')).post('/api/2/devices/ole/boat.json')
  const before = await stored(app)
  const address = `/api/2/settings/ida/${path}`
  for (const answer of [await ida.get(address), await ida.post(address, { set: { a: 1 } })])
    expectError(answer, status, code, field || undefined)
  expect(await stored(app)).toBe(before)
})

test('a scope holds at most 64 KiB of settings, and a body at most 1 MiB (D19)', async () => {
  const { ida } = await open()
  const k = 'a'.repeat(65_536 - '{"k":""}'.length)
  expect((await ida.post(SETTINGS, { set: { k } })).status).toBe(200)
  expectError(await ida.post(SETTINGS, { set: { x: 1 } }), 413, 'payload_too_large')
  expect((await ida.get(SETTINGS)).json).toEqual({ k })
  const body = (bytes: number) => `{"remove":["a"],"x":"${'x'.repeat(bytes - 24)}"}`.padEnd(bytes)
  expect((await ida.post(SETTINGS, body(1024 * 1024))).status).toBe(200)
  expectError(await ida.post(SETTINGS, body(1024 * 1024 + 1)), 413, 'payload_too_large')
})
