import { expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { A, B, CHANGES, DEVICES, OLD, openSync, timestampOf } from './scene.ts'

test('the worked sequence of docs/protocol.md, to the letter', async () => {
  const feed = 'https://a.example/f'
  const { ida, changesSince } = await openSync()
  await ida.post('/api/2/devices/ida/desk.json', {})
  const added = await ida.post(CHANGES, { add: [feed] })
  expect(added.json).toEqual({ timestamp: 1740909601, update_urls: [] })
  expect((await changesSince(0)).json).toEqual({ add: [feed], remove: [], timestamp: 1740909601 })
  expect((await changesSince(1740909601)).json).toEqual({ add: [], remove: [], timestamp: 1740909601 })
  expect((await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })).status).toBe(200)
  expect((await changesSince(0, 'desk')).json).toEqual({ add: [feed], remove: [], timestamp: 1740909603 })
  const removed = await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [feed] })
  expect(removed.json).toEqual({ timestamp: 1740909605, update_urls: [] })
  expect((await changesSince(1740909601)).json).toEqual({ add: [], remove: [feed], timestamp: 1740909605 })
  expect((await changesSince(0)).json).toEqual({ add: [], remove: [], timestamp: 1740909605 })
})

test.each([
  ['both lists', { add: [A, A], remove: [OLD, OLD] }, [A]],
  ['neither', {}, [OLD]],
  ['null for a list', { add: null, remove: null }, [OLD]],
  ['blank texts and nulls inside', { add: ['', null, A, '  '], remove: [null, '', '\ufeff'] }, [OLD, A]],
])('an upload may have %s; the answer has a timestamp and rewritten URLs alone', async (_, body, expected) => {
  const { ida, held } = await openSync()
  await ida.post(CHANGES, { add: [OLD] })
  const answer = await ida.post(CHANGES, body)
  expect(answer.json).toEqual({ timestamp: timestampOf(answer), update_urls: [] })
  expect(await held()).toEqual(expected)
})

test('an upload with one URL in both lists is refused, changes nothing and makes no device', async () => {
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

test('a fresh client is never told of removals, nor is one that sends no since (D36)', async () => {
  const { ida } = await openSync()
  await ida.post(CHANGES, { add: [A, B] })
  await ida.post(CHANGES, { remove: [A] })
  for (const query of ['', '?', '?since', '?since=', '?since=0', '?since=0.9', '?since=%20', '?since=00'])
    expect(await ida.get(`${CHANGES}${query}`)).toMatchObject({ status: 200, json: { add: [B], remove: [] } })
})

test.each([
  ['the second itself', '1740909600', [A]],
  ['the timestamp', '1740909601', []],
  ['far in the future', '99999999999999999999999', []],
])('since (D15): %s', async (_, value, add) => {
  const { ida, changesSince } = await openSync()
  await ida.post(CHANGES, { add: [A] })
  expect(await changesSince(value)).toMatchObject({ status: 200, json: { add, remove: [], timestamp: 1740909601 } })
})
