import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/**
 * The tables. drizzle-kit writes the migrations from here (`bun run db:generate`), and row types are taken from here.
 * All times are whole Unix seconds. STRICT and WITHOUT ROWID are added to the generated SQL by hand; drizzle-kit knows
 * neither.
 */

/** A column for the user that a row belongs to, and goes with. */
const ofUser = () => integer('user_id').references((): AnySQLiteColumn => users.id, { onDelete: 'cascade' })

/** A column for the podcast that a row belongs to, and goes with. */
const ofPodcast = () => integer('podcast_id').references((): AnySQLiteColumn => podcasts.id, { onDelete: 'cascade' })

export const users = sqliteTable(
  'users',
  {
    // Numbers are never given again: what is remembered in memory for a removed user or session must not fit a new one.
    id: integer().primaryKey({ autoIncrement: true }),
    /** As typed at registration. */
    username: text().notNull(),
    /** Lower-case; names are unique and compared without regard to case (docs/protocol.md#D12). */
    usernameKey: text('username_key').notNull().unique(),
    email: text(),
    emailKey: text('email_key').unique(),
    /** PHC string; null for people who only use single sign-on. */
    passwordHash: text('password_hash'),
    isAdmin: integer('is_admin', { mode: 'boolean' }).notNull().default(false),
    state: text({ enum: ['active', 'pending_activation', 'inactive', 'deleting'] }).notNull(),
    /** The logical clock of docs/protocol.md#D14: the `seq` of the last change of anything this user syncs. */
    clock: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
    /** How many episode actions the user has: a count of millions is not made for each look at the statistics. */
    actionCount: integer('action_count').notNull().default(0),
    /**
     * Over all devices, for the quota; kept by triggers on `subscriptions`. An upload of changes writes this row
     * anyway.
     */
    subscriptionCount: integer('subscription_count').notNull().default(0),
  },
  (table) => [index('users_pending').on(table.createdAt).where(sql`state = 'pending_activation'`)],
)

export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** SHA-256 of the cookie's value; the value itself is nowhere. */
    tokenHash: blob('token_hash', { mode: 'buffer' }).notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** Of the last use, at most an hour old: reading must not write. */
    usedAt: integer('used_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** What the client calls itself, in a few words; null if it does not. */
    client: text(),
    /** What it was begun with, if not with the user's own password or a provider; it ends with it. */
    appPasswordId: integer('app_password_id').references((): AnySQLiteColumn => appPasswords.id, {
      onDelete: 'cascade',
    }),
  },
  (table) => [
    index('sessions_user').on(table.userId, table.usedAt),
    index('sessions_expires').on(table.expiresAt),
    index('sessions_app_password').on(table.appPasswordId).where(sql`app_password_id IS NOT NULL`),
  ],
)

/** Passwords that users make for their apps (docs/protocol.md#D65). */
export const appPasswords = sqliteTable(
  'app_passwords',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** SHA-256, since the password is random; the password itself is nowhere. */
    passwordHash: blob('password_hash', { mode: 'buffer' }).notNull().unique(),
    name: text().notNull(),
    scope: text({ enum: ['sync', 'read', 'feeds'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** Of the last use, at most an hour old; null until the first. */
    usedAt: integer('used_at'),
    /** What the client that last began a session calls itself, in a few words; null if it does not. */
    client: text(),
  },
  (table) => [index('app_passwords_user').on(table.userId)],
)

/** Apps that wait for a user to let them in from the browser (docs/protocol.md#login-flow). */
export const loginFlows = sqliteTable(
  'login_flows',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** SHA-256 of what the app asks with; what it asks with is nowhere. */
    pollHash: blob('poll_hash', { mode: 'buffer' }).notNull().unique(),
    /** SHA-256 of what is in the address of the page. */
    pageHash: blob('page_hash', { mode: 'buffer' }).notNull().unique(),
    /** Of the app, for the page and for the name of its password. */
    userAgent: text('user_agent').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Who has granted access; null until then. The app password is made when the app collects it. */
    userId: ofUser(),
  },
  (table) => [
    index('login_flows_expires').on(table.expiresAt),
    index('login_flows_user').on(table.userId).where(sql`user_id IS NOT NULL`),
  ],
)

/** One-time tokens that mails carry: each good for one use, and void with the account. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    purpose: text({ enum: ['activation', 'password_reset'] }).notNull(),
    /** SHA-256 of the token; the token itself is in the mail and nowhere else. */
    tokenHash: blob('token_hash', { mode: 'buffer' }).notNull().unique(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('tokens_user').on(table.userId, table.purpose), index('tokens_expires').on(table.expiresAt)],
)

