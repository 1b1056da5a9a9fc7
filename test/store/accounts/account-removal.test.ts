import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { beforeStatements } from '../../support/database.ts'
import { T } from '../contract/fixtures.ts'

/** Rows in each table: more than two jobs remove. */
const COUNT = 1200

const NUMBERS = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT})`
const URL = `'https://a.example/' || i`

/** Tables that one account can fill, with rows of user 1. */
const ROWS: Readonly<Record<string, string>> = {
  devices: `(user_id, uid, caption, type, created_at) SELECT 1, 'd' || i, '', 'other', ${T}`,
  podcasts: `(url, created_at) SELECT ${URL}, ${T}`,
  episodes: `(podcast_id, url) SELECT i, ${URL}`,
  subscriptions: `(device_id, podcast_id, subscribed, seq) SELECT 1, i, 1, 1`,
  replaced_addresses: `(device_id, podcast_id) SELECT 1, i`,
  provisional_titles: `(user_id, podcast_id, title) SELECT 1, i, 'Fog'`,
  settings: `(user_id, scope, target, value) SELECT 1, iif(i % 2, 'podcast', 'episode'), ${URL}, '{}'`,
  chapters: `(user_id, target, starts_at, ends_at, label, advertisement, seq) SELECT 1, ${URL}, 0, 9, '', 0, 1`,
  list_changes: `(user_id, id, at, kind, added, removed, changes) SELECT 1, i, ${T}, 'upload', 1, 0, x'00'`,
  action_devices: `(user_id, uid) SELECT 1, 'd' || i`,
  action_uploads: `(device_id, seq, first_id, last_id) SELECT 1, i, i, i`,
  user_episodes: `(user_id, episode_id, last_action_id, state_action_id) SELECT 1, i, i, i`,
  joined_episodes: `(user_id, media_id, state_action_id) SELECT 1, i, i`,
  episode_actions: `(user_id, user_episode_id, device_id, kind, at, hash) SELECT 1, i, 1, 0, ${T}, i`,
}

/** The state after a server stopped early in a removal: user 1 has all these rows, user 2 none. */
function openFilled() {
  const db = openMemoryDatabase()
  const totalChanges = db.prepare<{ n: number }, []>('SELECT total_changes() AS n')
  const changes = () => totalChanges.get()?.n ?? 0
  for (const id of [1, 2])
    db.run(
      `INSERT INTO users (id, username, username_key, state, created_at) VALUES (${id}, 'u${id}', 'u${id}', 'active', ${T})`,
    )
  for (const [table, rows] of Object.entries(ROWS))
    db.run(`INSERT INTO ${table} ${rows.replace('SELECT', `${NUMBERS} SELECT`)} FROM n`)
  db.run(`UPDATE users SET state = 'deleting' WHERE id = 1`)
  return { db, changes }
}

test('an account with many rows in every table is removed in small steps', async () => {
  const { db, changes } = openFilled()
  let last = changes()
  let most = 0
  beforeStatements(db, () => {
    most = Math.max(most, changes() - last)
    last = changes()
  })
  await createSqliteStore(db).users.finishDeletions()
  // 500 rows, plus those changed by triggers and foreign keys.
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(3000)
  for (const table of Object.keys(ROWS).filter((name) => !['podcasts', 'episodes'].includes(name)))
    expect([table, db.query(`SELECT COUNT(*) AS n FROM ${table}`).get()]).toEqual([table, { n: 0 }])
  expect(db.query('SELECT id FROM users').all()).toEqual([{ id: 2 }])
})

test('podcasts that a user had hidden stay hidden when the account is removed', async () => {
  const { db } = openFilled()
  db.run(
    `UPDATE settings SET value = '{"public_subscription":false}' WHERE scope = 'podcast' AND target < 'https://a.example/7'`,
  )
  // The setting does not hide a podcast that the user never had.
  db.run(`INSERT INTO podcasts (url, created_at) VALUES ('https://b.example/', ${T})`)
  db.run(
    `INSERT INTO settings (user_id, scope, target, value) VALUES (1, 'podcast', 'https://b.example/', '{"public_subscription":false}')`,
  )
  await createSqliteStore(db).users.finishDeletions()
  const hidden = db.query<{ url: string }, []>('SELECT url FROM podcasts WHERE was_hidden = 1').all()
  const wanted = Array.from({ length: COUNT }, (_, n) => `https://a.example/${n + 1}`).filter(
    (url, n) => n % 2 === 0 && url < 'https://a.example/7',
  )
  expect(new Set(hidden.map(({ url }) => url))).toEqual(new Set(wanted))
})
