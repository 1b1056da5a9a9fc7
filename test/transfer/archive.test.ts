import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ImportRecord } from '../../src/domain/transfer/records.ts'
import { openArchive } from '../../src/transfer/files/archive.ts'
import { VALUE_LIMITS } from '../../src/transfer/files/json-stream.ts'
import { tempDirs } from '../store/temp-dir.ts'

const A = 'https://feeds.example/a'
const EPISODE = 'https://cdn.example/1.mp3'
const MIB = 1024 * 1024
const HEAD = { format: 'podstep account', version: 1 }
const dirs = tempDirs()

function written(archive: unknown): string {
  const path = join(dirs.make(), 'archive.json')
  writeFileSync(path, typeof archive === 'string' ? archive : JSON.stringify(archive))
  return path
}

async function recordsOf(path: string, resumeFrom?: string, signal = new AbortController().signal) {
  return Array.fromAsync(openArchive(path, 'archive.json').records(resumeFrom, signal))
}

/** The records of an archive, without progress. */
async function read(archive: unknown): Promise<ImportRecord[]> {
  const records = (await recordsOf(written(archive))).map(({ record }) => record)
  expect(records.at(-1)).toMatchObject({ kind: 'progress' })
  return records.filter(({ kind }) => kind !== 'progress')
}

const PLAYED = { podcast: A, episode: EPISODE, action: 'play', timestamp: '2025-03-01T10:00:00' }
const action = (position: number) => ({ ...PLAYED, position })

const WHOLE = {
  ...HEAD,
  account: { username: 'ida', secrets: ['not', 'looked', 'into'] },
  devices: [
    { id: 'bare' },
    {
      ...{ id: 'phone', caption: 'Phone', type: 'mobile', last_contact: '2025-03-01T10:00:00' },
      subscriptions: [{ url: A, added: '2025-03-01T10:00:00' }, { url: 'b', added: '' }, { url: 'c' }],
      unsubscribed: [{ url: 'd', removed: '2025-03-01T10:00:00' }],
      replaced_addresses: ['e'],
    },
    { id: 'last', caption: 'Last', type: 'tablet', last_contact: '' },
  ],
  sync_groups: [['phone', 'last']],
  settings: [{ scope: 'episode', podcast: A, episode: EPISODE, settings: { x: 1 } }],
  favorites: [{ podcast: A, episode: EPISODE, added: '2025-03-01T10:00:00' }],
  podcast_lists: [{ name: 'ignored', title: 'Good', podcasts: [A] }],
  chapters: [1, 2].map((start) => ({ podcast: A, episode: EPISODE, start, end: 9, label: 'l', advertisement: true })),
  titles: [{ podcast: A, title: 'Fog' }],
  news: [{ of: 'a later version that says it is of this one' }],
  episode_actions: Array.from({ length: 1200 }, (_, n) => action(n)),
}

test('an archive is read in order, and long lists in parts', async () => {
  const records = await read(WHOLE)
  const chapter = { end: 9, label: 'l', isAdvertisement: true }
  expect(records.slice(0, -3)).toEqual([
    { kind: 'device', id: 'bare', caption: undefined, type: undefined, lastSeenAt: undefined },
    { kind: 'device', id: 'phone', caption: 'Phone', type: 'mobile', lastSeenAt: 1_740_823_200 },
    {
      kind: 'feeds',
      device: 'phone',
      feeds: [
        { url: A, at: 1_740_823_200 },
        { url: 'b', at: 0 },
        { url: 'c', at: undefined },
      ],
    },
    { kind: 'unsubscribed', device: 'phone', feeds: [{ url: 'd', at: 1_740_823_200 }] },
    { kind: 'replaced', device: 'phone', feeds: [{ url: 'e' }] },
    { kind: 'device', id: 'last', caption: 'Last', type: undefined, lastSeenAt: 0 },
    { kind: 'sync_group', devices: ['phone', 'last'] },
    { kind: 'settings', scope: 'episode', device: undefined, podcast: A, episode: EPISODE, values: { x: 1 } },
    { kind: 'favorite', podcast: A, episode: EPISODE, at: 1_740_823_200 },
    { kind: 'podcast_list', title: 'Good', urls: [A] },
    { kind: 'chapters', podcast: A, episode: EPISODE, chapters: [1, 2].map((start) => ({ start, ...chapter })) },
    { kind: 'title', podcast: A, title: 'Fog' },
  ])
  const parts = records.slice(-3).map((record) => (record.kind === 'actions' ? record.actions.length : record))
  expect(parts).toEqual([500, 500, 200])
})