/**
 * Mails to be sent, by the address somebody asked for: whether it belongs to an account is looked up when the mail is
 * made, so that asking costs the same for every address. Neither text nor token is kept; each attempt makes its own.
 */
export const mails = sqliteTable(
  'mails',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    purpose: text({ enum: ['activation', 'password_reset'] }).notNull(),
    emailKey: text('email_key').notNull(),
    requestedAt: integer('requested_at').notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: integer('next_attempt_at').notNull(),
    lastError: text('last_error'),
  },
  (table) => [
    uniqueIndex('mails_purpose_email').on(table.purpose, table.emailKey),
    index('mails_next_attempt').on(table.nextAttemptAt),
  ],
)

/** Who somebody is at an OpenID Connect provider. Only issuer and subject tell; names and addresses change hands. */
export const identities = sqliteTable(
  'identities',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    issuer: text().notNull(),
    subject: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('identities_issuer_subject').on(table.issuer, table.subject),
    uniqueIndex('identities_user_issuer').on(table.userId, table.issuer),
  ],
)

/** What administrators did. Holds names instead of references: it outlives the accounts it speaks of. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    /** User name; null where no account acted: the command line, a provider's groups. */
    actor: text(),
    via: text({ enum: ['api', 'command_line', 'single_sign_on'] }).notNull(),
    action: text().notNull(),
    /** Name of the user it was done to, if it was done to one. */
    target: text(),
  },
  (table) => [index('audit_log_at').on(table.at)],
)

export const syncGroups = sqliteTable(
  'sync_groups',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
  },
  (table) => [index('sync_groups_user').on(table.userId)],
)

export const devices = sqliteTable(
  'devices',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    /** The ID the client chose; case matters (docs/protocol.md#D13). */
    uid: text().notNull(),
    caption: text().notNull(),
    type: text({ enum: ['mobile', 'laptop', 'desktop', 'server', 'other'] }).notNull(),
    syncGroupId: integer('sync_group_id').references(() => syncGroups.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    /** When an app last used it, some minutes old at most; null if none ever has since this is written down. */
    lastSeenAt: integer('last_contact_at'),
  },
  (table) => [
    uniqueIndex('devices_user_uid').on(table.userId, table.uid),
    index('devices_sync_group').on(table.syncGroupId),
  ],
)

/**
 * Every feed URL anybody ever sent, once, and how fetching it goes. Rows are small: most checks of a feed find nothing
 * new and write just this one. What the feed says is in `podcastDetails`.
 */
export const podcasts = sqliteTable(
  'podcasts',
  {
    id: integer().primaryKey(),
    url: text().notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** As the feed's server named the state last fetched. */
    etag: text(),
    lastModified: text('last_modified'),
    /** Of the document last fetched. */
    bodyHash: text('body_hash'),
    checkedAt: integer('checked_at'),
    /** When a check last succeeded. */
    succeededAt: integer('succeeded_at'),
    nextCheckAt: integer('next_check_at').notNull().default(0),
    /** In a row. */
    failures: integer().notNull().default(0),
    failingSince: integer('failing_since'),
    /** A word for programs and a sentence for people, about the last failure. */
    errorReason: text('error_reason'),
    error: text(),
    /** Where the feed says, or its server, that it has gone for good. */
    movedTo: text('moved_to'),
    /** Seconds for which the feed itself says that nothing will change. */
    ttl: integer(),
    /** Distinct active users with at least one device subscribed; kept by triggers, like the next one. */
    subscribers: integer().notNull().default(0),
    /** Somebody is subscribed or was (docs/protocol.md#D52). */
    isLocal: integer('is_local', { mode: 'boolean' }).notNull().default(false),
    /**
     * For its subscribers alone (docs/protocol.md#D56). The indexer decides it by `isPrivatePodcast`; triggers set it
     * whenever something changes that the decision may depend on, and put the podcast into `directory_queue`, so that
     * nothing is public before it is decided.
     */
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(true),
    /** Whether the URL itself is a secret; null until it has been classified. */
    isSecret: integer('is_secret', { mode: 'boolean' }),
    /** Seven days ago; null if unknown. */
    subscribersLastWeek: integer('subscribers_last_week'),
    /** In the toplist, counted from 1; 0 if it was not in it or nobody knows. */
    positionLastWeek: integer('position_last_week').notNull().default(0),
    /** When the same address by https was last tried, and whether the same feed was there. */
    probedAt: integer('probed_at'),
    worksByHttps: integer('works_by_https', { mode: 'boolean' }).notNull().default(false),
    /** Somebody had it in private whose account is gone; kept by a trigger. */
    wasHidden: integer('was_hidden', { mode: 'boolean' }).notNull().default(false),
    /** Its feed was last had only because `feed_allow_private` lets people with an account have it. */
    isInside: integer('is_inside', { mode: 'boolean' }).notNull().default(false),
    /** There are rows of it in `addressRelations`, which need not be looked for otherwise. */
    hasAliases: integer('has_aliases', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('podcasts_next_check').on(table.nextCheckAt),
    index('podcasts_strangers').on(table.createdAt).where(sql`is_local = 0`),
    index('podcasts_last_week').on(table.positionLastWeek).where(sql`position_last_week > 0`),
  ],
)

/**
 * Who has a podcast, on how many devices, or had it once. Kept by triggers on `subscriptions`, and never written
 * otherwise.
 */
export const listeners = sqliteTable(
  'listeners',
  {
    userId: ofUser().notNull(),
    podcastId: ofPodcast().notNull(),
    devices: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.podcastId] }),
    index('listeners_podcast').on(table.podcastId, table.devices),
  ],
)

