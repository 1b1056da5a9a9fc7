import { describe, expect, test } from 'bun:test'
import { slices } from '../../../src/domain/shared/lists.ts'
import { type ImportRecord, ITEMS_PER_RECORD } from '../../../src/domain/transfer/records.ts'
import { Secret } from '../../../src/platform/secret.ts'
import { A, action, addDevices, B, C, change, listActions, report, T } from '../../store/contract/fixtures.ts'
import { importScene } from './import-scene.ts'

const MEDIA = 'https://cdn.example/1.mp3'
const CHAPTER = { start: 1, end: 2, label: 'one', isAdvertisement: false }
const count = (imported: number, present = 0, skipped = 0) => ({ imported, present, skipped })

const EVERYTHING: readonly ImportRecord[] = [
  { kind: 'device', id: 'phone', caption: 'Pixel', type: 'mobile' },
  { kind: 'device', id: 'laptop' },
  { kind: 'feeds', device: 'phone', feeds: [{ url: A, title: 'Fog' }, { url: B }] },
  { kind: 'feeds', device: 'laptop', feeds: [{ url: A }] },
  { kind: 'replaced', device: 'phone', feeds: [{ url: C }] },
  { kind: 'sync_group', devices: ['phone', 'laptop'] },
  { kind: 'settings', scope: 'account', values: { theme: 'dark' } },
  { kind: 'settings', scope: 'device', device: 'phone', values: { volume: 3 } },
  { kind: 'favorite', podcast: A, episode: MEDIA, at: T - 1000 },
  { kind: 'podcast_list', title: 'Good ones', urls: [A, B] },
  { kind: 'chapters', podcast: A, episode: MEDIA, chapters: [CHAPTER] },
  { kind: 'title', podcast: B, title: 'Bees' },
  { kind: 'actions', actions: [action({ device: 'phone' }), action({ device: 'gone', kind: 'delete' })] },
  { kind: 'skipped', what: 'settings', reason: 'there is no way to read them', examples: ['x'] },
  { kind: 'progress', done: 3, total: 4 },
]

describe('an import', () => {
  test('imports everything, and reports how much', async () => {
    const { run, store, user, fetched } = await importScene()
    expect(await run(EVERYTHING)).toEqual({
      counts: {
        ...{ devices: count(2), subscriptions: count(3), replaced_addresses: count(1), sync_groups: count(1) },
        ...{ settings: count(2, 0, 1), favorites: count(1), podcast_lists: count(1), chapters: count(1) },
        ...{ titles: count(1), episode_actions: count(2) },
      },
      skipped: [{ what: 'settings', reason: 'there is no way to read them', count: 1, examples: ['x'] }],
      done: 3,
      total: 4,
    })
    expect(await store.devices.list(user)).toMatchObject([
      { uid: 'phone', caption: 'Pixel', type: 'mobile', subscriptions: 2 },
      // Joining the group gave it the podcasts of the phone. A device named only by the history is not created.
      { uid: 'laptop', caption: 'laptop', type: 'other', subscriptions: 2 },
    ])
    expect(await listActions(store, user)).toHaveLength(2)
    expect(await store.syncGroups.status(user)).toMatchObject({ synchronized: [['phone', 'laptop']] })
    expect((await Array.fromAsync(store.exports.favorites(user))).flat()).toMatchObject([
      { target: `${A} ${MEDIA}`, at: T - 1000 },
    ])
    expect((await Array.fromAsync(store.exports.titles(user))).flat()).toMatchObject([
      { podcast: A, title: 'Fog' },
      { podcast: B, title: 'Bees' },
    ])
    expect(fetched).toEqual([A, B, A])
  })

  test('changes nothing the second time, and does not move the clock', async () => {
    const { run, db, clock } = await importScene()
    const first = await run(EVERYTHING)
    const before = db.serialize()
    clock.advance(3600)
    const { counts } = await run(EVERYTHING)
    expect(Object.keys(counts)).toEqual(Object.keys(first.counts))
    expect(Buffer.compare(db.serialize(), before)).toBe(0)
    for (const [kind, { imported, present }] of Object.entries(counts))
      expect([kind, imported, present > 0]).toEqual([kind, 0, true])
  })

  test('keeps what the account already has', async () => {
    const { run, store, user, clock } = await importScene()
    await store.devices.upsert(user, 'phone', { caption: 'Mine', type: 'laptop' }, T)
    await store.settings.change(user, { scope: 'account', target: '' }, { set: { theme: 'light' }, remove: [] }, T)
    await store.podcastLists.create(user, { name: 'good-ones', title: 'Good ones', urls: [C] }, T)
    clock.advance(10)
    const { skipped } = await run([
      ...EVERYTHING,
      { kind: 'settings', scope: 'account', values: { theme: 'dark', more: 1 } },
    ])
    expect(await store.devices.list(user)).toMatchObject([{ caption: 'Mine', type: 'laptop' }, {}])
    expect(await store.settings.read(user, { scope: 'account', target: '' })).toBe('{"theme":"light","more":1}')
    expect(await store.podcastLists.listUrls(user, 'good-ones')).toEqual([C])
    const reason = 'a list with this name and other podcasts exists'
    expect(skipped).toContainEqual({ what: 'podcast_lists', reason, count: 1, examples: ['Good ones'] })
  })

  test('keeps actions that a history repeats', async () => {
    const { run, store, user } = await importScene()
    const finish = { kind: 'play', started: 100, position: 100, total: 100, device: 'phone' } as const
    const actions = [action({ ...finish, at: T }), action({ ...finish, at: T + 5 })]
    const once = await run([{ kind: 'actions', actions }])
    expect(once.counts.episode_actions).toEqual(count(2))
    const again = await run([{ kind: 'actions', actions }])
    expect(again.counts.episode_actions).toEqual(count(0, 2))
    expect(await listActions(store, user)).toHaveLength(2)
  })
})