test('reading resumes at any cursor', async () => {
  const path = written(WHOLE)
  const all = await recordsOf(path)
  for (const [index, { cursor }] of all.entries()) {
    if (cursor === undefined) continue
    const rest = (await recordsOf(path, cursor)).map(({ record }) => record)
    const wanted = all.slice(index + 1).map(({ record }) => record)
    // A device may come twice, which changes nothing.
    expect(rest.filter(({ kind }) => kind !== 'device')).toEqual(wanted.filter(({ kind }) => kind !== 'device'))
    for (const record of wanted) if (record.kind === 'device') expect(rest).toContainEqual(record)
  }
})

test('progress is reported every few megabytes', async () => {
  const records = await recordsOf(
    written({ ...HEAD, episode_actions: Array.from({ length: 60_000 }, (_, n) => action(n)) }),
  )
  const far = records.flatMap(({ record }) => (record.kind === 'progress' ? [record.done / (record.total ?? 1)] : []))
  expect(far.length).toBeGreaterThan(2)
  expect(far).toEqual(far.toSorted((one, other) => one - other))
  expect(far.at(-1)).toBe(1)
})

test('reading ends when it is aborted', async () => {
  const abort = new AbortController()
  abort.abort(new Error('enough'))
  for (const from of [undefined, '40'])
    await expect(recordsOf(written(WHOLE), from, abort.signal)).rejects.toThrow('enough')
})

test.each<[string, unknown, RegExp]>([
  ['something else', { version: 1, format: 'podstep account' }, /not an archive of a podstep account/],
  ['another format', { ...HEAD, format: 'x' }, /not an archive of a podstep account/],
  ['a later version', { ...HEAD, version: 2 }, /version 2, of a later podstep/],
  ['version 0', { ...HEAD, version: 0 }, /has no version/],
  ['a version as a text', { ...HEAD, version: '1' }, /has no version/],
  ['no version', { format: HEAD.format }, /has no version/],
  ['a version at the end', { format: HEAD.format, devices: [{ id: 'x' }], version: 1 }, /has no version/],
  ['a part that is not a list', { ...HEAD, settings: { a: 1 } }, /settings is not a list/],
  ['a number for a list', { ...HEAD, titles: 7 }, /titles is not a list/],
  ['an object for feeds', { ...HEAD, devices: [{ id: 'x', unsubscribed: { a: [] } }] }, /unsubscribed is not a list/],
  ['a value that is not JSON', '{"format":"podstep account","version":1,"settings":[{1}]}', /is not JSON/],
])('%s is refused before anything is read', async (_name, archive, message) => {
  await expect(recordsOf(written(archive))).rejects.toMatchObject({
    name: 'DomainError',
    message: expect.stringMatching(message),
  })
})

