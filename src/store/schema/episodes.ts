import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofPodcast, podcasts } from './podcasts.ts'

/** All known media URLs, once per podcast. */
export const episodes = sqliteTable(
  'episodes',
  {
    id: integer().primaryKey(),
    podcastId: integer('podcast_id')
      .notNull()
      .references(() => podcasts.id),
    url: text().notNull(),
  },
  (table) => [uniqueIndex('episodes_podcast_url').on(table.podcastId, table.url)],
)

/** Episode details from the feed. Separate from `episodes`, which every read of episode actions goes through. */
export const episodeDetails = sqliteTable(
  'episode_details',
  {
    episodeId: integer('episode_id')
      .primaryKey()
      .references(() => episodes.id, { onDelete: 'cascade' }),
    podcastId: ofPodcast().notNull(),
    /** Fingerprint of the episode in the feed, so that unchanged episodes are not written again. */
    fingerprint: text().notNull(),
    title: text().notNull(),
    website: text().notNull(),
    released: integer(),
    guid: text().notNull(),
    duration: integer(),
    size: integer(),
    mimeType: text('mime_type').notNull(),
    imageUrl: text('image_url').notNull(),
    chaptersUrl: text('chapters_url').notNull(),
    transcriptUrl: text('transcript_url').notNull(),
    /** MIME type according to the feed, or ''. */
    transcriptType: text('transcript_type').notNull().default(''),
    season: integer(),
    /** Episode number from `itunes:episode`. */
    number: integer(),
    isExplicit: integer('is_explicit', { mode: 'boolean' }).notNull().default(false),
    /** False if the feed now has the episode at another media URL; kept for users who know it by this one. */
    isListed: integer('is_listed', { mode: 'boolean' }).notNull().default(true),
    /** Sanitised HTML. Long columns come last, so that the others are read without them. */
    description: text().notNull(),
    /** JSON, see `FeedEpisode`. */
    chapters: text().notNull().default(''),
  },
  (table) => [
    index('episode_details_released').on(table.podcastId, table.released),
    index('episode_details_unlisted').on(table.podcastId).where(sql`is_listed = 0`),
  ],
)