test('a webhook reports devices that apps create, not those of an import', async () => {
  const { run, store, user } = await importScene()
  const webhook = { url: 'https://hooks.example/', format: 'json', events: ['new_device'] } as const
  await store.webhooks.set(user, webhook, new Secret('whsec_x'), false)
  await addDevices(store, user, 'laptop')
  await run([
    { kind: 'device', id: 'phone' },
    { kind: 'feeds', device: 'tablet', feeds: [{ url: A }] },
    { kind: 'device', id: 'laptop' },
  ])
  expect(await store.devices.list(user)).toHaveLength(3)
  expect((await store.webhooks.news(user, 'new_device')).devices).toMatchObject([{ uid: 'laptop' }])
})

describe('an account that has never been used', () => {
  const ARCHIVED: readonly ImportRecord[] = [
    { kind: 'device', id: 'phone' },
    {
      kind: 'feeds',
      device: 'phone',
      feeds: [
        { url: A, at: T - 500 },
        { url: B, at: 0 },
      ],
    },
    { kind: 'unsubscribed', device: 'phone', feeds: [{ url: C, at: T - 100 }] },
  ]

  test('keeps the times of an archive, so that apps continue with their since, and changes nothing the second time', async () => {
    const { run, db, store, user, clockOf, fetched } = await importScene()
    expect((await run(ARCHIVED)).counts).toEqual({
      ...{ devices: count(1), subscriptions: count(2), removed_subscriptions: count(1) },
    })
    expect(clockOf()).toBe(T - 100)
    expect(await store.subscriptions.changesSince(user, 'phone', T - 499)).toMatchObject({ add: [], remove: [C] })
    expect(await store.subscriptions.changesSince(user, 'phone', T - 500)).toMatchObject({ add: [A], remove: [C] })
    expect(fetched).toEqual([A, B])

    const before = db.serialize()
    expect((await run(ARCHIVED)).counts).toEqual({
      ...{ devices: count(0, 1), subscriptions: count(0, 2), removed_subscriptions: count(0, 1) },
    })
    expect(Buffer.compare(db.serialize(), before)).toBe(0)
  })

  test('with auto_sync gives all its devices what an archive has for one of them', async () => {
    const { run, store, user } = await importScene()
    await store.settings.change(user, { scope: 'account', target: '' }, { set: { auto_sync: true }, remove: [] }, T)
    const { counts } = await run([
      { kind: 'device', id: 'phone' },
      { kind: 'device', id: 'laptop' },
      { kind: 'feeds', device: 'phone', feeds: [{ url: A, at: T - 500 }] },
      { kind: 'feeds', device: 'laptop', feeds: [{ url: B, at: T - 400 }] },
    ])
    expect(counts.subscriptions).toMatchObject({ skipped: 0 })
    for (const device of ['phone', 'laptop'])
      expect(new Set((await store.subscriptions.listDevice(user, device)) as string[])).toEqual(new Set([A, B]))
  })

  test('loses that state once its clock has moved: everything is new to apps, and nothing is removed', async () => {
    const { run, store, user } = await importScene()
    const used = await change(store, user, 'laptop', { add: [C] })
    const { counts, skipped } = await run(ARCHIVED)
    expect(counts).toMatchObject({ subscriptions: count(2), removed_subscriptions: count(0, 0, 1) })
    expect(skipped).toMatchObject([{ what: 'removed_subscriptions', examples: [C] }])
    expect(await store.subscriptions.changesSince(user, 'phone', used + 1)).toMatchObject({ add: [A, B], remove: [] })
  })
})

