import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * History of a user's subscription lists (docs/protocol.md#undo), one row per cause for all devices. Podcasts and
 * devices are not foreign keys, since rows outlive them.
 */
export const listChanges = sqliteTable(
  'list_changes',
  {
    userId: ofUser().notNull(),
    /** Ascends per user. */
    id: integer().notNull(),
    at: integer().notNull(),
    /** The device whose app made the change; null for changes to several devices. */
    deviceId: integer('device_id'),
    kind: text({
      enum: ['upload', 'replace', 'sync', 'join', 'exchange', 'move', 'import', 'restore', 'device'],
    }).notNull(),
    app: text(),
    /** Number of distinct podcasts added. Like `removed`, 0 if only addresses have changed. */
    added: integer().notNull(),
    removed: integer().notNull(),
    /** Changes by device, in the format of `encoding.ts`. */
    changes: blob({ mode: 'buffer' }).notNull(),
    /** ID and caption of the device that this change removed, as a JSON array. */
    goneDevice: text('gone_device'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** Time since which `list_changes` is complete for a user. Without a row, it is complete. */
export const listChangeStarts = sqliteTable('list_change_starts', {
  userId: ofUser().primaryKey(),
  at: integer().notNull(),
})
