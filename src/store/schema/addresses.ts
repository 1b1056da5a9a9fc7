import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { devices } from './devices.ts'
import { ofPodcast, podcasts } from './podcasts.ts'

/** Addresses that lead to others, with the kind of evidence (docs/protocol.md#D83). */
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

/** New addresses according to feed documents. A claim becomes an edge once the feed at the new address confirms it. */
export const addressClaims = sqliteTable(
  'address_claims',
  {
    podcastId: ofPodcast().primaryKey(),
    url: text().notNull(),
    /** Time of the last attempt to confirm the claim. */
    triedAt: integer('tried_at'),
    isTrue: integer('is_true', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('address_claims_open').on(table.triedAt).where(sql`is_true = 0`)],
)

/** Guids of the document at an address before its server started to redirect. */
export const addressGuids = sqliteTable(
  'address_guids',
  {
    podcastId: ofPodcast().notNull(),
    guid: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.guid] })],
)

/**
 * The other addresses of each podcast, derived from the edges; `relation` is a bit mask of `RELATION`. Every pair has
 * two rows, one for each side.
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

/** Former addresses of a device's podcasts. The current one is in `subscriptions`. */
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
