import { heapSize } from 'bun:jsc'
import { describe, expect, spyOn, test } from 'bun:test'
import type { ImportRecord } from '../../../src/domain/transfer/records.ts'
import { ofKind, readAll, standIn, table } from './stand-in.ts'

const MIB = 1024 * 1024
const A = 'https://feeds.example/a'
const EPISODE = 'https://media.example/1.mp3'
const IDA = '/api/2/devices/ida.json'
async function read(kind: 'gpodder' | 'nextcloud', routes: Readonly<Record<string, unknown>>) {
  return readAll(standIn(table(routes)).source({ kind }))
}

/** Lengths of all texts in a value. */
function lengthsIn(value: unknown): number[] {
  if (typeof value === 'string') return [value.length]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(lengthsIn) : []
}

const longest = (records: readonly ImportRecord[]) => Math.max(...lengthsIn(records))
/** A server with `more` in each item of its responses. */
function server(more: object): Readonly<Record<string, unknown>> {
  const feed = { url: A, title: 'Harbour', ...more }
  const action = { podcast: A, episode: EPISODE, action: 'play', timestamp: 5, position: 1, ...more }
  return {
    [IDA]: [{ id: 'phone', ...more }],
    '/subscriptions/ida.json': [feed],
    '/subscriptions/ida/phone.json': [feed],
    '/api/2/sync-devices/ida.json': { synchronized: [['phone', 'desk']] },
    '/api/2/episodes/ida.json': { actions: [action], timestamp: 9 },
    '/api/2/favorites/ida.json': [{ url: EPISODE, podcast_url: A, ...more }],
    '/api/2/lists/ida.json': [{ name: 'sea', title: 'Sea', ...more }],
    '/api/2/lists/ida/list/sea.json': [feed],
    '/index.php/apps/gpoddersync/subscriptions': { add: [A, feed], remove: [], timestamp: 9 },
    '/index.php/apps/gpoddersync/episode_action': { actions: [action], timestamp: 9 },
  }
}

const kindsIn = (records: readonly ImportRecord[]): ReadonlySet<ImportRecord['kind']> =>
  new Set(records.map(({ kind }) => kind).filter((kind) => kind !== 'progress' && kind !== 'skipped'))

describe('unused members of an item', () => {
  const all = {
    gpodder: ['device', 'feeds', 'sync_group', 'actions', 'favorite', 'podcast_list'],
    nextcloud: ['device', 'feeds', 'actions'],
  }
  const kinds = ['gpodder', 'nextcloud'] as const

  test.each(kinds)('are dropped: %s', async (kind) => {
    const { records, error } = await read(kind, server({ description: 'x'.repeat(100_000), x: Array(4000).fill([]) }))
    expect(error).toBeUndefined()
    expect([...kindsIn(records)]).toEqual(all[kind] as ImportRecord['kind'][])
    expect(longest(records)).toBeLessThan(200)
  })

  test.each([
    ['lists', { x: Array(60_000).fill([]) }],
    ['characters', { x: 'x'.repeat(256 * 1024) }],
  ])('with too many %s cause the item to be skipped without parsing', async (_what, more) => {
    const routes = { ...server(more), [IDA]: [{ id: 'phone' }] }
    const parse = spyOn(JSON, 'parse')
    const { records, error } = await read('gpodder', routes)
    const parsed = parse.mock.calls.map(([text]) => text.length)
    parse.mockRestore()
    expect(error).toBeUndefined()
    expect([...kindsIn(records)]).toEqual(['device', 'sync_group'])
    expect(Math.max(...parsed)).toBeLessThan(100)
    expect(ofKind({ records }, 'skipped').map(({ what }) => what)).toEqual(
      expect.arrayContaining(['subscriptions', 'favorites', 'podcast_lists', 'episode_actions']),
    )
  })

  test('are not kept in memory', async () => {
    const more = 'x'.repeat(180_000)
    function fat(): Response {
      let n = 0
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const item = JSON.stringify({ id: `d${n}`, url: `${A}/${n}`, title: `Podcast ${n}`, more })
        controller.enqueue(Buffer.from(`${n++ === 0 ? '[' : ','}${item}${n === 150 ? ']' : ''}`))
        if (n === 150) controller.close()
      }
      return new Response(new ReadableStream({ pull }))
    }
    const routes = { [IDA]: fat, '/subscriptions/ida.json': fat }
    const source = standIn(table(routes)).source({ kind: 'gpodder' })
    Bun.gc(true)
    const before = heapSize()
    let devices = 0
    for await (const { record } of source.records(undefined, new AbortController().signal)) {
      if (record.kind !== 'device' || ++devices < 150) continue
      Bun.gc(true)
      expect(heapSize() - before).toBeLessThan(5 * MIB)
      break
    }
    expect(devices).toBe(150)
  })
})