/** What people set for clients to share (docs/protocol.md#settings): one JSON object for each thing. */
export const settings = sqliteTable(
  'settings',
  {
    userId: ofUser().notNull(),
    scope: text({ enum: ['account', 'device', 'podcast', 'episode'] }).notNull(),
    /** Nothing, a device's uid, a feed URL, or feed URL and media URL with a space in between. */
    target: text().notNull(),
    value: text().notNull(),
    /** When the episode became a favorite, or a second later for each that became one before; null if it is none. */
    favoriteAt: integer('favorite_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.scope, table.target] }),
    index('settings_favorite').on(table.userId, table.favoriteAt).where(sql`favorite_at IS NOT NULL`),
    // Whether anybody has set something for an episode.
    index('settings_episode').on(table.target).where(sql`scope = 'episode'`),
    // Whether anybody has chosen who may see a podcast, and what.
    index('settings_choice')
      .on(table.target)
      .where(sql`scope = 'podcast' AND value -> '$.public_subscription' IS NOT NULL`),
  ],
)

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

/** Bookmarks of users (docs/protocol.md#chapters). */
export const chapters = sqliteTable(
  'chapters',
  {
    userId: ofUser().notNull(),
    /** Feed URL and media URL with a space in between. */
    target: text().notNull(),
    /** Seconds from the beginning of the episode, as the next. */
    startsAt: integer('starts_at').notNull(),
    endsAt: integer('ends_at').notNull(),
    label: text().notNull(),
    advertisement: integer({ mode: 'boolean' }).notNull(),
    /** Logical time of the last change. */
    seq: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.target, table.startsAt, table.endsAt] })],
)

/** Categories of listed podcasts. */
export const tags = sqliteTable(
  'tags',
  {
    id: integer().primaryKey(),
    slug: text().notNull().unique(),
    /** As the first feed wrote it. */
    title: text().notNull(),
    /** Listed podcasts that carry it; kept by triggers. */
    usage: integer().notNull().default(0),
  },
  (table) => [index('tags_usage').on(table.usage, table.slug)],
)

/**
 * The podcasts of a tag in the order they are shown in, most subscribed first. Tag 0, which is in no other table, is
 * all of them: the toplist. Has each local podcast; `isListed` and `subscribers` are copies kept by triggers.
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

/** Podcasts of which the directory does not know yet what has changed. */
export const directoryQueue = sqliteTable('directory_queue', {
  podcastId: ofPodcast().primaryKey(),
})

/** What the server has done to all that was stored, and by which version of what it goes by. */
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

/** How many subscribers a podcast had at the end of those days at which that had changed. */
export const subscriberHistory = sqliteTable(
  'subscriber_history',
  {
    podcastId: ofPodcast().notNull(),
    /** Since 1970. */
    day: integer().notNull(),
    subscribers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.podcastId, table.day] }), index('subscriber_history_day').on(table.day)],
)

