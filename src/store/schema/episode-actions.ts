import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { episodes } from './episodes.ts'

/**
 * Device IDs as uploads name them; `''` where none was named. Apart from `devices`, which they outlive
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
 * Which rows of `episodeActions` came with which upload: those of the device from `firstId` to `lastId`, which need not be
 * all numbers in between. An upload of one device is one row, however many actions it brings, so that what is new since
 * a logical time is found without an index over all actions.
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
 * An episode that a user has uploaded an action for, and what is known of it by the actions. A media URL that actions
 * have named by several guids has a row for each (docs/protocol.md#D84).
 */
export const userEpisodes = sqliteTable(
  'user_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    episodeId: integer('episode_id')
      .notNull()
      .references(() => episodes.id),
    /** The guid that an action named, or else that of the feed. */
    guid: text(),
    /** A later action on the media URL named another guid. Actions without a guid belong to the row that is not former. */
    isFormer: integer('is_former', { mode: 'boolean' }).notNull().default(false),
    /** The action that was uploaded last: the head of the list that `previousId` links. */
    lastActionId: integer('last_action_id').notNull(),
    /** The action that tells the state of the episode (docs/protocol.md#D45). */
    stateActionId: integer('state_action_id').notNull(),
    /** The time of that action if it says that the episode was begun and not finished (docs/protocol.md#D90). */
    progressAt: integer('progress_at'),
    /** The row of `joinedEpisodes` if the user has actions on other media URLs of the same episode. */
    joinedId: integer('joined_id'),
    /** The guid names several episodes of the user, so no client is told it. */
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

/** An episode of which a user has actions on several media URLs (docs/protocol.md#D84). */
export const joinedEpisodes = sqliteTable(
  'joined_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    /** The row of `episodes` with the media URL last uploaded, by which clients are told of the episode. */
    mediaId: integer('media_id').notNull(),
    /** The action that tells the state of all of them. */
    stateActionId: integer('state_action_id').notNull(),
    /** As for `userEpisodes`. */
    progressAt: integer('progress_at'),
  },
  (table) => [
    index('joined_episodes_user').on(table.userId),
    index('joined_episodes_progress').on(table.userId, table.progressAt).where(sql`progress_at IS NOT NULL`),
  ],
)

/**
 * The append-only log of docs/protocol.md#episode-actions. The numbers of a user's rows ascend with the logical time of
 * their upload, which `actionUploads` tells. Rows refer to `userEpisodes` and `actionDevices` without foreign keys:
 * those would need an index each.
 */
export const episodeActions = sqliteTable(
  'episode_actions',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    userEpisodeId: integer('user_episode_id').notNull(),
    deviceId: integer('device_id').notNull(),
    /** The action on the same episode that was uploaded before. */
    previousId: integer('previous_id'),
    /** Index into ACTION_KINDS of action-kinds.ts. */
    kind: integer().notNull(),
    /** The client's event time. */
    at: integer().notNull(),
    /** Tells most different actions of one second apart (`hashOf` of action-hash.ts). */
    hash: integer().notNull(),
    started: integer(),
    position: integer(),
    total: integer(),
  },
  // By time, and for the exact-duplicate rule (docs/protocol.md#D49).
  (table) => [index('episode_actions_time').on(table.userId, table.at, table.hash)],
)

/** Secret factors of `hashOf` (action-hash.ts), so that nobody can make up many actions that share a hash. One row. */
export const actionHash = sqliteTable('action_hash', {
  episode: integer().notNull(),
  device: integer().notNull(),
  kind: integer().notNull(),
  started: integer().notNull(),
  position: integer().notNull(),
  total: integer().notNull(),
})
