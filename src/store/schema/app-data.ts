import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/** Settings that clients share (docs/protocol.md#settings): one JSON object per target. */
export const settings = sqliteTable(
  'settings',
  {
    userId: ofUser().notNull(),
    scope: text({ enum: ['account', 'device', 'podcast', 'episode'] }).notNull(),
    /** `''`, a device ID, a feed URL, or feed URL and media URL separated by a space. */
    target: text().notNull(),
    value: text().notNull(),
    /** Time at which the episode became a favorite, adjusted to be unique; null if it is not one. */
    favoriteAt: integer('favorite_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.scope, table.target] }),
    index('settings_favorite').on(table.userId, table.favoriteAt).where(sql`favorite_at IS NOT NULL`),
    // Finds settings of an episode by any user.
    index('settings_episode').on(table.target).where(sql`scope = 'episode'`),
    // Finds the users' choices of who may see a podcast.
    index('settings_choice')
      .on(table.target)
      .where(sql`scope = 'podcast' AND value -> '$.public_subscription' IS NOT NULL`),
  ],
)

/** Bookmarks of users (docs/protocol.md#chapters). */
export const chapters = sqliteTable(
  'chapters',
  {
    userId: ofUser().notNull(),
    /** Feed URL and media URL separated by a space. */
    target: text().notNull(),
    /** Seconds from the beginning of the episode, like `endsAt`. */
    startsAt: integer('starts_at').notNull(),
    endsAt: integer('ends_at').notNull(),
    label: text().notNull(),
    advertisement: integer({ mode: 'boolean' }).notNull(),
    /** Logical time of the last change. */
    seq: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.target, table.startsAt, table.endsAt] })],
)
