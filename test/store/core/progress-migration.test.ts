import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, report, T } from '../contract/fixtures.ts'

const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }
const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name.endsWith('_in_progress')),
)
const TABLES = [
  'users',
  'podcasts',
  'episodes',
  'action_devices',
  'user_episodes',
  'joined_episodes',
  'episode_actions',
]

const column = (db: Database, table: string) => db.query(`SELECT id, progress_at FROM ${table} ORDER BY id`).values()

test('what is in progress by what is stored already is so after the migration', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const play = (name: string, position: number | undefined, total: number | undefined, guid?: string) => ({
    ...{ podcast: 'https://a.example/f', episode: `https://cdn.example/${name}`, kind: 'play' as const },
    ...{ at: T + (position ?? 0), position, total, guid },
  })
  await report(store, ida, [
    ...[play('begun', 5, 60), play('open', 5, undefined), play('zero', 5, 0), play('done', 60, 60), play('not', 0, 60)],
    ...[play('unknown', undefined, undefined), { ...play('new', undefined, undefined), kind: 'new' as const }],
    ...[play('one', 60, 60, 'twin'), play('other', 61, 90, 'twin')],
  ])
  const tables = ['user_episodes', 'joined_episodes']
  const before = tables.map((table) => column(db, table))
  expect(before.map((rows) => rows.filter(([, at]) => at !== null).length)).toEqual([4, 1])

  const old = new Database(':memory:', { strict: true })
  migrate(old, { ...OPTIONS, migrations: BEFORE })
  for (const table of TABLES) {
    const columns = old
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
      .all(table)
      .map(({ name }) => name)
    const insert = old.query(`INSERT INTO ${table} (${columns}) VALUES (${columns.map((_, n) => `?${n + 1}`)})`)
    for (const row of db.query(`SELECT ${columns} FROM ${table}`).values()) insert.run(...row)
  }
  migrate(old, { ...OPTIONS, migrations: MIGRATIONS })
  expect(tables.map((table) => column(old, table))).toEqual(before)
  old.close()
  await store.idle()
  db.close()
})
