import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { devices } from './devices.ts'

/**
 * Of users whose large upload is being written job by job: what it has written is in rows with this `seq`, which the
 * user's clock has not reached. If the process ends in between, the next one takes them back.
 */
export const unfinishedWrites = sqliteTable('unfinished_writes', {
  userId: ofUser().primaryKey(),
  seq: integer().notNull(),
  /** A device that it has made. */
  newDeviceId: integer('new_device_id'),
  /** A device that is being removed: this is finished, not taken back. */
  goneDeviceId: integer('gone_device_id'),
})

/** Addresses that unfinished work has replaced by others, latest last: what is needed to put them back. */
export const unfinishedRenames = sqliteTable(
  'unfinished_renames',
  {
    id: integer().primaryKey(),
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    oldId: integer('old_id').notNull(),
    newId: integer('new_id').notNull(),
    /** The old address was in `replacedAddresses` before. */
    wasReplaced: integer('was_replaced', { mode: 'boolean' }).notNull(),
    /** Of the removed subscription that there was at the new address. */
    seq: integer(),
    previousSeq: integer('previous_seq'),
  },
  (table) => [index('unfinished_renames_device').on(table.deviceId)],
)

/** Guids that unfinished uploads of episode actions have replaced, latest last: what is needed to put them back. */
export const unfinishedGuids = sqliteTable(
  'unfinished_guids',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    userEpisodeId: integer('user_episode_id').notNull(),
    /** Null if none was known. */
    guid: text(),
  },
  (table) => [index('unfinished_guids_user').on(table.userId)],
)
