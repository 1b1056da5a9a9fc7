import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/** What users have had imported, and how far that is. Nothing secret: passwords of other servers are in memory only. */
export const imports = sqliteTable(
  'imports',
  {
    // Never given again: a file in the folder of imports is named by it.
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** What it is read from: a kind of file, or of server. */
    source: text().notNull(),
    /** What the report calls the source. */
    label: text().notNull(),
    /** The same for the same source, so that it is gone on with where it was interrupted. */
    key: text().notNull(),
    state: text({ enum: ['running', 'interrupted', 'done', 'failed', 'cancelled'] }).notNull(),
    /** A file in the folder of imports is needed to go on. */
    hasFile: integer('has_file', { mode: 'boolean' }).notNull(),
    /** Where to go on. */
    cursor: text(),
    /** Counts and reasons, as JSON. */
    report: text().notNull(),
    /** Why it ended, if not well; '' otherwise. */
    error: text().notNull().default(''),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('imports_user').on(table.userId),
    uniqueIndex('imports_running').on(table.userId).where(sql`state = 'running'`),
  ],
)
