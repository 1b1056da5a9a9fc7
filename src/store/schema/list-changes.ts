import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * What each write to the lists of a user did (docs/protocol.md#undo): what the cause did to all devices is one row. Podcasts are referred to without
 * a foreign key, as in `subscriptions`, and devices as well: the row outlives them.
 */
export const listChanges = sqliteTable(
  'list_changes',
  {
    userId: ofUser().notNull(),
    /** Ascends with the changes of the user. */
    id: integer().notNull(),
    /** By the wall clock. */
    at: integer().notNull(),
    /** The device whose app did it; null for what is done to several. */
    deviceId: integer('device_id'),
    kind: text({
      enum: ['upload', 'replace', 'sync', 'join', 'exchange', 'move', 'import', 'restore', 'device'],
    }).notNull(),
    /** What the app calls itself. */
    app: text(),
    /** Podcasts, however many devices got or lost them. Both are 0 where only addresses have changed. */
    added: integer().notNull(),
    removed: integer().notNull(),
    /** By device, as `encoding.ts` writes it. */
    changes: blob({ mode: 'buffer' }).notNull(),
    /** Of a device that is removed by this: its ID and its caption as a JSON array. */
    goneDevice: text('gone_device'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** Since when `list_changes` has all of a user; without a row since the account was made. */
export const listChangeStarts = sqliteTable('list_change_starts', {
  userId: ofUser().primaryKey(),
  at: integer().notNull(),
})