describe('damaged, oversized and hostile content:', () => {
  const DAMAGED = 'the archive is damaged here'
  const skipped = (what: string, count?: number) => ({
    kind: 'skipped',
    what,
    reason: DAMAGED,
    ...(count && { count }),
  })

  const [DEVICE, NOT_AN_ID] = [
    { kind: 'device', id: 'x' },
    { ...action(1), device: 'no ID' },
  ]
  const skippedAction = (reason: string) => ({
    ...skipped('episode_actions', 1),
    reason: expect.stringContaining(reason),
  })
  const ofEpisode = { podcast: A, episode: EPISODE }
  test.each<[string, unknown, readonly unknown[]]>([
    [
      'a device without an ID',
      { devices: [{ caption: 'x', subscriptions: [{ url: A }] }] },
      [skipped('devices'), skipped('subscriptions', 1)],
    ],
    ['a number as a device', { devices: [7] }, [skipped('devices')]],
    [
      'feeds without URLs',
      { devices: [{ id: 'x', subscriptions: [7, { url: 8 }, null] }] },
      [expect.objectContaining(DEVICE), skipped('subscriptions', 3)],
    ],
    [
      'an invalid time',
      { devices: [{ id: 'x', unsubscribed: [{ url: A, removed: 'soon' }] }] },
      [expect.objectContaining(DEVICE), { kind: 'unsubscribed', device: 'x', feeds: [{ url: A, at: undefined }] }],
    ],
    [
      'a text as a group',
      { sync_groups: ['x', [1, 'y']] },
      [{ kind: 'sync_group', devices: ['y'] }, skipped('sync_groups', 1)],
    ],
    [
      'invalid settings',
      { settings: [{ scope: 'x', settings: {} }, { scope: 'account', settings: [] }, 1] },
      [skipped('settings', 3)],
    ],
    ['a favorite without an episode', { favorites: [{ podcast: A }, null] }, [skipped('favorites', 2)]],
    [
      'an invalid episode in the queue',
      { queue: [{ podcast: A }, 1, ofEpisode] },
      [{ kind: 'queue', episodes: [ofEpisode] }, skipped('queue', 2)],
    ],
    ['a list without podcasts', { podcast_lists: [{ title: 'x' }, 1] }, [skipped('podcast_lists', 2)]],
    [
      'a list without a title',
      { podcast_lists: [{ podcasts: [1, A] }] },
      [{ kind: 'podcast_list', title: '', urls: [A] }],
    ],
    ['chapters that are none', { chapters: [{ ...ofEpisode, start: '1' }, 1] }, [skipped('chapters', 2)]],
    ['titles that are none', { titles: [{ podcast: A }, 1] }, [skipped('titles', 2)]],
    [
      'invalid actions',
      { episode_actions: [7, { ...action(1), action: 'x' }, { ...action(1), podcast: 'x' }, NOT_AN_ID] },
      [
        { kind: 'actions', actions: [expect.objectContaining({ position: 1, device: undefined })] },
        ...['an episode action must be an object', 'action must be one of', 'without an http'].map(skippedAction),
      ],
    ],
  ])('%s', async (_name, lists, records) => {
    expect(await read({ ...HEAD, ...(lists as object) })).toEqual(records as ImportRecord[])
  })

  const LONG = 'x'.repeat(VALUE_LIMITS.bytes)
  const LISTS = Array.from({ length: VALUE_LIMITS.values }, () => [])
  const deep = JSON.parse('[['.repeat(40) + ']]'.repeat(40))

  test.each<[string, object]>([
    ['titles', { titles: [{ podcast: A, title: LONG }] }],
    ['titles', { titles: [{ podcast: A, title: 'x', more: deep }] }],
    ['episode_actions', { episode_actions: [{ ...action(1), more: LISTS }] }],
    ['favorites', { favorites: [{ ...ofEpisode, more: LISTS }] }],
    ['chapters', { chapters: [{ ...ofEpisode, start: 1, end: 2, label: LONG }] }],
    ['sync_groups', { sync_groups: [Array.from({ length: VALUE_LIMITS.values + 1 }, () => '')] }],
    ['subscriptions', { devices: [{ id: 'x', subscriptions: [{ url: LONG }] }] }],
    ['removed_subscriptions', { devices: [{ id: 'x', unsubscribed: [LISTS] }] }],
    ['replaced_addresses', { devices: [{ id: 'x', replaced_addresses: [LONG] }] }],
    ['settings', { settings: [{ scope: 'account', settings: { x: LONG } }] }],
    ['settings', { settings: [{ scope: 'account', settings: { x: Array(70_000).fill(0) } }] }],
    ['settings', { settings: [{ scope: 'account', settings: { x: deep } }] }],
    ['podcast_lists', { podcast_lists: [{ title: 'x', podcasts: Array(60_000).fill('') }] }],
    ['podcast_lists', { podcast_lists: [{ title: 'x', podcasts: ['x'.repeat(4 * MIB)] }] }],
  ])('an item above the limits is skipped: %s', async (what, lists) => {
    const records = (await read({ ...HEAD, ...lists })).filter(({ kind }) => kind !== 'device')
    expect(records).toEqual([{ kind: 'skipped', what, reason: 'too long' } as ImportRecord])
  })

  test.each([
    ['texts', { x: 'x'.repeat(65_528) }, { x: 'x'.repeat(65_529) }],
    ['numbers', { x: Array(32_764).fill(1) }, { x: Array(32_765).fill(1) }],
    ['characters of several bytes', { x: 'ö'.repeat(32_764) }, { x: 'ö'.repeat(32_765) }],
  ])('settings above 64 KiB are skipped: %s', async (_case, largest, larger) => {
    const records = await read({
      ...HEAD,
      settings: [largest, larger].map((settings) => ({ scope: 'podcast', podcast: A, settings })),
    })
    expect(records).toMatchObject([
      { kind: 'settings', values: largest },
      { kind: 'skipped', what: 'settings', reason: 'larger than 65536 bytes', examples: [`podcast ${A}`] },
    ])
  })

  test('chapters of several episodes stay in order', async () => {
    const chapter = { podcast: A, start: 0, end: 1, label: '', advertisement: false }
    const chapters = ['1', '2', '1'].map((episode) => ({ ...chapter, episode }))
    expect(await read({ ...HEAD, chapters })).toMatchObject([{ episode: '1' }, { episode: '2' }, { episode: '1' }])
  })

  test('a caption that is too long is dropped, and a device whose ID is too long is skipped', async () => {
    expect(await read({ ...HEAD, devices: [{ id: 'x', caption: 'x'.repeat(MIB + 1) }] })).toMatchObject([
      { kind: 'device', id: 'x', caption: undefined },
    ])
    for (const id of ['x'.repeat(8 * 1024), ['x'], { x: 1 }])
      expect(await read({ ...HEAD, devices: [{ id }] })).toEqual([skipped('devices') as ImportRecord])
  })

  const NAMES = [
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'prototype', ''],
    ...['*', 'devices/*', 'settings/*', 'titles/*/x', 'devices/*/subscriptions/*', 'episode_actions/*'],
  ]
  const VALUES = ['{}', '[]', '[{}]', '[[]]', '1', '"x"', 'null', `{"id":"y","subscriptions":["${A}"]}`]
  test.each(NAMES)('an unknown member is ignored anywhere: %p', async (name) => {
    for (const value of VALUES) {
      const member = `${JSON.stringify(name)}:${value}`
      const device = `{"id":"phone",${member},"subscriptions":[{"url":"${A}",${member}}]}`
      const settings = `{"scope":"account",${member},"settings":{${member}}}`
      const records = await read(
        `{"format":"podstep account","version":1,${member},"devices":[${device}],"settings":[${settings}]}`,
      )
      expect(records.map(({ kind }) => kind)).toEqual(['device', 'feeds', 'settings'])
      expect(records).toMatchObject([{ id: 'phone' }, { device: 'phone', feeds: [{ url: A }] }, {}])
      const [, , last] = records
      expect(last?.kind === 'settings' && JSON.stringify(last.values)).toBe(`{${member}}`)
    }
  })

  test('an ID in __proto__ is ignored', async () => {
    const archive = `{"format":"podstep account","version":1,"devices":[{"__proto__":{"id":"x"},"subscriptions":["${A}"]}]}`
    expect(await read(archive)).toEqual([skipped('devices'), skipped('subscriptions', 1)] as ImportRecord[])
  })

  test('a list with too many podcasts is skipped, but not one with a long address', async () => {
    const url = `https://feeds.example/${'x'.repeat(2 * MIB)}`
    const lists = [
      { title: 'many', podcasts: Array.from({ length: 20_001 }, () => A) },
      { title: 'long', podcasts: [url] },
    ]
    expect(await read({ ...HEAD, podcast_lists: lists })).toEqual([
      { kind: 'skipped', what: 'podcast_lists', reason: 'more podcasts than the lists of an account may have' },
      { kind: 'podcast_list', title: 'long', urls: [url] },
    ])
  })
})

