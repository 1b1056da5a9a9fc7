import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { dice } from '../../support/values.ts'
import { action, addUser, change, feedEpisode, fingerprinted, listActions, report, T } from '../contract/fixtures.ts'

const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }
const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name.endsWith('_joined')),
)
/** Those that hold actions, and what they refer to. */
const TABLES = ['users', 'podcasts', 'episodes', 'episode_details', 'action_devices', 'action_uploads']
const CHANGED = ['user_episodes', 'episode_actions']

const feed = (n: number) => `https://feeds.example/${n}`
const SHARED = 'guid-0'

/** On three podcasts, each with a few episodes that have several media URLs. */
function someActions(count: number): EpisodeAction[] {
  const roll = dice(11)
  return Array.from({ length: count }, (_, n) => {
    const podcast = roll(3)
    const episode = roll(8)
    const isNamed = roll(3) > 0
    return action({
      podcast: feed(podcast),
      episode: `https://cdn.example/${podcast}/${episode}/${roll(3)}`,
      // The guids of the last two are those of another podcast as well.
      guid: isNamed ? `guid-${episode < 6 ? episode + 10 * podcast : episode}` : undefined,
      kind: (['play', 'new', 'download'] as const)[roll(3)] ?? 'new',
      at: T + roll(500) + (n % 2),
      device: ['phone', 'desk'][roll(2)],
    })
  })
}

/** The same rows in the layout before. */
function inOldLayout(db: Database): Database {
  const old = new Database(':memory:', { strict: true })
  migrate(old, { ...OPTIONS, migrations: BEFORE })
  const columnsOf = (table: string) =>
    old
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
      .all(table)
      .map(({ name }) => name)
  for (const table of [...TABLES, ...CHANGED]) {
    const columns = columnsOf(table)
    const marks = columns.map((_, index) => `?${index + 1}`).join()
    const insert = old.query(`INSERT INTO ${table} (${columns.join()}) VALUES (${marks})`)
    for (const row of db.query(`SELECT ${columns.join()} FROM ${table}`).values()) insert.run(...row)
  }
  return old
}

test('what is one episode by what is stored already is one after the migration', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const users = [await addUser(store, 'ida'), await addUser(store, 'ole')]
  for (const user of users) await change(store, user, 'phone', { add: [feed(0)] })
  const podcast = await store.feeds.find(feed(0))
  if (!podcast) throw new Error('the feed is not known')
  // The feed uses one guid for two episodes.
  const twice = [0, 1].map((n) => ({
    ...fingerprinted(feedEpisode({ url: `https://cdn.example/0/0/${n}`, guid: SHARED })),
    fingerprint: `.${n}.`,
  }))
  await store.feeds.saveEpisodes(podcast.id, twice, T)
  for (const user of users) for (let n = 0; n < 4; n++) await report(store, user, someActions(150))

  const old = inOldLayout(db)
  expect(migrate(old, { ...OPTIONS, migrations: MIGRATIONS }).at(0)).toMatch(/_joined$/)
  const migrated = createSqliteStore(old)
  const answers = async (of: typeof store, user: UserId) => [
    await listActions(of, user),
    await listActions(of, user, { aggregated: true }),
    await listActions(of, user, { aggregated: true, podcast: feed(0) }),
    await listActions(of, user, { aggregated: true, device: 'desk' }),
  ]
  for (const user of users) expect(await answers(migrated, user)).toEqual(await answers(store, user))

  const counts = db.query('SELECT COUNT(*) FROM joined_episodes').values()
  expect(old.query('SELECT COUNT(*) FROM joined_episodes').values()).toEqual(counts)
  expect(Number(counts[0]?.[0])).toBeGreaterThan(20)
  expect(old.query('SELECT COUNT(*) FROM user_episodes WHERE is_guid_hidden').values()).not.toEqual([[0]])

  // And it goes on.
  const later = action({
    podcast: feed(1),
    episode: 'https://new.example/',
    guid: 'guid-11',
    kind: 'play',
    at: T + 9000,
  })
  for (const of of [store, migrated]) await report(of, users[0] as UserId, [later])
  expect(await answers(migrated, users[0] as UserId)).toEqual(await answers(store, users[0] as UserId))
})