describe('invalid or excess data', () => {
  test('is reported with examples, and the rest is imported', async () => {
    const { run, store, user } = await importScene()
    const { counts, skipped } = await run([
      { kind: 'device', id: 'no device' },
      { kind: 'device', id: 'phone', caption: '   ' },
      { kind: 'feeds', device: 'no device', feeds: [{ url: A }] },
      { kind: 'unsubscribed', device: 'no device', feeds: [{ url: A }] },
      { kind: 'replaced', device: 'no device', feeds: [{ url: A }] },
      { kind: 'feeds', device: 'phone', feeds: [{ url: 'ftp://a.example/' }, { url: '' }, { url: A }] },
      { kind: 'unsubscribed', device: 'phone', feeds: [{ url: 'nonsense' }] },
      { kind: 'sync_group', devices: ['phone', 'no device', 'phone'] },
      { kind: 'settings', scope: 'device', device: 'no device', values: { a: 1 } },
      { kind: 'settings', scope: 'podcast', podcast: A, values: { a: 'x'.repeat(70_000) } },
      { kind: 'favorite', podcast: 'nonsense', episode: MEDIA },
      { kind: 'podcast_list', title: '???', urls: [] },
      { kind: 'chapters', podcast: A, episode: 'nonsense', chapters: [CHAPTER] },
      { kind: 'title', podcast: 'https://unknown.example/f', title: 'Nobody has it' },
    ])
    expect(counts).toEqual({
      ...{ devices: count(1, 0, 1), subscriptions: count(1, 0, 3), removed_subscriptions: count(0, 0, 2) },
      ...{ replaced_addresses: count(0, 0, 1), sync_groups: count(0, 0, 1), settings: count(0, 0, 2) },
      ...{ favorites: count(0, 0, 1), podcast_lists: count(0, 0, 1), chapters: count(0, 0, 1) },
      // No podcast here needs this title.
      titles: count(0, 1),
    })
    const examples = ['ftp://a.example/', '']
    const reason = 'not an http or https address'
    expect(skipped).toContainEqual({ what: 'subscriptions', reason, count: 2, examples })
    expect(await store.devices.list(user)).toMatchObject([{ uid: 'phone', caption: 'phone' }])
  })

  test('does not exceed the limits of an account, and is reported', async () => {
    const { run, store, user } = await importScene({ subscriptions: 3, devices: 1, settings: 1 })
    const feeds = Array.from({ length: 7 }, (_, n) => ({ url: `https://many.example/${n}` }))
    const { counts, skipped } = await run([
      { kind: 'feeds', device: 'phone', feeds },
      { kind: 'feeds', device: 'phone', feeds: [{ url: A }] },
      { kind: 'device', id: 'laptop' },
      { kind: 'device', id: 'tablet' },
      { kind: 'settings', scope: 'podcast', podcast: A, values: { a: 1 } },
      { kind: 'settings', scope: 'podcast', podcast: B, values: { a: 1 } },
    ])
    expect(counts).toEqual({ devices: count(1, 0, 2), subscriptions: count(3, 0, 5), settings: count(1, 0, 1) })
    const skips = skipped.map((each) => `${each.count} ${each.what}`)
    expect(skips).toEqual(['5 subscriptions', '2 devices', '1 settings'])
    expect(await store.subscriptions.listDevice(user, 'phone')).toHaveLength(3)
  })

  test('with the times of an archive does not exceed the limits either', async () => {
    const { run, store, user } = await importScene({ subscriptions: 2 })
    const feeds = [A, B, C].map((url) => ({ url, at: T - 5 }))
    const { counts } = await run([{ kind: 'feeds', device: 'phone', feeds }])
    expect(counts.subscriptions).toEqual(count(2, 0, 1))
    expect(await store.subscriptions.listDevice(user, 'phone')).toEqual([A, B])
  })

  test('such as 1,500 device names in a history is cut to 1,000', async () => {
    const { run, store, user } = await importScene()
    const actions = Array.from({ length: 1500 }, (_, n) => action({ device: `d${n}`, at: T + n }))
    const { counts } = await run(
      [...slices(actions, ITEMS_PER_RECORD)].map((some) => ({ kind: 'actions', actions: some })),
    )
    expect(counts).toEqual({ devices: count(0, 0, 500), episode_actions: count(1500) })
    const stored = await listActions(store, user)
    expect(new Set(stored.flatMap(({ device }) => device ?? [])).size).toBe(1000)
    expect(await store.devices.list(user)).toEqual([])
  })
})

test('an import ends when its account is removed', async () => {
  const { run, store, db, user } = await importScene()
  await addDevices(store, user, 'phone')
  await report(store, user, [action()])
  db.run('DELETE FROM users')
  for (const record of EVERYTHING.filter(({ kind }) => ['device', 'feeds', 'actions', 'favorite'].includes(kind)))
    await expect(run([record])).rejects.toMatchObject({ code: 'unauthorized' })
})
