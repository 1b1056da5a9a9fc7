import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { devices } from './devices.ts'
import { ofPodcast, podcasts } from './podcasts.ts'

/** Which addresses lead to which others, each by its own evidence (docs/protocol.md#D83). */
export const addressEdges = sqliteTable(
  'address_edges',
  {
    podcastId: ofPodcast().notNull(),
    kind: text({ enum: ['redirect', 'claim', 'twin'] }).notNull(),
    leadsTo: integer('leads_to')
      .notNull()
      .references((): AnySQLiteColumn => podcasts.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.podcastId, table.kind, table.leadsTo] }),
    index('address_edges_leads_to').on(table.leadsTo),
  ],
)

/** Where a feed's document says that it is by now. An edge once the feed there bears it out. */
export const addressClaims = sqliteTable(
  'address_claims',
  {
    podcastId: ofPodcast().primaryKey(),
    url: text().notNull(),
    /** When that feed was last fetched for this. */
    triedAt: integer('tried_at'),
    isTrue: integer('is_true', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('address_claims_open').on(table.triedAt).where(sql`is_true = 0`)],
)

/** Guids of the document that an address had before its server began to lead elsewhere. */
export const addressGuids = sqliteTable(
  'address_guids',
  {
    podcastId: ofPodcast().notNull(),
    guid: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.guid] })],
)

/**
 * What follows from the edges: for each address the other addresses of its podcast, and the sum of `RELATION` for each. Every pair has two
 * rows, one from either side.
 */
export const addressRelations = sqliteTable(
  'address_relations',
  {
    podcastId: ofPodcast().notNull(),
    otherId: integer('other_id').notNull(),
    relation: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.otherId] })],
)

/** Addresses of podcasts that a device has replaced by other ones; the one that it has is in `subscriptions`. */
export const replacedAddresses = sqliteTable(
  'replaced_addresses',
  {
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    podcastId: ofPodcast().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.podcastId] }),
    index('replaced_addresses_podcast').on(table.podcastId),
  ],
)