test('an archive with more items than any account has is refused', async () => {
  const archive = `{"format":"podstep account","version":1,"favorites":[${'{},'.repeat(1_000_000)}{}]}`
  await expect(recordsOf(written(archive))).rejects.toThrow('this archive contains more than any account has')
})

test('any content is imported or refused with a clear error', async () => {
  const name = fc.constantFrom(
    ...['__proto__', 'constructor', 'id', 'url', 'podcast', 'episode', 'action', 'timestamp', 'device', 'scope'],
    ...['settings', 'podcasts', 'title', 'start', 'end', 'label', 'from', 'to', 'since', 'added', 'guid'],
  )
  const text = fc.constantFrom('', A, 'play', 'account', '2025-03-01T10:00:00', '\ud800', '9'.repeat(400), 'x')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      ...[text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
    ),
  }))
  const lists = fc.constantFrom(...Object.keys(WHOLE).filter((each) => !(each in HEAD)), '__proto__', 'toString')
  const archives = fc.array(fc.tuple(lists, fc.oneof(value, fc.array(value, { maxLength: 4 }))), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(archives, fc.option(fc.nat(400)), async (members, cutAt) => {
      const whole = `{"format":"podstep account","version":1${members.map(([list, items]) => `,"${list}":${JSON.stringify(items)}`).join('')}}`
      try {
        await read(cutAt === null ? whole : whole.slice(0, cutAt))
      } catch (error) {
        expect(error).toMatchObject({ name: 'DomainError' })
      }
    }),
    { numRuns: 300 },
  )
})

test('records of long items are small, to save memory', async () => {
  const label = 'x'.repeat(60 * 1024)
  const chapters = Array.from({ length: 20 }, (_, start) => ({ podcast: A, episode: EPISODE, start, end: 99, label }))
  const records = await read({ ...HEAD, chapters })
  expect(records.map((record) => (record.kind === 'chapters' ? record.chapters.length : 0))).toEqual([5, 5, 5, 5])
})

test('fields about removed actions, written by older versions, are ignored', async () => {
  const sitting = { since: '2025-03-01T09:00:00', heard_from: 30 }
  const heard = { podcast: A, episode: EPISODE, timestamp: '2025-03-01T09:00:00', from: 0, to: 30 }
  const records = await read({ ...HEAD, episode_actions: [{ ...action(60), sitting }], heard: [heard, 7] })
  expect(records).toEqual([{ kind: 'actions', actions: [expect.objectContaining({ position: 60 })] }])
})
