import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { dice } from '../../support/values.ts'
import { action, addUser, listActions, report, T } from '../contract/fixtures.ts'

const OLD = MIGRATIONS.slice(0, 13)
const NEW = MIGRATIONS.slice(13).map(({ name }) => name)
const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }
/** As the old tables numbered them. */
const OLD_KINDS = ['new', 'download', 'play', 'delete', 'flattr'] as const

type OldAction = EpisodeAction & { readonly user: number; readonly seq: number }

function someActions(count: number): OldAction[] {
  const roll = dice(7)
  const made = new Map<string, OldAction>()
  while (made.size < count) {
    const kind = OLD_KINDS[roll(5)] ?? 'new'
    const position = kind === 'play' && roll(4) > 0 ? roll(3000) : undefined
    const each: EpisodeAction = {
      podcast: `https://feeds.example/${roll(3)}`,
      episode: `https://cdn.example/${roll(40)}`,
      kind,
      at: T - roll(500),
      device: ['phone', 'desk', undefined][roll(3)],
      started: position === undefined ? undefined : roll(2) * position,
      position,
      total: position === undefined || roll(2) === 0 ? undefined : 3600,
    }
    const user = roll(2) + 1
    made.set(JSON.stringify([user, each]), { ...each, user, seq: T + Math.floor(made.size / 7) * 2 })
  }
  return [...made.values()]
}

/** A database of the version before, with these actions in it. */
function oldDatabase(actions: readonly OldAction[]): Database {
  const db = new Database(':memory:', { strict: true })
  migrate(db, { ...OPTIONS, migrations: OLD })
  for (const name of ['ida', 'ole'])
    db.query(
      `INSERT INTO users (username, username_key, is_admin, state, clock, created_at, action_count) VALUES (?1, ?1, 0, 'active', ?2, 0, 1)`,
    ).run(name, T + 10_000)
  for (const { user, podcast, episode, kind, at, seq, device = '', ...seconds } of actions) {
    const { started = -1, position = -1, total = -1, guid = null } = seconds
    db.query('INSERT INTO podcasts (url, created_at) VALUES (?1, 0) ON CONFLICT DO NOTHING').run(podcast)
    db.query(
      'INSERT INTO episodes (podcast_id, url) SELECT id, ?2 FROM podcasts WHERE url = ?1 ON CONFLICT DO NOTHING',
    ).run(podcast, episode)
    db.query(
      `INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total, guid)
       SELECT ?3, e.id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM podcasts p JOIN episodes e ON e.podcast_id = p.id
        WHERE p.url = ?1 AND e.url = ?2`,
    ).run(podcast, episode, user, OLD_KINDS.indexOf(kind as 'new'), at, seq, device, started, position, total, guid)
  }
  return db
}

/** The same actions, uploaded to a new database. */
async function uploaded(actions: readonly OldAction[]) {
  const db = new Database(':memory:', { strict: true })
  migrate(db, { ...OPTIONS, migrations: MIGRATIONS })
  const store = createSqliteStore(db)
  const users = [await addUser(store, 'ida'), await addUser(store, 'ole')]
  for (const { user, seq, ...each } of actions) await report(store, users[user - 1] as UserId, [each], seq)
  return store
}

test('stored actions come through the change of their layout', async () => {
  const actions = someActions(600)
  const db = oldDatabase(actions)
  expect(migrate(db, { ...OPTIONS, migrations: MIGRATIONS })).toEqual(NEW)
  const [store, fresh] = [createSqliteStore(db), await uploaded(actions)]
  for (const user of [1, 2] as UserId[]) {
    for (const query of [{}, { device: 'desk' }, { aggregated: true }, { podcast: 'https://feeds.example/1' }])
      expect(await listActions(store, user, query)).toEqual(await listActions(fresh, user, query))
    const own = actions.filter((each) => each.user === user)
    for (const since of [T, T + 80, T + 81, T + 1000])
      expect(await listActions(store, user, { since })).toHaveLength(own.filter(({ seq }) => seq >= since).length)
    expect(await listActions(store, user)).toHaveLength(own.length)
    // A client that sends all of it again sends duplicates (docs/protocol.md#D49).
    expect(await report(store, user, own)).toBe(T + 10_000)
    expect(await listActions(store, user)).toHaveLength(own.length)
    expect(await report(store, user, [action({ at: T + 1 })], T)).toBe(T + 10_002)
    expect(await listActions(store, user, { since: T + 10_001 })).toEqual([action({ at: T + 1 })])
  }
})

test('what an episode is called by its guid comes through as well', async () => {
  const [first, second] = [action({ guid: 'fog-6' }), action({ at: T + 1 })]
  const db = oldDatabase([
    { ...first, user: 1, seq: T },
    { ...second, user: 1, seq: T + 2 },
  ])
  migrate(db, { ...OPTIONS, migrations: MIGRATIONS })
  expect(await listActions(createSqliteStore(db), 1 as UserId)).toEqual([first, { ...second, guid: 'fog-6' }])
})

test('a change of the layout that is broken off leaves the old one, and comes through the next time', async () => {
  const db = oldDatabase(someActions(50))
  const before = db.query('SELECT * FROM episode_actions').values()
  const broken = MIGRATIONS.map((migration) => ({
    ...migration,
    convert: (...args: Parameters<NonNullable<typeof migration.convert>>) => {
      migration.convert?.(...args)
      throw new Error('planted')
    },
  }))
  expect(() => migrate(db, { ...OPTIONS, migrations: broken })).toThrow('planted')
  expect(db.query('SELECT * FROM episode_actions').values()).toEqual(before)
  expect(migrate(db, { ...OPTIONS, migrations: MIGRATIONS })).toEqual(NEW)
  expect(db.query('SELECT COUNT(*) FROM episode_actions').values()).toEqual([[50]])
})
