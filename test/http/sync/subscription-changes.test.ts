import { expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { A, B, CHANGES, DEVICES, GROUPS, OLD, openSync, timestampOf } from './scene.ts'

test('the worked example of docs/protocol.md is exact', async () => {
  const { ida, changesSince } = await openSync()
  await ida.post('/api/2/devices/ida/desk.json', {})
  const added = await ida.post(CHANGES, { add: [A] })
  expect(added.json).toEqual({ timestamp: 1740909601, update_urls: [] })
  expect((await changesSince(0)).json).toEqual({ add: [A], remove: [], timestamp: 1740909601 })
  expect((await changesSince(1740909601)).json).toEqual({ add: [], remove: [], timestamp: 1740909601 })
  expect((await ida.post(GROUPS, { synchronize: [['phone', 'desk']] })).status).toBe(200)
  expect((await changesSince(0, 'desk')).json).toEqual({ add: [A], remove: [], timestamp: 1740909603 })
  const removed = await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [A] })
  expect(removed.json).toEqual({ timestamp: 1740909605, update_urls: [] })
  expect((await changesSince(1740909601)).json).toEqual({ add: [], remove: [A], timestamp: 1740909605 })
  expect((await changesSince(0)).json).toEqual({ add: [], remove: [], timestamp: 1740909605 })
})

test.each([
  ['both lists', { add: [A, A], remove: [OLD, OLD] }, [A]],
  ['neither list', {}, [OLD]],
  ['null for a list', { add: null, remove: null }, [OLD]],
  ['blank strings and nulls in lists', { add: ['', null, A, '  '], remove: [null, '', '\ufeff'] }, [OLD, A]],
])('an upload may have %s', async (_, body, expected) => {
  const { ida, held } = await openSync()
  await ida.post(CHANGES, { add: [OLD] })
  const answer = await ida.post(CHANGES, body)
  expect(answer.json).toEqual({ timestamp: timestampOf(answer), update_urls: [] })
  expect(await held()).toEqual(expected)
})

test('an upload with one URL in both lists is refused, changes nothing and creates no device', async () => {
  const { ida, held } = await openSync()
  const before = timestampOf(await ida.post(CHANGES, { add: [OLD] }))
  for (const device of ['phone', 'new']) {
    const answer = await ida.post(`/api/2/subscriptions/ida/${device}.json`, { add: [B, A], remove: [A, OLD] })
    expectError(answer, 400, 'validation_failed', Reflect.get(Object(answer.json), 'field'))
  }
  expect(await held()).toEqual([OLD])
  expect(timestampOf(await ida.get(CHANGES))).toBe(before)
  expect(await ida.get(DEVICES)).toMatchObject({ json: [{ id: 'phone' }] })
})

test('removals are not listed without since or for since=0 (D36)', async () => {
  const { ida } = await openSync()
  await ida.post(CHANGES, { add: [A, B] })
  await ida.post(CHANGES, { remove: [A] })
  for (const query of ['', '?', '?since', '?since=', '?since=0', '?since=0.9', '?since=%20', '?since=00'])
    expect(await ida.get(`${CHANGES}${query}`)).toMatchObject({ status: 200, json: { add: [B], remove: [] } })
})

test('since may be the second of a change, the timestamp, or far in the future (D15)', async () => {
  const { ida, changesSince } = await openSync()
  await ida.post(CHANGES, { add: [A] })
  for (const [since, add] of [
    ['1740909600', [A]],
    ['1740909601', []],
    ['99999999999999999999999', []],
  ] as const)
    expect(await changesSince(since)).toMatchObject({ status: 200, json: { add, remove: [], timestamp: 1740909601 } })
})
