import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { episodes } from './episodes.ts'

/**
 * Device IDs in uploads; `''` for actions without one. They are separate from `devices`, which they outlive
 * (docs/protocol.md#D32).
 */
export const actionDevices = sqliteTable(
  'action_devices',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    uid: text().notNull(),
  },
  (table) => [uniqueIndex('action_devices_user_uid').on(table.userId, table.uid)],
)

/**
 * Uploads, each with its rows of `episodeActions`: those of the device from `firstId` to `lastId`, where other devices
 * may have rows too. An upload of one device is one row regardless of its size, so actions since a logical time are
 * found without an index on all actions.
 */
export const actionUploads = sqliteTable(
  'action_uploads',
  {
    deviceId: integer('device_id')
      .notNull()
      .references(() => actionDevices.id, { onDelete: 'cascade' }),
    /** Logical time of the upload. */
    seq: integer().notNull(),
    firstId: integer('first_id').notNull(),
    lastId: integer('last_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.seq, table.firstId] }),
    index('action_uploads_first').on(table.deviceId, table.firstId),
  ],
)

/**
 * Episodes for which users have uploaded actions, and their state. A media URL that actions have named with several
 * guids has a row for each (docs/protocol.md#D84).
 */
export const userEpisodes = sqliteTable(
  'user_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    episodeId: integer('episode_id')
      .notNull()
      .references(() => episodes.id),
    /** The guid from an action, otherwise from the feed. */
    guid: text(),
    /** A later action on the media URL named another guid. Actions without a guid belong to the current row. */
    isFormer: integer('is_former', { mode: 'boolean' }).notNull().default(false),
    /** The last uploaded action: head of the list linked by `previousId`. */
    lastActionId: integer('last_action_id').notNull(),
    /** The action that holds the state of the episode (docs/protocol.md#D45). */
    stateActionId: integer('state_action_id').notNull(),
    /** Event time of that action if the episode is in progress (docs/protocol.md#D90), otherwise null. */
    progressAt: integer('progress_at'),
    /** Row of `joinedEpisodes` if the user has actions on other media URLs of the same episode. */
    joinedId: integer('joined_id'),
    /** The guid identifies several episodes of the user, so clients do not see it. */
    isGuidHidden: integer('is_guid_hidden', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('user_episodes_user_episode').on(table.userId, table.episodeId, table.isFormer),
    index('user_episodes_former').on(table.userId, table.episodeId, table.guid).where(sql`is_former = 1`),
    index('user_episodes_episode').on(table.episodeId),
    index('user_episodes_guid').on(table.userId, table.guid).where(sql`guid IS NOT NULL`),
    index('user_episodes_joined').on(table.joinedId).where(sql`joined_id IS NOT NULL`),
    index('user_episodes_progress')
      .on(table.userId, table.progressAt)
      .where(sql`progress_at IS NOT NULL AND joined_id IS NULL`),
  ],
)

/** Episodes with actions of a user on several media URLs (docs/protocol.md#D84). */
export const joinedEpisodes = sqliteTable(
  'joined_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    /** Row of `episodes` with the last uploaded media URL, the one that clients see. */
    mediaId: integer('media_id').notNull(),
    stateActionId: integer('state_action_id').notNull(),
    progressAt: integer('progress_at'),
  },
  (table) => [
    index('joined_episodes_user').on(table.userId),
    index('joined_episodes_progress').on(table.userId, table.progressAt).where(sql`progress_at IS NOT NULL`),
  ],
)

/**
 * Append-only log of episode actions (docs/protocol.md#episode-actions). A user's row numbers ascend with the logical
 * time of the upload, which is in `actionUploads`. References to `userEpisodes` and `actionDevices` are not foreign
 * keys, since each would need an index.
 */
export const episodeActions = sqliteTable(
  'episode_actions',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    userEpisodeId: integer('user_episode_id').notNull(),
    deviceId: integer('device_id').notNull(),
    /** The previously uploaded action on the same episode. */
    previousId: integer('previous_id'),
    /** Index into ACTION_KINDS of action-kinds.ts. */
    kind: integer().notNull(),
    /** Event time of the client. */
    at: integer().notNull(),
    /** Distinguishes most actions of the same second (`hashOf` in action-hash.ts). */
    hash: integer().notNull(),
    started: integer(),
    position: integer(),
    total: integer(),
  },
  // Also serves the check for exact repeats (docs/protocol.md#D49).
  (table) => [index('episode_actions_time').on(table.userId, table.at, table.hash)],
)

/** Secret factors of `hashOf` (action-hash.ts), so that clients cannot construct colliding actions. One row. */
export const actionHash = sqliteTable('action_hash', {
  episode: integer().notNull(),
  device: integer().notNull(),
  kind: integer().notNull(),
  started: integer().notNull(),
  position: integer().notNull(),
  total: integer().notNull(),
})
