import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/** Imports of users and their progress. Contains no secrets: passwords of other servers stay in memory. */
export const imports = sqliteTable(
  'imports',
  {
    // Never reused, since files in the folder of imports are named by it.
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** Kind of file or server. */
    source: text().notNull(),
    /** Name of the source in the report. */
    label: text().notNull(),
    /** Stable per source; identifies a resumable import. */
    key: text().notNull(),
    state: text({ enum: ['running', 'interrupted', 'done', 'failed', 'cancelled'] }).notNull(),
    /** Resuming needs a file in the folder of imports. */
    hasFile: integer('has_file', { mode: 'boolean' }).notNull(),
    /** Position at which to resume. */
    cursor: text(),
    report: text().notNull(),
    /** Reason for a failure, otherwise ''. */
    error: text().notNull().default(''),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('imports_user').on(table.userId),
    uniqueIndex('imports_running').on(table.userId).where(sql`state = 'running'`),
  ],
)