describe('texts above their limits', () => {
  const long = 'x'.repeat(100_000)
  const address = `${A}/${long}`
  const FAVORITES = '/api/2/favorites/ida.json'

  test.each([
    ['devices', { [IDA]: [{ id: long }] }],
    ['subscriptions', { '/subscriptions/ida/phone.json': [address, { url: address }, { feed: address }] }],
    ['favorites', { [FAVORITES]: [{ url: address, podcast_url: A }] }],
    ['favorites', { [FAVORITES]: [{ url: A, podcast_url: address }] }],
    ['podcast_lists', { '/api/2/lists/ida.json': [{ name: long }] }],
    ['podcast_lists', { '/api/2/lists/ida.json': [{ name: 'x'.repeat(1001), title: 'x' }] }],
  ])('are skipped as addresses or names of %s', async (what, routes) => {
    const { records, error } = await read('gpodder', { [IDA]: [{ id: 'phone' }], ...routes })
    expect(error).toBeUndefined()
    expect(longest(records)).toBeLessThan(200)
    expect(ofKind({ records }, 'skipped').map((record) => record.what)).toContain(what as 'devices')
  })

  test('are cut in titles', async () => {
    const { records } = await read('gpodder', {
      [IDA]: [{ id: 'phone', caption: long }],
      '/subscriptions/ida.json': [{ url: A, title: long }],
      '/subscriptions/ida/phone.json': [A],
      '/api/2/lists/ida.json': [{ name: 'sea', title: long }],
      '/api/2/lists/ida/list/sea.json': [A],
    })
    expect([...kindsIn(records)]).toEqual(['device', 'feeds', 'podcast_list'])
    expect(longest(records)).toBe(1000)
  })

  test('are left out of actions and groups', async () => {
    const { records } = await read('gpodder', {
      [IDA]: [{ id: 'phone' }],
      '/api/2/sync-devices/ida.json': { synchronized: [['phone', long], long] },
      '/api/2/episodes/ida.json': {
        actions: [
          { podcast: A, episode: EPISODE, action: 'new', device: long, guid: long },
          { podcast: A, episode: `${EPISODE}?${long}`, action: 'new' },
        ],
      },
    })
    expect(ofKind({ records }, 'sync_group')).toMatchObject([{ devices: ['phone'] }])
    expect(ofKind({ records }, 'actions')).toMatchObject([{ actions: [{ episode: EPISODE, device: undefined }] }])
    expect(longest(records)).toBeLessThan(200)
  })

  test('make smaller records of long actions', async () => {
    const actions = Array.from({ length: 40 }, (_, n) => ({
      ...{ podcast: A, episode: `${EPISODE}?${n}`, action: 'new', more: 'x'.repeat(60_000) },
    }))
    const { records } = await read('gpodder', { [IDA]: [], '/api/2/episodes/ida.json': { actions } })
    const lengths = ofKind({ records }, 'actions').map((record) => record.actions.length)
    expect(lengths).toEqual(Array(8).fill(5))
  })
})

test('texts that are kept until the end have a total limit', async () => {
  const lists = Array.from({ length: 9 }, (_, device) => [
    `/subscriptions/ida/d${device}.json`,
    () => Response.json(Array.from({ length: 2000 }, (_each, n) => `${A}/${device}/${n}/${'x'.repeat(4000)}`)),
  ])
  const devices = lists.map((_list, device) => ({ id: `d${device}` }))
  const { records, error } = await read('gpodder', { [IDA]: devices, ...Object.fromEntries(lists) })
  expect(error).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('too much text') })
  expect(ofKind({ records }, 'feeds').length).toBeGreaterThan(20)
})

test.each<[string, object]>([
  ['a long text', { x: 'x'.repeat(65_600) }],
  ['too much of everything', { a: Array(9000).fill(1), b: Array(60_000).fill(''), c: 'x'.repeat(100_000) }],
])('settings above 64 KiB are skipped: %s', async (_what, values) => {
  const { records, error } = await read('gpodder', {
    ...{ [IDA]: [], '/subscriptions/ida.json': [A] },
    '/api/2/settings/ida/account.json': { theme: 'dark' },
    '/api/2/settings/ida/podcast.json': values,
  })
  expect(error).toBeUndefined()
  expect(ofKind({ records }, 'settings')).toMatchObject([{ scope: 'account' }])
  expect(ofKind({ records }, 'skipped')).toContainEqual({
    ...{ kind: 'skipped', what: 'settings', reason: 'larger than 65536 bytes', examples: [`podcast ${A}`] },
  })
})

test('lone surrogates in names do not end the import', async () => {
  const { records, error } = await read('gpodder', {
    [IDA]: '[{"id":"\\ud800"},{"id":"x"}]',
    '/subscriptions/ida/x.json': [A],
    '/api/2/lists/ida.json': '[{"name":"\\udfff"}]',
  })
  expect(error).toBeUndefined()
  expect(ofKind({ records }, 'device')).toHaveLength(2)
  expect(ofKind({ records }, 'feeds')).toHaveLength(1)
})
