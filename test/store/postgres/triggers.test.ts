import { beforeAll, expect, test } from 'bun:test'
import type { ReservedSQL, SQL } from 'bun'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

/** Three users, one of them inactive, four devices, and two public podcasts with a tag. */
const WORLD = [
  `INSERT INTO users (id, username, username_key, state, created_at)
   VALUES (1, 'ida', 'ida', 'active', 0), (2, 'ole', 'ole', 'active', 0), (3, 'una', 'una', 'inactive', 0)`,
  'INSERT INTO sync_groups (id, user_id) VALUES (1, 1)',
  `INSERT INTO devices (id, user_id, uid, caption, type, sync_group_id, created_at)
   VALUES (1, 1, 'a', '', 'other', 1, 0), (2, 1, 'b', '', 'other', 1, 0), (3, 2, 'c', '', 'other', NULL, 0),
          (4, 3, 'd', '', 'other', NULL, 0)`,
  `INSERT INTO podcasts (id, url, created_at, is_local, is_private, is_secret)
   VALUES (1, 'https://a/1', 0, 1, 0, 0), (2, 'https://a/2', 0, 1, 0, 0)`,
  `INSERT INTO tags (id, slug, title, usage) VALUES (1, 'art', 'Art', 2), (2, 'music', 'Music', 0)`,
  `INSERT INTO podcast_tags (podcast_id, tag_id, is_listed, subscribers, sort_key)
   VALUES (1, 0, 1, 0, 'one'), (1, 1, 1, 0, 'one'), (1, 2, 0, 0, 'one'), (2, 1, 1, 0, 'two')`,
]

/** Data that triggers write and foreign keys remove. */
const KEPT = [
  'SELECT id, subscription_count FROM users ORDER BY id',
  'SELECT id, sync_group_id FROM devices ORDER BY id',
  'SELECT device_id, podcast_id, subscribed, seq FROM subscriptions ORDER BY 1, 2',
  'SELECT user_id, podcast_id, devices, since FROM listeners ORDER BY 1, 2',
  'SELECT podcast_id, user_id, subscribers FROM directory_changes ORDER BY 1, 2',
  'SELECT id, is_private FROM podcasts ORDER BY id',
  'SELECT podcast_id, is_blocked FROM podcast_details ORDER BY 1',
  'SELECT id, usage FROM tags ORDER BY id',
  'SELECT podcast_id, tag_id, is_listed FROM podcast_tags ORDER BY 1, 2',
  'SELECT episode_id, title, released, is_listed FROM episode_details ORDER BY 1',
  'SELECT episode_id FROM episode_changes ORDER BY 1',
]

const subscribe = (device: number, podcast: number, subscribed = 1) =>
  `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (${device}, ${podcast}, ${subscribed}, ${device + podcast})`

const update = (device: number, podcast: number, subscribed: number, seq: number) =>
  `UPDATE subscriptions SET subscribed = ${subscribed}, seq = ${seq} WHERE device_id = ${device} AND podcast_id = ${podcast}`

const details = (podcast: number, isBlocked: number) =>
  `INSERT INTO podcast_details VALUES (${podcast}, ${isBlocked}, '', '', '', '', '', '[]', '', '', '')`

const episode = (id: number) => [
  `INSERT INTO episodes (id, podcast_id, url) VALUES (${id}, 1, 'https://a/${id}.mp3')`,
  `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, website, released, guid, mime_type, image_url,
     chapters_url, transcript_url, description) VALUES (${id}, 1, '', 'title', '', NULL, '', '', '', '', '', '')`,
]

/** Runs `work` in a transaction that is rolled back. */
async function rolledBack<T>(sql: SQL, work: (tx: ReservedSQL) => Promise<T>): Promise<T> {
  const connection = await sql.reserve()
  try {
    await connection`BEGIN`
    return await work(connection)
  } finally {
    await connection`ROLLBACK`
    connection.release()
  }
}

