import { expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { openSync, timestampOf } from './scene.ts'

const PATH = '/api/2/sync-devices/ida.json'

const feed = (name: string) => `https://feeds.example/${name}`

/** Creates ida's devices in this order, with a feed for each letter: `{ phone: 'ab' }` has feeds a and b. */
async function open(devices: Record<string, string>) {
  const { ida, held, changesSince } = await openSync()
  for (const [device, feeds] of Object.entries(devices))
    await ida.put(`/subscriptions/ida/${device}.txt`, [...feeds].map(feed).join('\n'))
  const lettersOf = async (device: string) =>
    (await held(device))
      .map((url) => String(url).at(-1))
      .toSorted()
      .join('')
  return {
    ida,
    changesSince,
    group: (...members: string[]) => ida.post(PATH, { synchronize: [members] }),
    groups: async () => (await ida.get(PATH)).json,
    held: (...names: string[]) => Promise.all(names.map(lettersOf)),
  }
}

test('forming a group gives every member the union, each as an addition in its next delta (D35)', async () => {
  const { ida, group, groups, held, changesSince } = await open({ phone: 'ab', desk: 'bc', car: 'd' })
  expect(await groups()).toEqual({ synchronized: [], 'not-synchronized': ['phone', 'desk', 'car'] })
  const since = timestampOf(await ida.get('/api/2/subscriptions/ida/phone.json'))
  const status = { synchronized: [['phone', 'desk']], 'not-synchronized': ['car'] }
  expect(await group('phone', 'desk')).toMatchObject({ status: 200, json: status })
  expect(await held('phone', 'desk', 'car')).toEqual(['abc', 'abc', 'd'])
  const delta = async (device: string) => (await changesSince(since, device)).json
  expect(await delta('phone')).toMatchObject({ add: [feed('c')], remove: [] })
  expect(await delta('desk')).toMatchObject({ add: [feed('a')], remove: [] })
  const before = await delta('car')
  expect(before).toMatchObject({ add: [], remove: [] })
  // The same group again changes nothing, not even the clock.
  await group('desk', 'phone')
  expect(await delta('car')).toEqual(before)
})

test('null counts as missing, and is dropped from lists', async () => {
  const { ida, groups } = await open({ a: '1', b: '2', c: '3' })
  const grouped = { synchronized: [['a', 'b']], 'not-synchronized': ['c'] }
  const parted = { synchronized: [], 'not-synchronized': ['a', 'b', 'c'] }
  const steps = [
    [{ synchronize: [['a', null, 'b'], null], 'stop-synchronize': null }, grouped],
    [{ synchronize: null, 'stop-synchronize': [null] }, grouped],
    [{ synchronize: null, 'stop-synchronize': ['a', null] }, parted],
  ]
  for (const [body, status] of steps) expect(await ida.post(PATH, body)).toMatchObject({ status: 200, json: status })
  expect(await groups()).toEqual(parted)
})

const lists = (...groups: unknown[]) => ({ synchronize: groups })

test.each<[string, unknown, string | undefined]>([
  ['an unknown device after a good list', lists(['a', 'c'], ['b', 'ghost']), undefined],
  ['a flat list', lists('a', 'c'), 'synchronize'],
  ['an invalid device ID', lists(['a', 'c'], ['b', '!']), 'device'],
])('a request that cannot be carried out changes nothing at all: %s', async (_, body, field) => {
  const { ida, group, groups, held, changesSince } = await open({ a: '1', b: '2', c: '3', d: '4' })
  await group('b', 'd')
  const state = async () => [await groups(), (await changesSince(0, 'a')).json]
  const before = await state()
  const answer = await ida.post(PATH, body)
  if (field === undefined) expectError(answer, 404, 'unknown_device')
  else expectError(answer, 400, 'validation_failed', field)
  expect(await state()).toEqual(before)
  expect(await held('a', 'b', 'c', 'd')).toEqual(['1', '24', '3', '24'])
})
