import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * Where a user wants to be told what is new, and how telling it goes (docs/protocol.md#webhooks). The URL and the secret
 * are stored as they are: the server needs both, and a key that lies beside the database would hide them from nobody.
 */
export const webhooks = sqliteTable('webhooks', {
  userId: ofUser().primaryKey(),
  url: text().notNull(),
  format: text({ enum: ['json', 'ntfy', 'gotify'] }).notNull(),
  secret: text().notNull(),
  tellsEpisodes: integer('tells_episodes', { mode: 'boolean' }).notNull(),
  tellsDevices: integer('tells_devices', { mode: 'boolean' }).notNull(),
  tellsFailures: integer('tells_failures', { mode: 'boolean' }).notNull(),
  /** Why nothing is sent until the user sets it again; null while it is on. */
  offReason: text('off_reason', { enum: ['unauthorized', 'gone', 'password_reset'] }),
  /** Attempts that failed in a row, of whichever message. */
  failures: integer().notNull().default(0),
  nextAttemptAt: integer('next_attempt_at').notNull().default(0),
  deliveredAt: integer('delivered_at'),
  /** Of the last attempt that failed, whatever came after it. */
  failedAt: integer('failed_at'),
  error: text(),
  /** Messages that were given up. */
  dropped: integer().notNull().default(0),
})

const ofWebhook = () => integer('user_id').references(() => webhooks.userId, { onDelete: 'cascade' })

/**
 * What has happened that a user wants to be told, until a message is made of all that came together. What it names may
 * be gone by then; foreign keys would need an index each.
 */
export const webhookNews = sqliteTable(
  'webhook_news',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofWebhook().notNull(),
    event: text({ enum: ['new_episode', 'new_device', 'feed_failing'] }).notNull(),
    at: integer().notNull(),
    podcastId: integer('podcast_id'),
    episodeId: integer('episode_id'),
    device: text(),
  },
  (table) => [index('webhook_news_user').on(table.userId, table.event)],
)

/** Messages that wait to be sent, each a JSON object as receivers of the format `json` get it. */
export const webhookMessages = sqliteTable(
  'webhook_messages',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofWebhook().notNull(),
    createdAt: integer('created_at').notNull(),
    content: text().notNull(),
  },
  (table) => [
    index('webhook_messages_user').on(table.userId, table.id),
    index('webhook_messages_created').on(table.createdAt),
  ],
)
