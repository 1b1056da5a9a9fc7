import { describe, expect, test } from 'bun:test'
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

describe('an upload of changes', () => {
  test.each([
    ['both lists', { add: [A], remove: [OLD] }, [A]],
    ['only remove', { remove: [OLD] }, []],
    ['neither', {}, [OLD]],
    ['null for a list', { add: null, remove: null }, [OLD]],
    ['blank texts and nulls inside', { add: ['', null, A, '  '], remove: [null, '', '\ufeff'] }, [OLD, A]],
    ['the same URL twice', { add: [A, A], remove: [OLD, OLD] }, [A]],
  ])('may have %s; the answer has a timestamp and rewritten URLs, and nothing else', async (_, body, expected) => {
    const { ida, held } = await openSync()
    await ida.post(CHANGES, { add: [OLD] })
    const answer = await ida.post(CHANGES, body)
    expect(answer.json).toEqual({ timestamp: timestampOf(answer), update_urls: [] })
    expect(await held()).toEqual(expected)
  })

  test('that changes nothing does not tick', async () => {
    const { app, ida } = await openSync()
    const first = timestampOf(await ida.post(CHANGES, { add: [A] }))
    app.clock.advance(3600)
    expect(timestampOf(await ida.post(CHANGES, { add: [A], remove: [B] }))).toBe(first)
    expect(timestampOf(await ida.get(CHANGES))).toBe(first)
  })

  test('reports each rewritten or rejected URL once, of both lists, in strings only', async () => {
    const { ida, held } = await openSync()
    const raws = ['https://feeds.example/as-it-is', ' HTTP://Feeds.example ', 'feed://feeds.example/f', 'harbour']
    const pairs = [
      [' HTTP://Feeds.example ', 'http://feeds.example/'],
      ['feed://feeds.example/f', 'http://feeds.example/f'],
      ['harbour', ''],
    ]
    const add = [...raws, ...raws]
    expect((await ida.post(CHANGES, { add })).json).toMatchObject({ update_urls: pairs })
    expect(new Set(await held())).toEqual(
      new Set(['https://feeds.example/as-it-is', 'http://feeds.example/', 'http://feeds.example/f']),
    )
    expect((await ida.post(CHANGES, { remove: add })).json).toMatchObject({ update_urls: pairs })
    expect(await held()).toEqual([])
  })

  test.each<[string, unknown, string | undefined]>([
    ['one URL in both lists', { add: [B, A], remove: [A, OLD] }, undefined],
    ['a number in a list', { add: [A, 7] }, 'add'],
    ['an object in a list', { add: [{ url: A }] }, 'add'],
  ])('with %s is refused and changes nothing', async (_, body, field) => {
    const { ida, held } = await openSync()
    const before = timestampOf(await ida.post(CHANGES, { add: [OLD] }))
    for (const device of ['phone', 'new']) {
      const answer = await ida.post(`/api/2/subscriptions/ida/${device}.json`, body)
      expectError(answer, 400, 'validation_failed', field ?? Reflect.get(Object(answer.json), 'field'))
    }
    expect(await held()).toEqual([OLD])
    expect(timestampOf(await ida.get(CHANGES))).toBe(before)
    expect(await ida.get(DEVICES)).toMatchObject({ json: [{ id: 'phone' }] })
  })
})

describe('a fetch of changes', () => {
  test('of an unknown device is empty, and makes no device (D42)', async () => {
    const { ida, changesSince } = await openSync()
    expect((await changesSince(0, 'ghost')).json).toEqual({ add: [], remove: [], timestamp: 1 })
    const timestamp = timestampOf(await ida.post(CHANGES, { add: [A] }))
    for (const since of [0, timestamp])
      expect((await changesSince(since, 'ghost')).json).toEqual({ add: [], remove: [], timestamp })
    expect(await ida.get(DEVICES)).toMatchObject({ json: [{ id: 'phone' }] })
  })
})

test('a fresh client is never told of removals, nor is one that sends no since', async () => {
  const { ida } = await openSync()
  await ida.post(CHANGES, { add: [A, B] })
  await ida.post(CHANGES, { remove: [A] })
  for (const query of ['', '?', '?since', '?since=', '?since=0', '?since=0.9', '?since=%20', '?since=00'])
    expect(await ida.get(`${CHANGES}${query}`)).toMatchObject({ status: 200, json: { add: [B], remove: [] } })
})

test.each([
  ['one second before', '1740909599', true],
  ['the second itself', '1740909600', true],
  ['the timestamp', '1740909601', false],
  ['far in the future', '99999999999999999999999', false],
])('since (D15): %s', async (_, value, seen) => {
  const { app, ida, changesSince } = await openSync()
  await ida.post('/api/2/subscriptions/ida/desk.json', {})
  expect(app.clock.seconds()).toBe(1_740_909_600)
  await ida.post(CHANGES, { add: [A] })
  expect(await changesSince(value)).toMatchObject({
    status: 200,
    json: { add: seen ? [A] : [], remove: [], timestamp: 1740909601 },
  })
})
