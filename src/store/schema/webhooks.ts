import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofUser } from './accounts.ts'

/**
 * Webhooks of users and the state of delivery (docs/protocol.md#webhooks). URL and secret are stored in plain text: the
 * server needs both, and a key stored next to the database would not protect them.
 */
export const webhooks = sqliteTable('webhooks', {
  userId: ofUser().primaryKey(),
  url: text().notNull(),
  format: text({ enum: ['json', 'ntfy', 'gotify'] }).notNull(),
  secret: text().notNull(),
  tellsEpisodes: integer('tells_episodes', { mode: 'boolean' }).notNull(),
  tellsDevices: integer('tells_devices', { mode: 'boolean' }).notNull(),
  tellsFailures: integer('tells_failures', { mode: 'boolean' }).notNull(),
  /** Reason why the webhook is off until the user saves it again; null while it is on. */
  offReason: text('off_reason', { enum: ['unauthorized', 'gone', 'password_reset'] }),
  /** Consecutive failed attempts, over all messages. */
  failures: integer().notNull().default(0),
  nextAttemptAt: integer('next_attempt_at').notNull().default(0),
  deliveredAt: integer('delivered_at'),
  /** Time of the last failure, which later successes do not reset. `error` is its message. */
  failedAt: integer('failed_at'),
  error: text(),
  /** Number of discarded messages. */
  dropped: integer().notNull().default(0),
})

const ofWebhook = () => integer('user_id').references(() => webhooks.userId, { onDelete: 'cascade' })

/**
 * Events that have not been combined into a message yet. The rows they refer to may be gone by then; foreign keys would
 * each need an index.
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

/** Outgoing messages. `content` is the JSON object that receivers of the format `json` get. */
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
