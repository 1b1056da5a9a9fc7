import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A column for the podcast that a row belongs to, and goes with. */
export const ofPodcast = () =>
  integer('podcast_id').references((): AnySQLiteColumn => podcasts.id, { onDelete: 'cascade' })

/**
 * Every feed URL anybody ever sent, once, and how fetching it goes. Rows are small: most checks of a feed find nothing
 * new and write just this one. What the feed says is in `podcastDetails`.
 */
export const podcasts = sqliteTable(
  'podcasts',
  {
    id: integer().primaryKey(),
    url: text().notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** As the feed's server named the state last fetched. */
    etag: text(),
    lastModified: text('last_modified'),
    /** Of the document last fetched. */
    bodyHash: text('body_hash'),
    checkedAt: integer('checked_at'),
    /** When a check last succeeded. */
    succeededAt: integer('succeeded_at'),
    nextCheckAt: integer('next_check_at').notNull().default(0),
    /** In a row. */
    failures: integer().notNull().default(0),
    failingSince: integer('failing_since'),
    /** A word for programs and a sentence for people, about the last failure. */
    errorReason: text('error_reason'),
    error: text(),
    /** Where the feed says, or its server, that it has gone for good. */
    movedTo: text('moved_to'),
    /** Seconds for which the feed itself says that nothing will change. */
    ttl: integer(),
    /** Distinct active users with at least one device subscribed; kept by the indexer, like the next one. */
    subscribers: integer().notNull().default(0),
    /** Somebody is subscribed or was (docs/protocol.md#D52). */
    isLocal: integer('is_local', { mode: 'boolean' }).notNull().default(false),
    /**
     * Visible to its subscribers only (docs/protocol.md#D56). The indexer decides with `isPrivatePodcast`. A transaction
     * that changes an input of the decision sets this column and adds a row to `directory_changes`, so a podcast is never
     * public before the decision.
     */
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(true),
    /** Whether the URL itself is a secret; null until it has been classified. */
    isSecret: integer('is_secret', { mode: 'boolean' }),
    /** Seven days ago; null if unknown. */
    subscribersLastWeek: integer('subscribers_last_week'),
    /** In the toplist, counted from 1; 0 if it was not in it or nobody knows. */
    positionLastWeek: integer('position_last_week').notNull().default(0),
    /** When the same address by https was last tried, and whether the same feed was there. */
    probedAt: integer('probed_at'),
    worksByHttps: integer('works_by_https', { mode: 'boolean' }).notNull().default(false),
    /** A user who hid it has been removed. */
    wasHidden: integer('was_hidden', { mode: 'boolean' }).notNull().default(false),
    /** Its feed was last had only because `feed_allow_private` lets people with an account have it. */
    isInside: integer('is_inside', { mode: 'boolean' }).notNull().default(false),
    /** There are rows of it in `addressRelations`, which need not be looked for otherwise. */
    hasAliases: integer('has_aliases', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('podcasts_next_check').on(table.nextCheckAt),
    index('podcasts_strangers').on(table.createdAt).where(sql`is_local = 0`),
    index('podcasts_last_week').on(table.positionLastWeek).where(sql`position_last_week > 0`),
  ],
)

/** What a feed says about its podcast. `''` is unknown. */
export const podcastDetails = sqliteTable('podcast_details', {
  podcastId: ofPodcast().primaryKey(),
  isBlocked: integer('is_blocked', { mode: 'boolean' }).notNull(),
  title: text().notNull(),
  author: text().notNull(),
  website: text().notNull(),
  logoUrl: text('logo_url').notNull(),
  language: text().notNull(),
  /** A JSON array of what the feed calls its categories. */
  tags: text().notNull(),
  guid: text().notNull(),
  fundingUrl: text('funding_url').notNull(),
  /** Sanitised HTML. Long, so it comes last: other columns are read without it. */
  description: text().notNull(),
})

/** How many subscribers a podcast had at the end of those days at which that had changed. */
export const subscriberHistory = sqliteTable(
  'subscriber_history',
  {
    podcastId: ofPodcast().notNull(),
    /** Since 1970. */
    day: integer().notNull(),
    subscribers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.day] }), index('subscriber_history_day').on(table.day)],
)
