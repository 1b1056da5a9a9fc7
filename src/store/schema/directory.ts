import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { ofPodcast } from './podcasts.ts'

/** Lists of podcasts that users make for everybody to read (docs/protocol.md#podcast-lists). */
export const podcastLists = sqliteTable(
  'podcast_lists',
  {
    userId: ofUser().notNull(),
    /** The slug of the title. */
    name: text().notNull(),
    title: text().notNull(),
    /** How many feeds there are in it, for the quota. */
    feeds: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    /**
     * The feed URLs in order, one a line. A list is replaced and read as a whole, and may name feeds that nobody has: rows of `podcasts` would
     * be kept for them.
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
    /** As the first feed wrote it. */
    title: text().notNull(),
    /** Listed podcasts that carry it. */
    usage: integer().notNull().default(0),
  },
  (table) => [index('tags_usage').on(table.usage, table.slug)],
)

/**
 * The podcasts of a tag in the order they are shown in, most subscribed first. Tag 0, which is in no other table, is
 * all of them: the toplist. Has each local podcast; `isListed` and `subscribers` are copies that the indexer keeps.
 */
export const podcastTags = sqliteTable(
  'podcast_tags',
  {
    podcastId: ofPodcast().notNull(),
    tagId: integer('tag_id').notNull(),
    isListed: integer('is_listed', { mode: 'boolean' }).notNull(),
    subscribers: integer().notNull(),
    /** The beginning of the title, folded. */
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
    /** 0 for a change that has nothing to do with who is subscribed. */
    userId: integer('user_id').notNull(),
    /** 1 for a subscriber more, -1 for one less; 0 if that has not changed, or has changed back. */
    subscribers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.userId] })],
)

/** Background work over all that is stored, and the version of its rules that it was last done with. */
export const upkeep = sqliteTable('upkeep', {
  task: text({ enum: ['secret_rules'] }).primaryKey(),
  version: integer().notNull(),
})

/** What the tables of the search hold of a podcast. */
export const searchDocuments = sqliteTable('search_documents', {
  podcastId: integer('podcast_id').primaryKey(),
  /** Its row in them. */
  documentId: integer('document_id').notNull(),
  /** Of the indexed text. */
  fingerprint: text().notNull(),
})

/** Words of the search, for finding what somebody meant who mistyped one. */
export const searchWords = sqliteTable('search_words', {
  word: text().primaryKey(),
})

/** Outbox of the search in episodes: which have come, changed or gone. Kept by triggers on `episode_details`. */
export const episodeChanges = sqliteTable('episode_changes', {
  episodeId: integer('episode_id').primaryKey(),
})

/** The rows of `episode_titles` and `episode_notes`, which are numbered by podcast and time (episode-index.ts). */
export const episodeDocuments = sqliteTable('episode_documents', {
  documentId: integer('document_id').primaryKey(),
  episodeId: integer('episode_id').notNull().unique(),
})

/** Words in titles of episodes, for the same purpose as `search_words`. */
export const episodeWords = sqliteTable('episode_words', {
  word: text().primaryKey(),
})
