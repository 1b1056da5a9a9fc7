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
import { LANGUAGES, USUAL_LANGUAGE } from '../../domain/shared/languages.ts'

/** Foreign key to the owner of a row. Removing the user removes the row. */
export const ofUser = () => integer('user_id').references((): AnySQLiteColumn => users.id, { onDelete: 'cascade' })

export const users = sqliteTable(
  'users',
  {
    // Numbers are never reused: anything cached in memory for a removed user or session must not match a new one.
    id: integer().primaryKey({ autoIncrement: true }),
    /** As typed at registration. */
    username: text().notNull(),
    /** Lower case, since user names are unique regardless of case (docs/protocol.md#D12). */
    usernameKey: text('username_key').notNull().unique(),
    email: text(),
    emailKey: text('email_key').unique(),
    /** PHC string; null for users who only use single sign-on. */
    passwordHash: text('password_hash'),
    isAdmin: integer('is_admin', { mode: 'boolean' }).notNull().default(false),
    state: text({ enum: ['active', 'pending_activation', 'inactive', 'deleting'] }).notNull(),
    /** Logical clock (docs/protocol.md#D14): the `seq` of the user's last synced change. */
    clock: integer().notNull().default(0),
    /** Value that the last restore of a backup gave the clock (docs/protocol.md#D14c); 0 without a restore. */
    restoredClock: integer('restored_clock').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    /** Kept up to date, since counting millions of rows for each view of the statistics would be too slow. */
    actionCount: integer('action_count').notNull().default(0),
    /** Subscriptions of all devices, for the quota. Maintained by triggers on `subscriptions`. */
    subscriptionCount: integer('subscription_count').notNull().default(0),
  },
  (table) => [index('users_pending').on(table.createdAt).where(sql`state = 'pending_activation'`)],
)

export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    /** SHA-256 of the cookie's value; the value itself is not stored. */
    tokenHash: blob('token_hash', { mode: 'buffer' }).notNull().unique(),
    createdAt: integer('created_at').notNull(),
    /** Updated at most once an hour, so that reads do not write. */
    usedAt: integer('used_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Short name derived from the User-Agent header; null without one. */
    client: text(),
    /** The app password that started the session, if any. Removing it ends the session. */
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
    /** A plain SHA-256 suffices, since the password is random. */
    passwordHash: blob('password_hash', { mode: 'buffer' }).notNull().unique(),
    name: text().notNull(),
    scope: text({ enum: ['sync', 'read', 'feeds'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** Updated at most once an hour; null until the first use. */
    usedAt: integer('used_at'),
    /** Short name of the client that last started a session; null if unknown. */
    client: text(),
  },
  (table) => [index('app_passwords_user').on(table.userId)],
)

/** Authenticator apps that users need in addition to their own password (docs/protocol.md#second-factor). */
export const secondFactors = sqliteTable('second_factors', {
  userId: ofUser().primaryKey(),
  /** Stored as is, since checking a code requires the secret itself. */
  secret: blob({ mode: 'buffer' }).notNull(),
  /** Time step of the last code used, so that no code works twice. */
  lastStep: integer('last_step').notNull(),
  createdAt: integer('created_at').notNull(),
})

/** One-time codes for users who have lost their authenticator app. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: ofUser().notNull(),
    /** A plain SHA-256 suffices, since the code is random. */
    codeHash: blob('code_hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** Apps waiting for a user to grant access in the browser (docs/protocol.md#login-flow). */
export const loginFlows = sqliteTable(
  'login_flows',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** SHA-256 of the token that the app polls with; the token itself is not stored. */
    pollHash: blob('poll_hash', { mode: 'buffer' }).notNull().unique(),
    /** SHA-256 of the token in the URL of the page. */
    pageHash: blob('page_hash', { mode: 'buffer' }).notNull().unique(),
    /** Shown on the page, and used to name the app password. */
    userAgent: text('user_agent').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The user who granted access; null until then. Until collected, the app password has `pollHash` as its hash. */
    userId: ofUser(),
  },
  (table) => [
    index('login_flows_expires').on(table.expiresAt),
    index('login_flows_user').on(table.userId).where(sql`user_id IS NOT NULL`),
  ],
)

/** One-time tokens of links that are mailed or handed over. They are removed with the account. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    purpose: text({ enum: ['activation', 'password_reset', 'invitation'] }).notNull(),
    /** SHA-256 of the token, which is stored nowhere else but in the link. */
    tokenHash: blob('token_hash', { mode: 'buffer' }).notNull().unique(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('tokens_user').on(table.userId, table.purpose), index('tokens_expires').on(table.expiresAt)],
)

/**
 * Outgoing mail, by the requested address. The account is looked up when the mail is written, so a request takes the
 * same time for every address. Text and token are not stored; each attempt creates its own.
 */
export const mails = sqliteTable(
  'mails',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    purpose: text({ enum: ['activation', 'password_reset'] }).notNull(),
    emailKey: text('email_key').notNull(),
    language: text({ enum: LANGUAGES }).notNull().default(USUAL_LANGUAGE),
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

/** Identities of users at OpenID Connect providers. Only issuer and subject count; names and addresses change hands. */
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

/** Actions of administrators. Holds names instead of references, since entries outlive the accounts. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    /** User name; null for the command line and for groups of a provider, where no account acted. */
    actor: text(),
    via: text({ enum: ['api', 'command_line', 'single_sign_on'] }).notNull(),
    action: text().notNull(),
    /** Name of the affected user, if any. */
    target: text(),
  },
  (table) => [index('audit_log_at').on(table.at)],
)
