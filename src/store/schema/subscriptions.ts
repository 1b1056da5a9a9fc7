import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { devices } from './devices.ts'
import { ofPodcast } from './podcasts.ts'

/**
 * One row for each feed a device has or had (docs/protocol.md#D36): `seq` is the logical time of its last change and
 * `subscribed` tells which way that change went, so deltas need no log and a device's history cannot outgrow the number
 * of its feeds. Podcasts are referred to without a foreign key, which would need an index: a trigger on `podcasts`
 * refuses to remove one that has listeners. Who has a podcast is found in `listeners`, and from there by `devices`.
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
 * Who has a podcast, on how many devices, or had it once. Kept by triggers on `subscriptions`, and never written
 * otherwise.
 */
export const listeners = sqliteTable(
  'listeners',
  {
    userId: ofUser().notNull(),
    podcastId: ofPodcast().notNull(),
    devices: integer().notNull(),
    /** Logical time (docs/protocol.md#D14) at which the first of these devices got the podcast. */
    since: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.podcastId] }), index('listeners_podcast').on(table.podcastId)],
)

/**
 * What a user calls a podcast as long as its feed has not said a title: from an imported list or an external directory.
 * Nobody else is shown it.
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
