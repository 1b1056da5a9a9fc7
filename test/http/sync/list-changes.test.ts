import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { expectError } from '../error.ts'
import { A, B, GROUPS, OLD, openSync, PHONE, SETTINGS } from './scene.ts'

// docs/protocol.md#undo

const CHANGES = '/api/2/me/changes'
const RESTORE = '/api/2/me/restore'
const HOUR = 3600
const DAY = 24 * HOUR
const feed = (n: number) => `https://feeds.example/${n}`

async function open(options: TestAppOptions = {}) {
  const scene = await openSync(options)
  const { app, ida } = scene
  app.clock.advance(10)
  return {
    ...scene,
    now: () => app.clock.seconds(),
    /** Uploads changes, ten seconds later. */
    async upload(device: string, add: string[], remove: string[] = [], headers: Record<string, string> = {}) {
      app.clock.advance(10)
      const answer = await ida.post(`/api/2/subscriptions/ida/${device}.json`, { add, remove }, { headers })
      expect(answer.status).toBe(200)
    },
    async put(device: string, urls: string[]) {
      app.clock.advance(10)
      expect((await ida.put(`/subscriptions/ida/${device}.txt`, urls.join('\n'))).status).toBe(200)
    },
    group: (...devices: string[]) => ida.post(GROUPS, { synchronize: [devices] }),
    async page(before?: unknown) {
      const { status, json } = await ida.get(`${CHANGES}${before == null ? '' : `?before=${before}`}`)
      expect(status).toBe(200)
      return json as { items: Record<string, unknown>[]; next: number | null }
    },
    restore: (device: string | null, time: number) => ida.post(RESTORE, { device, time }),
  }
}