/** Rows as text, because PostgreSQL's driver returns `bigint` as text. */
function asText(rows: readonly unknown[][]): (string | null)[][] {
  return rows.map((row) => row.map((value) => (value === null ? null : String(value))))
}

const CHOOSE = `INSERT INTO settings (user_id, scope, target, value) VALUES (1, 'podcast', 'https://a/1',`
const ALL_DONE = 'DELETE FROM episode_changes'

describePostgres('PostgreSQL and SQLite have the same rows after', () => {
  const databases = testDatabases()
  let sql: SQL
  beforeAll(async () => {
    ;({ sql } = await databases.create())
  })

  /** Statements after which both engines must hold the same rows. */
  test.each<[string, ...string[]]>([
    ['a subscription', subscribe(1, 1)],
    ['a subscription inserted as removed', subscribe(1, 1, 0)],
    ['a subscription of a second device of the user', subscribe(1, 1), subscribe(2, 1)],
    ['subscriptions in one statement', 'INSERT INTO subscriptions VALUES (1, 1, 1, 5), (2, 1, 1, 6), (3, 1, 1, 7)'],
    ['a subscription of an inactive user', subscribe(4, 1), 'DELETE FROM subscriptions'],
    ['a removal', subscribe(1, 1), subscribe(2, 1), update(1, 1, 0, 9)],
    ['a removal on the last device and a later subscription', subscribe(1, 1), update(1, 1, 0, 9), update(1, 1, 1, 12)],
    [
      'an upsert',
      subscribe(1, 1),
      `${subscribe(1, 1, 0)} ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = excluded.subscribed, seq = 20`,
    ],
    ['an update that changes nothing', subscribe(1, 1), update(1, 1, 1, 15)],
    [
      'an update of many rows',
      subscribe(1, 1),
      subscribe(2, 1),
      subscribe(3, 1),
      'UPDATE subscriptions SET subscribed = 0, seq = 30',
    ],
    ['removed rows', subscribe(1, 1), subscribe(2, 1), subscribe(3, 2, 0), 'DELETE FROM subscriptions'],
    ['a removed device', subscribe(1, 1), subscribe(2, 1), 'DELETE FROM devices WHERE id = 1'],
    ['a removed sync group', 'DELETE FROM sync_groups'],
    ['a removed user', subscribe(1, 1), subscribe(3, 1), 'DELETE FROM users WHERE id = 1'],
    ['removed listeners', subscribe(1, 1), subscribe(2, 2, 0), 'DELETE FROM subscriptions', 'DELETE FROM listeners'],
    ['a removed listener without devices', subscribe(1, 1), update(1, 1, 0, 9), 'DELETE FROM listeners'],
    ['a removed listener with devices', subscribe(1, 1), 'DELETE FROM listeners'],
    ['a secret podcast', 'UPDATE podcasts SET is_secret = 1', subscribe(1, 1)],
    ['an unclassified podcast', 'UPDATE podcasts SET is_secret = NULL', subscribe(1, 1)],
    ['a formerly hidden podcast', 'UPDATE podcasts SET was_hidden = 1 WHERE id = 1', subscribe(1, 1), subscribe(1, 2)],
    ['a podcast blocked by its feed', details(1, 1), subscribe(1, 1), subscribe(1, 2)],
    ['a podcast not blocked by its feed', details(1, 0), subscribe(1, 1)],
    ['a choice', `${CHOOSE} '{"public_subscription":false}')`, subscribe(1, 1), subscribe(1, 2)],
    ['a choice of null', `${CHOOSE} '{"public_subscription":null}')`, subscribe(1, 1)],
    ['a nested choice', `${CHOOSE} '{"x":{"public_subscription":true}}')`, subscribe(1, 1)],
    ['a choice next to a NUL', `${CHOOSE} '{"x":"\\u0000\\u0000","public_subscription":true}')`, subscribe(1, 1)],
    ['a choice next to a lone surrogate', `${CHOOSE} '{"x":"\\ud800","public_subscription":true}')`, subscribe(1, 1)],
    ['settings with a backslash', `${CHOOSE} '{"x":"\\\\u0000","y":1e999999}')`, subscribe(1, 1)],
    ['hiding a podcast', 'UPDATE podcasts SET is_private = 1 WHERE id = 1'],
    [
      'hiding a hidden podcast',
      'UPDATE podcasts SET is_private = 1',
      'UPDATE podcast_tags SET is_listed = 1',
      'UPDATE podcasts SET is_private = 1',
    ],
    ['showing a podcast', 'UPDATE podcasts SET is_private = 1', 'UPDATE podcasts SET is_private = 0'],
    ['a removed podcast', details(1, 1), 'DELETE FROM podcasts WHERE id = 1'],
    ['new episodes', ...episode(1), ...episode(2)],
    ['a changed title', ...episode(1), ALL_DONE, `UPDATE episode_details SET title = 'other'`],
    ['another date', ...episode(1), ALL_DONE, 'UPDATE episode_details SET released = 1'],
    [
      'a removed date',
      ...episode(1),
      'UPDATE episode_details SET released = 1',
      ALL_DONE,
      'UPDATE episode_details SET released = NULL',
    ],
    ['an episode that is no longer listed', ...episode(1), ALL_DONE, 'UPDATE episode_details SET is_listed = 0'],
    [
      'an update without a change',
      ...episode(1),
      ALL_DONE,
      'UPDATE episode_details SET title = title, released = released',
    ],
    ['a change of another column', ...episode(1), ALL_DONE, `UPDATE episode_details SET image_url = 'x'`],
    ['a removed episode', ...episode(1), ALL_DONE, 'DELETE FROM episodes WHERE id = 1'],
    ['removed details', ...episode(1), ...episode(2), ALL_DONE, 'DELETE FROM episode_details'],
  ])('%s', async (_, ...statements) => {
    const all = [...WORLD, ...statements]
    const db = openMemoryDatabase()
    for (const statement of all) db.run(statement)
    const expected = KEPT.map((query) => [query, asText(db.query(query).values())])
    const found = await rolledBack(sql, async (tx) => {
      for (const statement of all) await tx.unsafe(statement)
      const rows: unknown[] = []
      for (const query of KEPT) rows.push([query, asText((await tx.unsafe(query).values()) as unknown[][])])
      return rows
    })
    expect(found).toEqual(expected)
  })

  test('an attempt to remove a podcast with listeners', async () => {
    const statements = [...WORLD, subscribe(1, 1), 'DELETE FROM podcasts WHERE id = 2']
    const refused = 'DELETE FROM podcasts WHERE id = 1'
    const message = 'a podcast with listeners cannot be removed'
    const db = openMemoryDatabase()
    for (const statement of statements) db.run(statement)
    expect(() => db.run(refused)).toThrow(message)
    const attempt = rolledBack(sql, async (tx) => {
      for (const statement of [...statements, refused]) await tx.unsafe(statement)
    })
    await expect(attempt).rejects.toThrow(message)
  })

  test('the choice of secret factors of twenty bits each', async () => {
    const rows: unknown[][] = await sql`SELECT * FROM action_hash`.values()
    const factors = rows.flat().map(Number)
    expect(rows).toHaveLength(1)
    expect(factors.filter((factor) => factor >= 0 && factor < 2 ** 20)).toHaveLength(6)
    expect(new Set(factors).size).toBeGreaterThan(1)
  })

  test('sorting text', async () => {
    const words = ['b', 'a', 'B', 'é', 'e', 'ß', 'z', 'Z', ' ', '10', '9', '\u{1f600}', '\uffee', 'ab', 'a b', '']
    const db = openMemoryDatabase()
    for (const word of words) db.query('INSERT INTO search_words VALUES (?1)').run(word)
    const query = 'SELECT word FROM search_words ORDER BY word'
    const found: unknown = await rolledBack(sql, async (tx) => {
      for (const word of words) await tx`INSERT INTO search_words VALUES (${word})`
      return [...(await tx.unsafe(query).values())]
    })
    expect(found).toEqual(db.query(query).values())
  })
})
