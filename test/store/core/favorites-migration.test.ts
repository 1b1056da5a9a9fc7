import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, B } from '../contract/fixtures.ts'

const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }

test('episodes whose settings said so before are favorites, and no others', async () => {
  const db = new Database(':memory:', { strict: true })
  const at = MIGRATIONS.findIndex(({ name }) => name.endsWith('_classic'))
  migrate(db, { ...OPTIONS, migrations: MIGRATIONS.slice(0, at) })
  db.run("INSERT INTO users (id, username, username_key, state, created_at) VALUES (1, 'ida', 'ida', 'active', 0)")
  const set = (scope: string, target: string, value: object) =>
    db.run('INSERT INTO settings (user_id, scope, target, value) VALUES (1, ?, ?, ?)', [
      ...[scope, target, JSON.stringify(value)],
    ])
  set('episode', `${A} ${A}`, { is_favorite: true })
  set('episode', `${A} ${B}`, { is_favorite: false, x: 'true' })
  set('episode', `${B} ${A}`, { is_favorite: 'true' })
  set('episode', `${B} ${B}`, { a: 1, is_favorite: true })
  set('podcast', A, { is_favorite: true })
  migrate(db, { ...OPTIONS, migrations: MIGRATIONS })
  const favorites = (await Array.fromAsync(createSqliteStore(db).exports.favorites(1 as UserId))).flat()
  expect(favorites).toMatchObject([
    { target: `${B} ${B}`, at: 0 },
    { target: `${A} ${A}`, at: 0 },
  ])
})
