import { describe, expect, test } from 'bun:test'
import type { EpisodeAction } from '../../../../src/domain/sync/ports/episode-actions.ts'
import { A, action, B, listActions, type OpenStore, report, T, withTwo, withUsers } from '../fixtures.ts'

const E1 = 'https://cdn.example/1.mp3'
const E2 = 'https://cdn.example/2.mp3'

const FULL: EpisodeAction = {
  podcast: A,
  episode: E1,
  kind: 'play',
  at: T,
  device: 'phone',
  guid: 'fog-7',
  started: 0,
  position: 61,
  total: 1800,
}

export function describeEpisodeActions(open: OpenStore): void {
  const it = withUsers(open)
  describe('episode actions', () => {
    it('are returned as stored, without missing fields', async ({ store, ida }) => {
      const bare: EpisodeAction[] = (['new', 'download', 'delete', 'flattr', 'play'] as const).map((kind) =>
        action({ kind, episode: E2 }),
      )
      await report(store, ida, [FULL, ...bare, { ...FULL, started: undefined, total: undefined }])
      const found = await listActions(store, ida)
      expect(found).toEqual([FULL, ...bare, { ...FULL, started: undefined, total: undefined }])
    })

    it('have their own guid, or else the latest one of their media URL', async ({ store, ida }) => {
      await report(store, ida, [action({ at: T, guid: 'fog-6' }), action({ at: T + 1, guid: 'fog-7' })])
      await report(store, ida, [action({ at: T + 2 }), action({ at: T + 3, episode: E2 })])
      expect((await listActions(store, ida)).map(({ guid }) => guid)).toEqual(['fog-6', 'fog-7', 'fog-7', undefined])
    })

    it('are sorted by their own time, then by upload', async ({ store, ida }) => {
      await report(store, ida, [action({ at: T + 5, episode: E1 }), action({ at: T - 5, episode: E2 })])
      await report(store, ida, [action({ at: T - 5, episode: E1 }), action({ at: -5, episode: E1 })])
      expect((await listActions(store, ida)).map(({ at, episode }) => [at, episode])).toEqual([
        [-5, E1],
        [T - 5, E2],
        [T - 5, E1],
        [T + 5, E1],
      ])
    })

    it('are listed since their upload, regardless of their own time', async ({ store, ida }) => {
      const since = (await report(store, ida, [action()], T)) + 1
      expect(await listActions(store, ida, { since })).toEqual([])
      await report(store, ida, [action({ at: 5 })], T)
      for (const kept of [since, since + 1]) expect(await listActions(store, ida, { since: kept })).toHaveLength(1)
    })

    it('share the logical clock of subscriptions', async ({ store, ida }) => {
      expect(await report(store, ida, [action()], T)).toBe(T)
      const upload = { add: [A], remove: [] }
      const written = await store.subscriptions.applyUpload(ida, 'phone', upload, { at: T, seenUntil: undefined })
      expect(written.clock).toBe(T + 2)
      expect((await store.episodeActions.list(ida, { since: 0, aggregated: false })).clock).toBe(T + 2)
    })

    it('create missing devices, but no subscriptions', async ({ store, ida }) => {
      await report(store, ida, [action({ device: 'phone' })])
      await report(store, ida, [action({ device: 'phone', at: T + 1 }), action({ device: 'desk', at: T + 2 })])
      const made = { type: 'other', subscriptions: 0, lastSeenAt: undefined } as const
      const expected = ['phone', 'desk'].map((uid) => ({ uid, caption: uid, ...made }))
      expect(await store.devices.list(ida)).toEqual(expected)
      expect(await store.subscriptions.listUser(ida)).toEqual([])
    })

    it('for one media URL in two podcasts belong to two episodes', async ({ store, ida }) => {
      const both = [A, B].flatMap((podcast) => [action({ podcast, position: 1 }), action({ podcast, position: 2 })])
      const upload = [0, 2, 1, 3].flatMap((index, at) => (both[index] ? [{ ...both[index], at: T + at }] : []))
      await report(store, ida, upload)
      expect(await listActions(store, ida)).toEqual(upload)
      for (const podcast of [A, B])
        expect(await listActions(store, ida, { podcast, aggregated: true })).toEqual([
          expect.objectContaining({ podcast, position: 2 }),
        ])
    })

    it('belong to one user', async ({ store, ida, ole }) => {
      await report(store, ida, [FULL])
      expect(await listActions(store, ole)).toEqual([])
      expect(await listActions(store, ole, { podcast: A })).toEqual([])
    })
  })

  describe('exact duplicates (D49)', () => {
    it('are stored once, within and across uploads, without advancing the clock', async ({ store, ida }) => {
      const clock = await report(store, ida, [FULL, FULL, action(), action()], T)
      expect(await report(store, ida, [action(), { ...FULL, guid: 'another' }], T + 50)).toBe(clock)
      expect(await listActions(store, ida)).toHaveLength(2)
    })

    const changes: readonly Partial<EpisodeAction>[] = [
      { podcast: B },
      { episode: E2 },
      { device: 'desk' },
      { device: undefined },
      { kind: 'download', started: undefined, position: undefined, total: undefined },
      { at: T + 1 },
      { started: 1 },
      { position: 62 },
      { total: 1801 },
      { total: undefined },
    ]
    test.each(
      changes.map((fields) => [JSON.stringify(fields, (_key, value: unknown) => value ?? null), fields] as const),
    )('are not those that differ in %s', async (_title, fields) => {
      const { store, ida } = await withTwo(open)
      await report(store, ida, [FULL])
      await report(store, ida, [{ ...FULL, ...fields }])
      expect(await listActions(store, ida)).toHaveLength(2)
    })
  })

  describe('a repeated "finished" (D86)', () => {
    const mark = (at: number, device = 'phone', rest: Partial<EpisodeAction> = {}) =>
      action({ at, device, kind: 'play', started: 60, position: 60, total: 60, ...rest })
    const at = (position: number, when: number, device = 'phone') =>
      action({ at: when, device, kind: 'play', started: 0, position, total: 60 })
    const begunElsewhere = at(5, T + 10, 'desk')

    // Cases of the rule itself are in test/domain/sync/episode-action-rules.test.ts.
    test.each<[string, EpisodeAction[], EpisodeAction, boolean]>([
      ['is dropped after playing to the end', [at(60, T)], mark(T + 20), false],
      ['is dropped from another device', [mark(T)], mark(T + 20, 'desk'), false],
      ['is dropped if only another device has started again', [mark(T), begunElsewhere], mark(T + 20), false],
      ['is dropped after a download', [mark(T), begunElsewhere, action({ device: 'phone' })], mark(T + 20), false],
      ['is stored from the device that has started again', [mark(T), begunElsewhere], mark(T + 20, 'desk'), true],
      ['is stored for another episode', [mark(T)], mark(T + 20, 'phone', { episode: E2 }), true],
      ['is stored for the same file in another podcast', [mark(T)], mark(T + 20, 'phone', { podcast: B }), true],
      ['is stored after playing once more', [mark(T)], at(60, T + 20), true],
    ])('%s', async (_case, before, last, isKept) => {
      const { store, ida } = await withTwo(open)
      const clock = await report(store, ida, before)
      const after = await report(store, ida, [last], T + 50)
      const kept = isKept ? [...before, last] : before
      expect(await listActions(store, ida)).toEqual(kept.toSorted((a, b) => a.at - b.at))
      expect(after).toBe(isKept ? T + 50 : clock)
    })

    it('is dropped within one upload, and in a long one', async ({ store, ida }) => {
      const episodes = Array.from({ length: 1010 }, (_, n) => ({ episode: `https://cdn.example/${n}` }))
      const all = (when: number) => episodes.map((episode) => mark(when, 'phone', episode))
      const clock = await report(store, ida, [...all(T), ...all(T + 1)])
      expect(await report(store, ida, all(T + 100), T + 100)).toBe(clock)
      expect(await listActions(store, ida)).toHaveLength(1010)
    })
  })

  describe('queries', () => {
    // test/properties/action-queries.test.ts compares all kinds of queries with the whole log.
    it('filter by device and podcast, and aggregate by episode', async ({ store, ida }) => {
      const log: readonly EpisodeAction[] = [
        action({ at: T + 1, device: 'phone', podcast: A, episode: E1 }),
        action({ at: T + 2, device: 'desk', podcast: A, episode: E1 }),
        action({ at: T + 3, device: 'phone', podcast: A, episode: E2 }),
        action({ at: T + 4, device: 'phone', podcast: B, episode: E1 }),
        action({ at: T + 4, device: 'desk', podcast: B, episode: E1 }),
      ]
      await report(store, ida, log)
      for (const [query, indexes] of [
        [{ device: 'phone' }, [0, 2, 3]],
        [{ device: 'desk', podcast: B }, [4]],
        [{ device: 'radio' }, []],
        [{ podcast: 'https://nowhere.example/' }, []],
        [{ aggregated: true }, [1, 2, 4]],
        [{ aggregated: true, device: 'phone' }, [0, 2, 3]],
      ] as const)
        expect<unknown>([query, await listActions(store, ida, query)]).toEqual([
          query,
          indexes.map((index) => log[index]),
        ])
    })

    const played = (at: number) => action({ at, kind: 'play', position: at - T })
    test.each([
      ['an old play that is uploaded late', [played(T + 100)], [played(T + 50)], 0],
      ['an action about the file', [played(T + 100)], [action({ at: T + 200, kind: 'delete' })], 0],
      ['a play after an action about the file', [action({ at: T + 100, kind: 'download' })], [played(T)], 1],
      ['a later play', [played(T)], [played(T + 100)], 1],
      ['an episode that is new again', [played(T)], [action({ at: T, kind: 'new' })], 1],
    ])('aggregated since an upload return the current state: %s', async (_case, before, since, stateAt) => {
      const { store, ida } = await withTwo(open)
      const clock = await report(store, ida, [...before, action({ at: T, episode: E2 })])
      await report(store, ida, since)
      const query = { since: clock + 1, aggregated: true }
      expect(await listActions(store, ida, query)).toEqual([...before, ...since].slice(stateAt, stateAt + 1))
      expect(await listActions(store, ida, { ...query, device: 'phone' })).toEqual([])
    })
  })

  it('a long list is returned in chunks, without actions uploaded in the meantime', async ({ store, ida }) => {
    const many = Array.from({ length: 2400 }, (_, n) =>
      action({ at: T + Math.floor(n / 1200), episode: `https://cdn.example/${n}` }),
    )
    await report(store, ida, many)
    const { chunks, clock } = await store.episodeActions.list(ida, { since: 0, aggregated: false })
    if (!(Symbol.asyncIterator in chunks)) throw new Error('the list is whole')
    const iterator = chunks[Symbol.asyncIterator]()
    const found = [...((await iterator.next()).value ?? [])]
    expect(found.length).toBeLessThan(many.length)
    const late = action({ at: T + 6, episode: 'https://cdn.example/late' })
    await report(store, ida, [late])
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) found.push(...next.value)
    expect(found).toEqual(many.toSorted((a, b) => a.at - b.at))
    expect(await listActions(store, ida, { since: clock + 1 })).toEqual([late])
  })

  it('an upload reports missed actions (D14b)', async ({ store, ida }) => {
    const upload = async (at: number, seenUntil: number) =>
      await store.episodeActions.applyUpload(ida, [action({ at })], { at: T, seenUntil })
    const first = await upload(T, (await report(store, ida, [FULL])) + 1)
    await report(store, ida, [action({ episode: E2 })])
    expect([first.missed, (await upload(T + 1, first.clock + 1)).missed]).toEqual([false, true])
  })
}
