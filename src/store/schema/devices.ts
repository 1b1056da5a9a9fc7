import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

export const syncGroups = sqliteTable(
  'sync_groups',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
  },
  (table) => [index('sync_groups_user').on(table.userId)],
)

export const devices = sqliteTable(
  'devices',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    /** ID chosen by the client, case-sensitive (docs/protocol.md#D13). */
    uid: text().notNull(),
    caption: text().notNull(),
    type: text({ enum: ['mobile', 'laptop', 'desktop', 'server', 'other'] }).notNull(),
    syncGroupId: integer('sync_group_id').references(() => syncGroups.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    /** Time an app last used the device, up to some minutes old; null if no use has been recorded. */
    lastSeenAt: integer('last_contact_at'),
    /** The app has uploaded changes or a whole list (docs/protocol.md#D100). */
    hasSent: integer('has_sent', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('devices_user_uid').on(table.userId, table.uid),
    index('devices_sync_group').on(table.syncGroupId),
  ],
)
