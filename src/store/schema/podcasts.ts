import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Foreign key to a podcast. Removing the podcast removes the row. */
export const ofPodcast = () =>
  integer('podcast_id').references((): AnySQLiteColumn => podcasts.id, { onDelete: 'cascade' })

/**
 * All known feed URLs and the state of fetching them. Rows are small, since most checks of a feed find nothing new and
 * write only this row. The contents of the feed are in `podcastDetails`.
 */
export const podcasts = sqliteTable(
  'podcasts',
  {
    id: integer().primaryKey(),
    url: text().notNull().unique(),
    createdAt: integer('created_at').notNull(),
    etag: text(),
    lastModified: text('last_modified'),
    /** Hash of the last fetched document. */
    bodyHash: text('body_hash'),
    checkedAt: integer('checked_at'),
    succeededAt: integer('succeeded_at'),
    nextCheckAt: integer('next_check_at').notNull().default(0),
    /** Consecutive failures. */
    failures: integer().notNull().default(0),
    failingSince: integer('failing_since'),
    /** Error code of the last failure. `error` is the message. */
    errorReason: text('error_reason'),
    error: text(),
    /** New address, if the feed or its server says that it has moved permanently. */
    movedTo: text('moved_to'),
    /** Minimum refresh interval according to the feed, in seconds. */
    ttl: integer(),
    /** Distinct active users with at least one device subscribed. Maintained by the indexer, like `isLocal`. */
    subscribers: integer().notNull().default(0),
    /** Has or had subscribers (docs/protocol.md#D52). */
    isLocal: integer('is_local', { mode: 'boolean' }).notNull().default(false),
    /**
     * Visible only to subscribers (docs/protocol.md#D56). The indexer decides with `isPrivatePodcast`. A transaction
     * that changes an input sets this column and adds a row to `directory_changes`, so a podcast is never public before
     * the decision.
     */
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(true),
    /** Whether the URL itself is a secret; null until it has been classified. */
    isSecret: integer('is_secret', { mode: 'boolean' }),
    /** Subscribers seven days ago; null if unknown. */
    subscribersLastWeek: integer('subscribers_last_week'),
    /** Position in the toplist, from 1; 0 if it was not listed or is unknown. */
    positionLastWeek: integer('position_last_week').notNull().default(0),
    /** Time of the last attempt to fetch the same feed over https. `worksByHttps` is the result. */
    probedAt: integer('probed_at'),
    worksByHttps: integer('works_by_https', { mode: 'boolean' }).notNull().default(false),
    /** A user who hid it has been removed. */
    wasHidden: integer('was_hidden', { mode: 'boolean' }).notNull().default(false),
    /** The feed was last fetched from an address that only `feed_allow_private` permits. */
    isInside: integer('is_inside', { mode: 'boolean' }).notNull().default(false),
    /** Has rows in `addressRelations`; saves a lookup for all other podcasts. */
    hasAliases: integer('has_aliases', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('podcasts_next_check').on(table.nextCheckAt),
    index('podcasts_strangers').on(table.createdAt).where(sql`is_local = 0`),
    index('podcasts_last_week').on(table.positionLastWeek).where(sql`position_last_week > 0`),
  ],
)

/** Podcast details from the feed. `''` is unknown. */
export const podcastDetails = sqliteTable('podcast_details', {
  podcastId: ofPodcast().primaryKey(),
  isBlocked: integer('is_blocked', { mode: 'boolean' }).notNull(),
  title: text().notNull(),
  author: text().notNull(),
  website: text().notNull(),
  logoUrl: text('logo_url').notNull(),
  language: text().notNull(),
  /** JSON array of the feed's categories. */
  tags: text().notNull(),
  guid: text().notNull(),
  fundingUrl: text('funding_url').notNull(),
  /** Sanitised HTML. The last column because it is long, so that the others are read without it. */
  description: text().notNull(),
})

/** Number of subscribers at the end of each day on which it changed. */
export const subscriberHistory = sqliteTable(
  'subscriber_history',
  {
    podcastId: ofPodcast().notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    subscribers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.day] }), index('subscriber_history_day').on(table.day)],
)
