import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { ofPodcast } from './podcasts.ts'

/** Public podcast lists of users (docs/protocol.md#podcast-lists). */
export const podcastLists = sqliteTable(
  'podcast_lists',
  {
    userId: ofUser().notNull(),
    /** The slug of the title. */
    name: text().notNull(),
    title: text().notNull(),
    /** Number of feeds, for the quota. */
    feeds: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    /**
     * Feed URLs in order, one per line. A list is read and replaced as a whole, and may contain feeds without
     * subscribers, for which rows of `podcasts` would have to be kept.
     */
    urls: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
)

/** Categories of listed podcasts. */
export const tags = sqliteTable(
  'tags',
  {
    id: integer().primaryKey(),
    slug: text().notNull().unique(),
    /** In the spelling of the first feed. */
    title: text().notNull(),
    /** Number of listed podcasts. */
    usage: integer().notNull().default(0),
  },
  (table) => [index('tags_usage').on(table.usage, table.slug)],
)

/**
 * Podcasts of each tag in display order, most subscribed first. Tag 0, which is in no other table, is the toplist and
 * contains every local podcast. `isListed` and `subscribers` are copies maintained by the indexer.
 */
export const podcastTags = sqliteTable(
  'podcast_tags',
  {
    podcastId: ofPodcast().notNull(),
    tagId: integer('tag_id').notNull(),
    isListed: integer('is_listed', { mode: 'boolean' }).notNull(),
    subscribers: integer().notNull(),
    /** Beginning of the folded title. */
    sortKey: text('sort_key').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.podcastId, table.tagId] }),
    index('podcast_tags_order').on(table.tagId, table.isListed, sql`subscribers DESC`, table.sortKey, table.podcastId),
  ],
)

/** Outbox of the directory. Requests write rows of their own user; the indexer sums them up and deletes them. */
export const directoryChanges = sqliteTable(
  'directory_changes',
  {
    podcastId: integer('podcast_id').notNull(),
    /** 0 for a change that does not affect subscriptions. */
    userId: integer('user_id').notNull(),
    /** Change of the number of subscribers: 1, -1, or 0 if it is unchanged or has changed back. */
    subscribers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.userId] })],
)

/** Background tasks over the whole database, with the version of the rules last applied. */
export const upkeep = sqliteTable('upkeep', {
  task: text({ enum: ['secret_rules'] }).primaryKey(),
  version: integer().notNull(),
})

/** Podcasts in the search index. */
export const searchDocuments = sqliteTable('search_documents', {
  podcastId: integer('podcast_id').primaryKey(),
  /** Row number in the tables of the index. */
  documentId: integer('document_id').notNull(),
  /** Fingerprint of the indexed text. */
  fingerprint: text().notNull(),
})

/** Vocabulary of the search, for fuzzy matches. */
export const searchWords = sqliteTable('search_words', {
  word: text().primaryKey(),
})

/** Outbox of the episode search: added, changed and removed episodes. Written by triggers on `episode_details`. */
export const episodeChanges = sqliteTable('episode_changes', {
  episodeId: integer('episode_id').primaryKey(),
})

/** Row numbers in `episode_titles` and `episode_notes`, which follow podcast and time (episode-index.ts). */
export const episodeDocuments = sqliteTable('episode_documents', {
  documentId: integer('document_id').primaryKey(),
  episodeId: integer('episode_id').notNull().unique(),
})

/** Vocabulary of episode titles, for fuzzy matches. */
export const episodeWords = sqliteTable('episode_words', {
  word: text().primaryKey(),
})