/** What a feed says about its podcast. `''` is unknown. */
export const podcastDetails = sqliteTable('podcast_details', {
  podcastId: ofPodcast().primaryKey(),
  title: text().notNull(),
  author: text().notNull(),
  /** Sanitised HTML. */
  description: text().notNull(),
  website: text().notNull(),
  logoUrl: text('logo_url').notNull(),
  language: text().notNull(),
  /** A JSON array of what the feed calls its categories. */
  tags: text().notNull(),
  guid: text().notNull(),
  isBlocked: integer('is_blocked', { mode: 'boolean' }).notNull(),
  fundingUrl: text('funding_url').notNull(),
})

/**
 * One row for each feed a device has or had (docs/protocol.md#D36): `seq` is the logical time of its last change and
 * `subscribed` tells which way that change went, so deltas need no log and a device's history cannot outgrow the number
 * of its feeds. Podcasts are referred to without a foreign key, which would need an index: a trigger on `podcasts`
 * refuses to remove one that has listeners. Who has a podcast is found in `listeners`, and from there by `devices`.
 */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    podcastId: integer('podcast_id').notNull(),
    subscribed: integer({ mode: 'boolean' }).notNull(),
    seq: integer().notNull(),
    /**
     * The `seq` before the last change, so that it can be taken back while it is unfinished; null for the first one.
     */
    previousSeq: integer('previous_seq'),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.podcastId] }),
    index('subscriptions_device_seq').on(table.deviceId, table.seq),
  ],
)

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

/**
 * What a user calls a podcast as long as its feed has not said a title: from an imported list or an external directory.
 * Nobody else is shown it.
 */
export const provisionalTitles = sqliteTable(
  'provisional_titles',
  {
    userId: ofUser().notNull(),
    podcastId: ofPodcast().notNull(),
    title: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.podcastId] }),
    index('provisional_titles_podcast').on(table.podcastId),
  ],
)

/**
 * Of users whose large upload is being written job by job: what it has written is in rows with this `seq`, which the
 * user's clock has not reached. If the process ends in between, the next one takes them back.
 */
export const unfinishedWrites = sqliteTable('unfinished_writes', {
  userId: ofUser().primaryKey(),
  seq: integer().notNull(),
  /** A device that it has made. */
  newDeviceId: integer('new_device_id'),
  /** A device that is being removed: this is finished, not taken back. */
  goneDeviceId: integer('gone_device_id'),
})

/** Addresses that unfinished work has replaced by others, latest last: what is needed to put them back. */
export const unfinishedRenames = sqliteTable(
  'unfinished_renames',
  {
    id: integer().primaryKey(),
    deviceId: integer('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    oldId: integer('old_id').notNull(),
    newId: integer('new_id').notNull(),
    /** The old address was in `replacedAddresses` before. */
    wasReplaced: integer('was_replaced', { mode: 'boolean' }).notNull(),
    /** Of the removed subscription that there was at the new address. */
    seq: integer(),
    previousSeq: integer('previous_seq'),
  },
  (table) => [index('unfinished_renames_device').on(table.deviceId)],
)

/** Every media URL anybody ever sent, once per podcast. */
export const episodes = sqliteTable(
  'episodes',
  {
    id: integer().primaryKey(),
    podcastId: integer('podcast_id')
      .notNull()
      .references(() => podcasts.id),
    url: text().notNull(),
  },
  (table) => [uniqueIndex('episodes_podcast_url').on(table.podcastId, table.url)],
)

/** What a feed says about an episode. Apart from `episodes`, which every read of episode actions goes through. */
export const episodeDetails = sqliteTable(
  'episode_details',
  {
    episodeId: integer('episode_id')
      .primaryKey()
      .references(() => episodes.id, { onDelete: 'cascade' }),
    podcastId: ofPodcast().notNull(),
    /** Of everything below: what has not changed is not written again. */
    fingerprint: text().notNull(),
    title: text().notNull(),
    /** Sanitised HTML. */
    description: text().notNull(),
    website: text().notNull(),
    released: integer(),
    guid: text().notNull(),
    duration: integer(),
    size: integer(),
    mimeType: text('mime_type').notNull(),
    imageUrl: text('image_url').notNull(),
    chaptersUrl: text('chapters_url').notNull(),
    transcriptUrl: text('transcript_url').notNull(),
    /** Not if the feed has it at another address by now, and it is here for those alone who know it by this one. */
    isListed: integer('is_listed', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [
    index('episode_details_released').on(table.podcastId, table.released),
    index('episode_details_unlisted').on(table.podcastId).where(sql`is_listed = 0`),
  ],
)

/**
 * Device IDs as uploads name them; `''` where none was named. Apart from `devices`, which they outlive
 * (docs/protocol.md#D32).
 */
export const actionDevices = sqliteTable(
  'action_devices',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    uid: text().notNull(),
  },
  (table) => [uniqueIndex('action_devices_user_uid').on(table.userId, table.uid)],
)

/**
 * Which rows of `episodeActions` came with which upload: `count` numbers from `firstId` on. An upload of one device is
 * one row, however many actions it brings, so that what is new since a logical time is found without an index over all
 * actions.
 */
export const actionUploads = sqliteTable(
  'action_uploads',
  {
    deviceId: integer('device_id')
      .notNull()
      .references(() => actionDevices.id, { onDelete: 'cascade' }),
    /** Logical time of the upload. */
    seq: integer().notNull(),
    firstId: integer('first_id').notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.seq, table.firstId] })],
)