describe('the list of changes', () => {
  test('shows what each app did, newest first, with up to five podcasts and one entry per group', async () => {
    const { ida, upload, put, group, page, now } = await open()
    const first = now() + 10
    await upload('phone', [feed(1), feed(2)], [], { 'user-agent': 'AntennaPod/3.4.0' })
    await ida.post(PHONE, { caption: 'Pixel 8' })
    await upload('desk', [feed(3)], [], { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/130.0' })
    await group('phone', 'desk')
    await put('desk', [3, 4, 5, 6, 7, 8, 9].map(feed))
    // Changes nothing.
    await put('desk', [3, 4, 5, 6, 7, 8, 9].map(feed))
    await upload('phone', [], [feed(1)])
    const { items, next } = await page()
    const podcasts = (...numbers: number[]) => numbers.map((n) => ({ url: feed(n), title: feed(n) }))
    const common = { id: expect.any(Number), app: '', kind: 'upload', removed: [], removed_count: 0, can_undo: true }
    const desk = { ...common, device: 'desk', device_caption: 'desk' }
    expect(items).toEqual([
      {
        ...{ ...desk, time: first + 20, kind: 'replace', text: 'desk added 6 podcasts and removed 2 podcasts' },
        ...{ added: podcasts(4, 5, 6, 7, 8), added_count: 6, removed: podcasts(1, 2), removed_count: 2 },
      },
      {
        ...{ ...common, time: first + 10, device: null, device_caption: '', kind: 'sync', can_undo: false },
        ...{ added: podcasts(1, 2, 3), added_count: 3, text: 'Devices were put in sync, which added 3 podcasts' },
      },
      {
        ...{ ...desk, time: first + 10, app: 'Firefox on Linux', text: 'desk added 1 podcast' },
        ...{ added: podcasts(3), added_count: 1 },
      },
      {
        ...{ ...common, time: first, device: 'phone', device_caption: 'Pixel 8', app: 'AntennaPod' },
        // The device did not exist before this change.
        ...{ added: podcasts(1, 2), added_count: 2, text: 'Pixel 8 added 2 podcasts', can_undo: false },
      },
    ])
    expect(next).toBeNull()
  })

  test('has pages of 50 that neither miss nor repeat a change', async () => {
    const { ida, upload, page } = await open()
    for (let n = 0; n < 101; n++) await upload('phone', [feed(n)])
    const pages = [await page()]
    for (let next = pages[0]?.next; next != null; next = pages.at(-1)?.next) pages.push(await page(next))
    expect(pages.map(({ items }) => items.length)).toEqual([50, 50, 1])
    const seen = pages.flatMap(({ items }) => items).map(({ added }) => Object(added)[0].url)
    expect(seen).toEqual(Array.from({ length: 101 }, (_, n) => feed(100 - n)))
    expect(await page(1)).toEqual({ items: [], next: null })
    for (const before of ['x', '-1', '9999999999999999'])
      expectError(await ida.get(`${CHANGES}?before=${before}`), 400, 'validation_failed', 'before')
  })

  test('keeps the caption of a deleted device, even if a new one has the same ID', async () => {
    const { app, ida, upload, page } = await open()
    await upload('phone', [A, B])
    await ida.post(PHONE, { caption: 'Pixel 8' })
    app.clock.advance(5)
    await ida.delete(PHONE)
    await upload('phone', [OLD])
    const { items } = await page()
    expect(items.map(({ kind, text, can_undo }) => [kind, text, can_undo])).toEqual([
      ['upload', 'phone added 1 podcast', false],
      ['device', 'Pixel 8 was deleted with 2 podcasts', false],
      ['upload', 'Pixel 8 added 2 podcasts', false],
    ])
    expect(items[1]).toMatchObject({ device: 'phone', removed: [{ url: A }, { url: B }], removed_count: 2 })
  })

  test('names no app after store_user_agent = false', async () => {
    const { ida, upload, page } = await open()
    const headers = { 'user-agent': 'AntennaPod/3' }
    const apps = async () => (await page()).items.map(({ app }) => app)
    const storeUserAgent = (isOn: boolean) => ida.post(SETTINGS, { set: { store_user_agent: isOn } })
    await storeUserAgent(false)
    await upload('phone', [A], [], headers)
    expect(await apps()).toEqual([''])
    await storeUserAgent(true)
    await upload('phone', [B], [], headers)
    expect(await apps()).toEqual(['AntennaPod', ''])
    // Deletes stored names, too.
    await storeUserAgent(false)
    expect(await apps()).toEqual(['', ''])
  })

  test('ends after 90 days; housekeeping deletes older changes', async () => {
    const { app, upload, page, restore, now } = await open({ db: openMemoryDatabase() })
    await upload('phone', [OLD])
    const middle = now()
    // More than are deleted at once.
    app.db.run(
      `INSERT INTO list_changes
       SELECT user_id, c.id + n.value, at, device_id, kind, app, added, removed, changes, gone_device
         FROM list_changes c, json_each(?) n`,
      [JSON.stringify(Array.from({ length: 599 }, (_, n) => n + 1))],
    )
    app.clock.advance(50 * DAY)
    await upload('phone', [A])
    app.clock.advance(40 * DAY)
    expect((await page()).items).toHaveLength(1)
    expectError(await restore(null, middle), 400, 'validation_failed', 'time')
    const rows = () => app.db.query('SELECT * FROM list_changes').values().length
    expect(rows()).toBe(601)
    await app.services.listHistory.clean()
    expect(rows()).toBe(1)
  })
})

describe('a restore', () => {
  test('brings back a list that an app has wiped, as changes for every app, and can be undone itself', async () => {
    const { app, upload, put, group, page, restore, held, changesSince, now } = await open()
    await upload('phone', [A, B])
    await upload('desk', [OLD])
    await group('phone', 'desk')
    const { timestamp } = (await changesSince(0, 'desk')).json as { timestamp: number }
    await put('phone', [])
    const wiped = now()
    app.clock.advance(100)
    expect(await restore('phone', wiped - 1)).toMatchObject({
      status: 200,
      json: { status: 'ok', devices: ['phone', 'desk'], timestamp: expect.any(Number) },
    })
    expect((await held('phone')).toSorted()).toEqual([A, B, OLD])
    expect((await held('desk')).toSorted()).toEqual([A, B, OLD])
    const delta = (await changesSince(timestamp, 'desk')).json as { add: string[]; remove: string[] }
    expect([new Set(delta.add), delta.remove]).toEqual([new Set([A, B, OLD]), []])
    expect((await page()).items[0]).toMatchObject({
      ...{ kind: 'restore', device: 'phone', added_count: 3, can_undo: true },
      text: 'The list of phone was restored, which added 3 podcasts',
    })
    // A repetition changes nothing and does not move the clock.
    const before = (await changesSince(0, 'desk')).json
    expect(await restore('phone', wiped - 1)).toMatchObject({ json: { devices: [] } })
    expect((await changesSince(0, 'desk')).json).toEqual(before)
    const undone = await restore('phone', now() - 1)
    expect(undone).toMatchObject({ json: { devices: ['phone', 'desk'] } })
    expect(await held('desk')).toEqual([])
  })

  test('neither duplicates nor renames podcasts whose feeds have moved', async () => {
    const { ida, app, script, pass } = await openFeedScene([OLD])
    const list = async (device: string) =>
      [(await ida.get(`/subscriptions/ida/${device}.json`)).json].flat().map(String).toSorted()
    const upload = (device: string, body: unknown) => ida.post(`/api/2/subscriptions/ida/${device}.json`, body)
    const later = () => pass(HOUR).then(() => app.clock.seconds())
    const both = async () => [await list('phone'), await list('desk')]
    await upload('phone', { add: [A] })
    await upload('desk', { add: [OLD] })
    await ida.post(GROUPS, { synchronize: [['phone', 'desk']] })
    const beforeMove = await later()
    script.answer = async ({ url }) => feedOf('', { document: feedDocument(), leads: url === OLD ? [B] : [] })
    for (let hour = 0; hour < 30; hour++) await later()
    await app.idle()
    // Only the phone adopts the new address.
    const apart = [
      [A, B],
      [A, OLD],
    ]
    await upload('phone', { add: [B] })
    expect(await both()).toEqual(apart)
    const afterMove = await later()
    await later()
    expect(await ida.post(RESTORE, { device: null, time: beforeMove })).toMatchObject({ json: { devices: [] } })
    expect(await ida.put('/subscriptions/ida/desk.txt', A)).toMatchObject({ status: 200 })
    expect(await both()).toEqual([[A], [A]])
    for (const time of [beforeMove, afterMove]) {
      const wipedAt = (await later()) - 1
      expect(await ida.post(RESTORE, { device: null, time })).toMatchObject({ json: { devices: ['phone', 'desk'] } })
      expect(await both()).toEqual(apart)
      await later()
      await ida.post(RESTORE, { device: 'phone', time: wipedAt })
      expect(await both()).toEqual([[A], [A]])
    }
    const { items } = (await ida.get(CHANGES)).json as { items: { kind: string }[] }
    expect(items.filter(({ kind }) => kind === 'restore')).toHaveLength(4)
  })

  test.each<[string, unknown, number, string, string | undefined]>([
    ['a time in the future', { device: null, time: 4_000_000_000 }, 400, 'validation_failed', 'time'],
    ['a fraction of a second', { device: null, time: 1_740_909_600.5 }, 400, 'validation_failed', 'time'],
    ['an invalid device ID', { device: '!', time: 1_740_909_610 }, 400, 'validation_failed', 'device'],
    ['an unknown device', { device: 'ghost', time: 1_740_909_610 }, 404, 'unknown_device', undefined],
    [
      'a time before the device was created',
      { device: 'phone', time: 1_740_909_610 },
      400,
      'validation_failed',
      'time',
    ],
  ])('is refused for %s', async (_, body, status, code, field) => {
    const { ida, upload, held } = await open()
    await upload('phone', [A])
    expectError(await ida.post(RESTORE, body), status, code, field)
    expect(await held('phone')).toEqual([A])
  })

  test('is refused if it would exceed max_subscriptions', async () => {
    const { put, restore, now, held } = await open({ settings: { max_subscriptions: '3' } })
    await put('phone', [A, B])
    const then = now()
    await put('phone', [])
    await put('desk', [A, B])
    expectError(await restore('phone', then), 409, 'quota_exceeded')
    expect(await held('phone')).toEqual([])
  })
})
