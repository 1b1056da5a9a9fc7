import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * Activity of apps (docs/protocol.md#activity). The device ID is not a foreign key: the row outlives the device, and a
 * rejected request may have named one that does not exist.
 */
export const activity = sqliteTable(
  'activity',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** Time of the first of `count` occurrences; `lastAt` is the last. */
    firstAt: integer('first_at').notNull(),
    lastAt: integer('last_at').notNull(),
    count: integer().notNull(),
    kind: text().notNull(),
    /** Error code; null for a successful request. */
    reason: text(),
    device: text(),
    app: text(),
    isBrowser: integer('is_browser', { mode: 'boolean' }).notNull(),
    /** Totals over all occurrences: podcasts added and removed, and other items sent or fetched. */
    added: integer().notNull(),
    removed: integer().notNull(),
    items: integer().notNull(),
  },
  (table) => [index('activity_user').on(table.userId, sql`kind = 'refused'`, table.lastAt)],
)
