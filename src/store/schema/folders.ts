import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { ofPodcast } from './podcasts.ts'

/** Folders in which users sort their podcasts (docs/protocol.md#folders). */
export const folders = sqliteTable(
  'folders',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    name: text().notNull(),
    /** Folded name, unique per user. */
    key: text().notNull(),
  },
  (table) => [uniqueIndex('folders_user_key').on(table.userId, table.key)],
)

export const folderPodcasts = sqliteTable(
  'folder_podcasts',
  {
    folderId: integer('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    podcastId: ofPodcast().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.folderId, table.podcastId] }),
    index('folder_podcasts_podcast').on(table.podcastId),
  ],
)
