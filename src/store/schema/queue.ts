import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'
import { episodes } from './episodes.ts'

/** Queue of a user (docs/protocol.md#queue). Replaced as a whole. */
export const queueItems = sqliteTable(
  'queue_items',
  {
    userId: ofUser().notNull(),
    /** Ascending, with gaps where episodes were removed. */
    position: integer().notNull(),
    episodeId: integer('episode_id')
      .notNull()
      .references(() => episodes.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.position] }),
    index('queue_items_episode').on(table.episodeId),
  ],
)
