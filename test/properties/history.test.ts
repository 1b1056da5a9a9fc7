import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createListening } from '../../src/domain/directory/listening.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { Store } from '../../src/domain/store.ts'
import { createHistoryUpkeep } from '../../src/domain/sync/history/upkeep.ts'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import type { HistoryStore } from '../../src/domain/sync/ports/history.ts'
import { createLog } from '../../src/platform/log.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { A, addUser, B, listActions, report, T } from '../store/contract/fixtures.ts'
import { fakeClock } from '../support/clock.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const MINUTE = 60

const pick = {
  podcast: fc.constantFrom(A, A, B),
  episode: fc.constantFrom(...[1, 2].map((n) => `https://cdn.example/${n}`)),
  device: fc.constantFrom('phone', 'phone', 'desk', undefined),
  guid: fc.constantFrom(undefined, 'fog'),
}

/** Reports of one app while it plays, most of which go on where the last one has stopped. */
const sitting: fc.Arbitrary<EpisodeAction[]> = fc
  .record({
    ...pick,
    at: fc.integer({ min: -3 * DAY, max: 0 }),
    from: fc.integer({ min: 0, max: 1000 }),
    total: fc.constantFrom(undefined, 1200, 4000),
    steps: fc.array(
      fc.record({
        heard: fc.integer({ min: 0, max: 900 }),
        waited: fc.constantFrom(0, 1, 300, 2000, 5000),
        said: fc.constantFrom('exactly', 'exactly', 'exactly', 'again', 'later', 'nothing', 'mark'),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ at, from, steps, total, ...rest }) => {
    let [now, position] = [T + at, from]
    return steps.map(({ heard, waited, said }) => {
      const before = position
      now += waited + heard
      position += heard
      const started = { exactly: before, again: Math.max(0, before - 50), later: before + heard / 2, mark: position }
      const told = said === 'nothing' ? undefined : Math.floor(started[said])
      return {
        ...rest,
        kind: 'play' as const,
        at: now,
        started: told,
        position,
        total: said === 'mark' ? position : total,
      }
    })
  })

const single: fc.Arbitrary<EpisodeAction[]> = fc
  .record({
    ...pick,
    kind: fc.constantFrom('new', 'download', 'delete', 'play'),
    at: fc.integer({ min: -3 * DAY, max: DAY }),
  })
  .map(({ at, kind, ...rest }) => [{ ...rest, kind: kind as EpisodeAction['kind'], at: T + at }])

const uploads = fc.array(fc.oneof({ weight: 3, arbitrary: sitting }, { weight: 1, arbitrary: single }), {
  maxLength: 12,
})

async function open() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  return { db, store, ida: await addUser(store) }
}

function upkeepOf(store: HistoryStore, keepDays: number, days = 100) {
  const clock = fakeClock()
  clock.advance(days * DAY)
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  return createHistoryUpkeep({ store, keepDays, clock, log })
}

const withoutStart = ({ started: _, ...rest }: EpisodeAction) => rest
const keyOf = ({ podcast, episode }: EpisodeAction) => `${podcast} ${episode}`

/** What an app knows that applies every action in turn: of each episode how far somebody is, and the rest by kind. */
function createApp() {
  const known = new Map<string, EpisodeAction>()
  return {
    apply(actions: readonly EpisodeAction[]) {
      for (const action of actions) {
        const isState = action.kind === 'play' || action.kind === 'new'
        const key = `${keyOf(action)} ${isState ? 'state' : action.kind}`
        const current = known.get(key)
        if (!current || action.at >= current.at) known.set(key, action)
      }
    },
    known: () =>
      [...known]
        .map(([key, { kind, at, position, total }]) => ({ key, kind, at, position, total }))
        .toSorted((one, other) => (one.key < other.key ? -1 : 1)),
  }
}

/** All that must stay as it is. `seen` are the clients' histories so far, by the `since` that they ask with next. */
async function lookAt(store: Store, ida: UserId, seen: ReadonlyMap<number, readonly EpisodeAction[]>) {
  const states = []
  for (const since of seen.keys())
    for (const filter of [
      {},
      { podcast: A },
      { device: 'phone' },
      { device: 'desk', podcast: B },
      { onlyStates: true },
    ])
      states.push((await listActions(store, ida, { since, aggregated: true, ...filter })).map(withoutStart))
  const apps = []
  for (const [since, before] of seen) {
    const app = createApp()
    app.apply(before)
    app.apply(await listActions(store, ida, { since }))
    apps.push(app.known())
  }
  const fresh = createApp()
  fresh.apply(await listActions(store, ida))
  const listening = createListening(store.listening, fakeClock())
  const reports = []
  for (const offset of [0, 60, -300, 345])
    reports.push(await listening.report(ida, { from: '2025-02-20', to: '2025-03-08', offset: String(offset) }))
  const { items } = await store.inbox.inProgress(ida, { before: undefined, limit: 100 })
  return {
    states,
    apps,
    fresh: fresh.known(),
    reports,
    begun: items.map(({ action }) => action && withoutStart(action)),
  }
}

/** Lists are whole, every action is of an upload, no upload is of nothing, and they are as many as the user is said to have. */
function expectSound(db: Database): void {
  const linked = db
    .query(
      `WITH RECURSIVE l (ue, id) AS (SELECT id, last_action_id FROM user_episodes
         UNION ALL SELECT l.ue, a.previous_id FROM l JOIN episode_actions a ON a.id = l.id WHERE a.previous_id IS NOT NULL)
       SELECT ue, id FROM l ORDER BY id`,
    )
    .values()
  expect(linked).toEqual(db.query('SELECT user_episode_id, id FROM episode_actions ORDER BY id').values())
  const uploaded = db
    .query(
      `SELECT u.first_id, COUNT(a.id) AS n, u.count AS count FROM action_uploads u
       LEFT JOIN episode_actions a ON a.id >= u.first_id AND a.id < u.first_id + u.count AND a.device_id = u.device_id GROUP BY u.first_id`,
    )
    .all() as { n: number }[]
  expect(uploaded.every(({ n }) => n > 0)).toBe(true)
  expect(uploaded.reduce((sum, { n }) => sum + n, 0)).toBe(linked.length)
  expect(db.query('SELECT action_count FROM users').values()).toEqual([[linked.length]])
  expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
}

test('folding sittings and removing what is superseded changes nothing for anybody', async () => {
  await fc.assert(
    fc.asyncProperty(uploads, fc.constantFrom(0, 1, 30), fc.nat(6), async (all, keepDays, failsAfter) => {
      const { db, store, ida } = await open()
      const seen = new Map<number, readonly EpisodeAction[]>()
      const stored: EpisodeAction[] = []
      let clock = 0
      for (const [n, some] of all.entries()) {
        for (const one of some) {
          const written = await store.episodeActions.applyUpload(ida, [one], { at: T + n * HOUR, seenUntil: undefined })
          clock = written.clock
          // Others repeat that an episode is finished (D86), which may be news another time.
          if (written.added > 0) stored.push(one)
        }
        seen.set(clock + 1, await listActions(store, ida))
      }
      const before = await lookAt(store, ida, seen)

      // It is killed somewhere, and goes on.
      let left = failsAfter
      const dying: HistoryStore = {
        ...store.history,
        async rewrite(...args) {
          if (left-- === 0) throw new Error('killed')
          return store.history.rewrite(...args)
        },
        async noteDone(...args) {
          if (left-- === 0) throw new Error('killed')
          await store.history.noteDone(...args)
        },
      }
      await upkeepOf(dying, keepDays)
        .run()
        .catch((error: Error) => expect(error.message).toBe('killed'))
      expectSound(db)
      expect(await lookAt(store, ida, seen)).toEqual(before)
      await upkeepOf(store.history, keepDays).run()
      expectSound(db)
      expect(await lookAt(store, ida, seen)).toEqual(before)

      const count = () => db.query('SELECT COUNT(*), MAX(id) FROM episode_actions').values()
      // Once more, from the beginning: what has gone may have stood between the reports of a sitting.
      db.run('DELETE FROM upkeep')
      await upkeepOf(store.history, keepDays).run()
      const after = count()
      expect(await lookAt(store, ida, seen)).toEqual(before)

      // What is told again by an app that repeats itself is known, also where it is part of a sitting by now.
      if (keepDays === 0) {
        for (const one of stored) expect(await report(store, ida, [one], T + 100 * DAY)).toBe(clock)
        expect(count()).toEqual(after)
        expect(await lookAt(store, ida, seen)).toEqual(before)
      }
      await store.idle()
      db.close()
    }),
    { numRuns: 150, endOnFailure: true, interruptAfterTimeLimit: 90_000 },
  )
})

test('actions of a podcast that moves take along what was heard by actions that are gone', async () => {
  await fc.assert(
    fc.asyncProperty(uploads, fc.constantFrom(0, 1), async (all, keepDays) => {
      const { db, store, ida } = await open()
      for (const [n, some] of all.entries())
        await report(
          store,
          ida,
          some.map((one) => ({ ...one, podcast: A })),
          T + n * HOUR,
        )
      const days = async () => {
        const { reports } = await lookAt(store, ida, new Map())
        return reports.map(({ days, seconds, episodes }) => ({ days, seconds, episodes }))
      }
      const before = await days()
      await upkeepOf(store.history, keepDays).run()
      await store.upgrades.moveActions(ida, { from: A, to: B }, T + DAY)
      expect(await days()).toEqual(before)
      expectSound(db)
      await store.idle()
      db.close()
    }),
    { numRuns: 40 },
  )
})

test('a list of thousands is looked at in pieces, and nothing is lost between them', async () => {
  const { db, store, ida } = await open()
  const reports = Array.from({ length: 3000 }, (_, n) => ({
    ...{ podcast: A, episode: 'https://cdn.example/1', kind: 'play' as const, at: T + n * 10, device: 'phone' },
    ...{ started: n * 10, position: n * 10 + 10, total: 40_000 },
  }))
  await report(store, ida, reports)
  const seen = new Map([[1, []]])
  const before = await lookAt(store, ida, seen)
  await upkeepOf(store.history, 0).run()
  expect(await lookAt(store, ida, seen)).toEqual(before)
  expect(await listActions(store, ida)).toMatchObject([{ at: T + 29_990, started: 0, position: 30_000 }])
  expectSound(db)
  // One for each quarter of an hour, and for each end of a piece.
  const [[stretches] = []] = db.query('SELECT COUNT(*) FROM heard_stretches').values()
  expect(Number(stretches)).toBeLessThan(60)
  await upkeepOf(store.history, 1).run()
  expect(await lookAt(store, ida, seen)).toEqual(before)
  const many = Array.from({ length: 1200 }, (_, n) => ({
    ...reports[0],
    kind: 'download' as const,
    at: T + (n % 7) * MINUTE + n,
  }))
  await report(
    store,
    ida,
    many.map(({ podcast = A, episode = '', ...one }) => ({
      ...one,
      podcast,
      episode,
      started: undefined,
      position: undefined,
      total: undefined,
    })),
    T + DAY,
  )
  await upkeepOf(store.history, 1).run()
  expect((await listActions(store, ida)).length).toBeLessThan(10)
  expectSound(db)
})
