import { expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { CHANGES, GROUPS, openSync, timestampOf } from './scene.ts'

const feed = (name: string) => `https://feeds.example/${name}`

/** Creates devices in this order, with a feed for each letter: `{ phone: 'ab' }` has feeds a and b. */
async function open(devices: Record<string, string>) {
  const { ida, held, changesSince } = await openSync()
  for (const [device, feeds] of Object.entries(devices))
    await ida.put(`/subscriptions/ida/${device}.txt`, [...feeds].map(feed).join('\n'))
  const lettersOf = async (device: string) => {
    const letters = (await held(device)).map((url) => String(url).at(-1))
    return letters.toSorted().join('')
  }
  return {
    ida,
    changesSince,
    group: (...members: string[]) => ida.post(GROUPS, { synchronize: [members] }),
    groups: async () => (await ida.get(GROUPS)).json,
    held: (...names: string[]) => Promise.all(names.map(lettersOf)),
  }
}

test('a new group has the union of its lists, as additions in the next delta of each device (D35)', async () => {
  const { ida, group, groups, held, changesSince } = await open({ phone: 'ab', desk: 'bc', car: 'd' })
  expect(await groups()).toEqual({ synchronized: [], 'not-synchronized': ['phone', 'desk', 'car'] })
  const since = timestampOf(await ida.get(CHANGES))
  const status = { synchronized: [['phone', 'desk']], 'not-synchronized': ['car'] }
  expect(await group('phone', 'desk')).toMatchObject({ status: 200, json: status })
  expect(await held('phone', 'desk', 'car')).toEqual(['abc', 'abc', 'd'])
  const delta = async (device: string) => (await changesSince(since, device)).json
  expect(await delta('phone')).toMatchObject({ add: [feed('c')], remove: [] })
  expect(await delta('desk')).toMatchObject({ add: [feed('a')], remove: [] })
  const before = await delta('car')
  expect(before).toMatchObject({ add: [], remove: [] })
  // The same group again does not even move the clock.
  await group('desk', 'phone')
  expect(await delta('car')).toEqual(before)
})

test('null counts as missing, and is dropped from lists', async () => {
  const { ida } = await open({ a: '1', b: '2', c: '3' })
  const grouped = { synchronized: [['a', 'b']], 'not-synchronized': ['c'] }
  for (const [body, json] of [
    [{ synchronize: [['a', null, 'b'], null], 'stop-synchronize': null }, grouped],
    [{ synchronize: null, 'stop-synchronize': [null] }, grouped],
    [
      { synchronize: null, 'stop-synchronize': ['a', null] },
      { synchronized: [], 'not-synchronized': ['a', 'b', 'c'] },
    ],
  ])
    expect(await ida.post(GROUPS, body)).toMatchObject({ status: 200, json })
})

test.each<[string, unknown[], string | undefined]>([
  [
    'an unknown device after a good list',
    [
      ['a', 'c'],
      ['b', 'ghost'],
    ],
    undefined,
  ],
  ['a flat list', ['a', 'c'], 'synchronize'],
  [
    'an invalid device ID',
    [
      ['a', 'c'],
      ['b', '!'],
    ],
    'device',
  ],
])('a request with %s changes nothing', async (_, synchronize, field) => {
  const { ida, group, groups, held, changesSince } = await open({ a: '1', b: '2', c: '3', d: '4' })
  await group('b', 'd')
  const state = async () => [await groups(), (await changesSince(0, 'a')).json]
  const before = await state()
  const answer = await ida.post(GROUPS, { synchronize })
  if (field === undefined) expectError(answer, 404, 'unknown_device')
  else expectError(answer, 400, 'validation_failed', field)
  expect(await state()).toEqual(before)
  expect(await held('a', 'b', 'c', 'd')).toEqual(['1', '24', '3', '24'])
})
