import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * What apps did and when (docs/protocol.md#activity). The device is named by its ID, without a foreign key: the row
 * outlives it, and an app may have been refused for naming one that there is not.
 */
export const activity = sqliteTable(
  'activity',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** Of the first and the last time; a row stands for `count` of them. */
    firstAt: integer('first_at').notNull(),
    lastAt: integer('last_at').notNull(),
    count: integer().notNull(),
    kind: text().notNull(),
    /** The error code; null for what was granted. */
    reason: text(),
    device: text(),
    app: text(),
    isBrowser: integer('is_browser', { mode: 'boolean' }).notNull(),
    /** Of all times together: podcasts added and removed, and other things sent or fetched. */
    added: integer().notNull(),
    removed: integer().notNull(),
    items: integer().notNull(),
  },
  (table) => [index('activity_user').on(table.userId, sql`kind = 'refused'`, table.lastAt)],
)
