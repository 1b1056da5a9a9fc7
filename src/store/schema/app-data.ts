import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/** What people set for clients to share (docs/protocol.md#settings): one JSON object for each thing. */
export const settings = sqliteTable(
  'settings',
  {
    userId: ofUser().notNull(),
    scope: text({ enum: ['account', 'device', 'podcast', 'episode'] }).notNull(),
    /** Nothing, a device's uid, a feed URL, or feed URL and media URL with a space in between. */
    target: text().notNull(),
    value: text().notNull(),
    /** When the episode became a favorite, or a second later for each that became one before; null if it is none. */
    favoriteAt: integer('favorite_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.scope, table.target] }),
    index('settings_favorite').on(table.userId, table.favoriteAt).where(sql`favorite_at IS NOT NULL`),
    // Whether anybody has set something for an episode.
    index('settings_episode').on(table.target).where(sql`scope = 'episode'`),
    // Whether anybody has chosen who may see a podcast, and what.
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
    /** Feed URL and media URL with a space in between. */
    target: text().notNull(),
    /** Seconds from the beginning of the episode, as the next. */
    startsAt: integer('starts_at').notNull(),
    endsAt: integer('ends_at').notNull(),
    label: text().notNull(),
    advertisement: integer({ mode: 'boolean' }).notNull(),
    /** Logical time of the last change. */
    seq: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.target, table.startsAt, table.endsAt] })],
)