/** An episode that a user has uploaded an action for, and what is known of it by the actions. */
export const userEpisodes = sqliteTable(
  'user_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    episodeId: integer('episode_id')
      .notNull()
      .references(() => episodes.id),
    /** As the last action said that named one, or else the feed. */
    guid: text(),
    /** The action that was uploaded last: the head of the list that `previousId` links. */
    lastActionId: integer('last_action_id').notNull(),
    /** The action that tells the state of the episode (docs/protocol.md#D45). */
    stateActionId: integer('state_action_id').notNull(),
    /** The row of `joinedEpisodes` if the user has actions on other media URLs of the same episode. */
    joinedId: integer('joined_id'),
    /** The guid names several episodes of the user, so no client is told it. */
    isGuidHidden: integer('is_guid_hidden', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('user_episodes_user_episode').on(table.userId, table.episodeId),
    index('user_episodes_episode').on(table.episodeId),
    index('user_episodes_guid').on(table.userId, table.guid).where(sql`guid IS NOT NULL`),
    index('user_episodes_joined').on(table.joinedId).where(sql`joined_id IS NOT NULL`),
  ],
)

/** An episode of which a user has actions on several media URLs (docs/protocol.md#D84). */
export const joinedEpisodes = sqliteTable(
  'joined_episodes',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    /** The row of `episodes` with the media URL last uploaded, by which clients are told of the episode. */
    mediaId: integer('media_id').notNull(),
    /** The action that tells the state of all of them. */
    stateActionId: integer('state_action_id').notNull(),
  },
  (table) => [index('joined_episodes_user').on(table.userId)],
)

/**
 * The append-only log of docs/protocol.md#episode-actions. The numbers of a user's rows ascend with the logical time of
 * their upload, which `actionUploads` tells. Rows refer to `userEpisodes` and `actionDevices` without foreign keys:
 * those would need an index each.
 */
export const episodeActions = sqliteTable(
  'episode_actions',
  {
    id: integer().primaryKey(),
    userId: ofUser().notNull(),
    userEpisodeId: integer('user_episode_id').notNull(),
    deviceId: integer('device_id').notNull(),
    /** The action on the same episode that was uploaded before. */
    previousId: integer('previous_id'),
    /** Index into ACTION_KINDS of action-kinds.ts. */
    kind: integer().notNull(),
    /** The client's event time. */
    at: integer().notNull(),
    /** Tells most different actions of one second apart (`hashOf` of action-hash.ts). */
    hash: integer().notNull(),
    started: integer(),
    position: integer(),
    total: integer(),
  },
  // By time, and for the exact-duplicate rule (docs/protocol.md#D49).
  (table) => [index('episode_actions_time').on(table.userId, table.at, table.hash)],
)

/** Secret factors of `hashOf` (action-hash.ts), so that nobody can make up many actions that share a hash. One row. */
export const actionHash = sqliteTable('action_hash', {
  episode: integer().notNull(),
  device: integer().notNull(),
  kind: integer().notNull(),
  started: integer().notNull(),
  position: integer().notNull(),
  total: integer().notNull(),
})
