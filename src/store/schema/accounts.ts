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

/** A column for the user that a row belongs to, and goes with. */
export const ofUser = () => integer('user_id').references((): AnySQLiteColumn => users.id, { onDelete: 'cascade' })

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
    /** Where the last restore of a backup has set the clock (docs/protocol.md#D14c); 0 if there was none. */
    restoredClock: integer('restored_clock').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    /** How many episode actions the user has: a count of millions is not made for each look at the statistics. */
    actionCount: integer('action_count').notNull().default(0),
    /** Over all devices, for the quota. Kept by triggers on `subscriptions`. */
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

/** Authenticator apps whose codes the own password needs beside it (docs/protocol.md#second-factor). */
export const secondFactors = sqliteTable('second_factors', {
  userId: ofUser().primaryKey(),
  /** As the app has it: a code can be checked with nothing less. */
  secret: blob({ mode: 'buffer' }).notNull(),
  /** The step of the last code that was used. */
  lastStep: integer('last_step').notNull(),
  createdAt: integer('created_at').notNull(),
})

/** What lets users in who have lost their authenticator app; each once. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: ofUser().notNull(),
    /** SHA-256, since the code is random; the code itself is nowhere. */
    codeHash: blob('code_hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
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
    /** The user who has granted access; null until then. The app password has `pollHash` as its hash until collected. */
    userId: ofUser(),
  },
  (table) => [
    index('login_flows_expires').on(table.expiresAt),
    index('login_flows_user').on(table.userId).where(sql`user_id IS NOT NULL`),
  ],
)

/** One-time tokens of links that are mailed or handed over: each good for one use, and void with the account. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: ofUser().notNull(),
    purpose: text({ enum: ['activation', 'password_reset', 'invitation'] }).notNull(),
    /** SHA-256 of the token; the token itself is in the link and nowhere else. */
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
