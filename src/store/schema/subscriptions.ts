import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { devices } from './devices.ts'
import { ofPodcast } from './podcasts.ts'

/**
 * One row for each feed that a device has or had (docs/protocol.md#D36). `seq` is the logical time of the last change
 * and `subscribed` its direction, so deltas need no log and a device's history is bounded by the number of its feeds.
 * `podcastId` is not a foreign key, which would need an index; instead, a trigger refuses to remove podcasts that have
 * listeners. To find the subscribers of a podcast, use `listeners`, then `devices`.
 */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    podcastId: integer('podcast_id').notNull(),
    subscribed: integer({ mode: 'boolean' }).notNull(),
    seq: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.podcastId] }),
    index('subscriptions_device_seq').on(table.deviceId, table.seq),
  ],
)

/**
 * Current and former subscribers of podcasts, with the number of their devices. Written only by triggers on
 * `subscriptions`.
 */
export const listeners = sqliteTable(
  'listeners',
  {
    userId: ofUser().notNull(),
    podcastId: ofPodcast().notNull(),
    devices: integer().notNull(),
    /** Logical time (docs/protocol.md#D14) at which the first of these devices subscribed. */
    since: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.podcastId] }), index('listeners_podcast').on(table.podcastId)],
)

/**
 * Titles from imported lists or external directories, shown only to that user until the feed has been fetched and has a
 * title.
 */
export const provisionalTitles = sqliteTable(
  'provisional_titles',
  {
    userId: ofUser().notNull(),
    podcastId: ofPodcast().notNull(),
    title: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.podcastId] }),
    index('provisional_titles_podcast').on(table.podcastId),
  ],
)
