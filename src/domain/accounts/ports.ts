import type { AppPasswordId, IdentityId, SessionId, UserId } from '../shared/ids.ts'
import type { Language } from '../shared/languages.ts'

/*
 * What the domain needs from the database around accounts: users, sessions, tokens, mails, identities, the audit log.
 * As in ports.ts, one writing method is one transaction, and times are whole Unix seconds.
 */

/** Who administers: a user by way of the API, or somebody at the command line, or the groups of a provider. */
export interface Actor {
  /** Missing where no account acts. */
  readonly name: string | undefined
  readonly via: 'api' | 'command_line' | 'single_sign_on'
}

/** An administrator's act; whatever is done with it is in the audit log, in the same transaction. */
export interface AuditContext {
  readonly actor: Actor
  readonly at: number
}

/** Numbers of the specification's server statistics. */
export interface ServerStats {
  readonly users: number
  readonly devices: number
  /** Pairs of user and feed, whatever the number of the user's devices that hold it. */
  readonly subscriptions: number
  readonly podcasts: number
  readonly episodeActions: number
}

export interface UserStore {
  findByName(username: string): Promise<UserCredentials | undefined>
  findByEmail(emailKey: string): Promise<User | undefined>
  anyActive(): Promise<boolean>
  list(): Promise<UserSummary[]>
  /** Rejects with `unknown_user`. */
  summary(username: string): Promise<UserSummary>
  stats(): Promise<ServerStats>
  /**
   * Creates an account. While no active user exists it is active and an administrator in every mode, and that question
   * is decided in the same transaction. A mail to a pending account is put into the queue in the language `mailIn`, if
   * it is given. Rejects with `registration_closed`, `validation_failed` (invite mode needs an address), `username_taken`, `email_taken`.
   */
  register(user: NewUser, mode: RegistrationMode, mailIn: Language | undefined): Promise<User>
  /**
   * As an administrator does it: active in every mode; with `if_first` an administrator only while nobody is active.
   * Rejects with `username_taken`, `email_taken`.
   */
  create(user: NewUser, isAdmin: boolean | 'if_first', auditContext: AuditContext): Promise<User>
  /**
   * One's own: as `setPassword`, but for the audit log and the app passwords, which stay, and only while `proof` still holds. Rejects with
   * `wrong_password` when the password was changed since it was checked, `unauthorized` when the session has ended.
   */
  changePassword(userId: UserId, passwordHash: string, proof: PasswordProof, keep: SessionId | undefined): Promise<void>
  /**
   * Replaces the password; ends reset tokens, all sessions but `keep`, and all app passwords (D29). Rejects with
   * `unknown_user`.
   */
  setPassword(username: string, passwordHash: string, auditContext: AuditContext, keep?: SessionId): Promise<void>
  /** Rejects with `unknown_user`, `last_admin` (D82). */
  setAdmin(username: string, isAdmin: boolean, auditContext: AuditContext): Promise<User>
  /**
   * Both end all tokens, deactivation all sessions (D29). Rejects with `unknown_user`, `last_admin`, and with
   * `no_password` if nobody could sign in to the account.
   */
  setActive(username: string, active: boolean, auditContext: AuditContext): Promise<User>
  /** Gone for everybody at once, and for good when it settles. Rejects with `unknown_user`, `last_admin`. */
  remove(username: string, auditContext: AuditContext): Promise<void>
  /** Ends removals that a stop of the server has broken off. */
  finishDeletions(): Promise<void>
}

/** What entitles a user to change the own password: the hash that the old one matched, or a session. */
export type PasswordProof = { readonly verifiedHash: string } | { readonly session: SessionId }

export interface Session {
  readonly id: SessionId
  readonly user: User
  readonly createdAt: number
  readonly usedAt: number
  readonly expiresAt: number
  /** What it was begun with, if it was an app password: it has the same limits, and ends with it. */
  readonly appPassword: GrantedApp | undefined
}

/** What begins a session. */
export interface SessionProof {
  /** What the password was checked against, if it was the user's own. */
  readonly verifiedHash?: string | undefined
  readonly appPassword?: AppPasswordId | undefined
  /** Whether a code of the second factor was right, too. */
  readonly secondFactor?: boolean | undefined
}

export interface SessionStore {
  /** The session of a token hash, whatever its age and whatever the user's state. */
  find(tokenHash: Uint8Array): Promise<Session | undefined>
  /**
   * Adds a session and drops the least recently used ones beyond `max`. Rejects with `unauthorized` if the user is gone
   * or not active any more, `invalid_credentials` if what `proof` tells was replaced or revoked since the check,
   * `second_factor_required` if the own password alone is not enough any more. An app password has been used then.
   */
  create(
    userId: UserId,
    tokenHash: Uint8Array,
    session: { at: number; expiresAt: number; client?: string | undefined },
    max: number,
    proof?: SessionProof,
  ): Promise<SessionId>
  /** Its app password has been used with it. */
  touch(id: SessionId, times: { usedAt: number; expiresAt: number }): Promise<void>
  /** Tells whose it was; undefined if it had ended. */
  remove(id: SessionId): Promise<UserId | undefined>
  /** Those of the user that end after `at`, last used first. */
  list(userId: UserId, at: number): Promise<ListedSession[]>
  /** One of the user's own. Rejects with `not_found`. */
  removeOwn(userId: UserId, id: SessionId): Promise<void>
  /** All of the user's but `keep`. */
  removeOthers(userId: UserId, keep: SessionId | undefined): Promise<void>
}

/** What people are shown of their sessions. */
export interface ListedSession {
  readonly id: SessionId
  readonly createdAt: number
  /** An hour old at most. */
  readonly usedAt: number
  readonly expiresAt: number
  /** What the client calls itself, as `clientLabel` shortens it. */
  readonly client: string | undefined
}

export type AuditAction =
  | 'user_created'
  | 'user_invited'
  | 'invitation_renewed'
  | 'invitation_withdrawn'
  | 'invitation_accepted'
  | 'user_deleted'
  | 'user_activated'
  | 'user_deactivated'
  | 'admin_granted'
  | 'admin_revoked'
  | 'password_set'
  | 'second_factor_reset'
  | 'reset_mail_requested'
  | 'test_mail_sent'
  | 'backup_requested'

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly actor: Actor
  readonly action: AuditAction
  /** The user it was done to, by the name of that time. */
  readonly target: string | undefined
}

/** Which entries of the audit log are wanted; all without either. */
export interface AuditFilter {
  readonly actions?: readonly string[] | undefined
  /** Who did it or to whom it was done, whatever the case of the letters. */
  readonly username?: string | undefined
}

export interface AuditStore {
  add(auditContext: AuditContext, action: AuditAction, target?: string): Promise<void>
  /** Newest first. */
  page(
    offset: number,
    limit: number,
    filter?: AuditFilter,
  ): Promise<{ readonly total: number; readonly entries: AuditEntry[] }>
}

/** What a link is sent by mail for. */
export type MailPurpose = 'activation' | 'password_reset'

export type TokenPurpose = MailPurpose | 'invitation'

export interface TokenStore {
  /**
   * With `voidOlder` the user's other tokens for this purpose end; without it the last few stay good. False if the user
   * is gone, or has another address than the `email` the token is about to be sent to.
   */
  issue(
    token: { userId: UserId; purpose: TokenPurpose; hash: Uint8Array; expiresAt: number; email?: string },
    voidOlder: boolean,
  ): Promise<boolean>
  /** Whether the token would be taken at this moment. */
  isLive(purpose: TokenPurpose, hash: Uint8Array, at: number): Promise<boolean>
  /** Ends the user's activation tokens and makes the pending account active. Rejects with `invalid_token`. */
  activate(hash: Uint8Array, at: number): Promise<User>
  /** Ends the user's reset tokens, sessions and app passwords, and replaces the password. Rejects with `invalid_token`. */
  resetPassword(hash: Uint8Array, at: number, passwordHash: string): Promise<User>
}

/** What the codes of an authenticator app are made with, and how much of it has been used. */
export interface SecondFactor {
  readonly secret: Uint8Array
  /** The step of the last code that was used: none of its time or before is good again. */
  readonly lastStep: number
  readonly createdAt: number
  /** Recovery codes that have not been used. */
  readonly recoveryCodes: number
}

/** `proof` is checked as by `UserStore.changePassword`. */
export interface SecondFactorStore {
  find(userId: UserId): Promise<SecondFactor | undefined>
  /**
   * Ends all sessions but `keep`, and what apps wait for that the user has let in by one of them. Rejects with
   * `second_factor_exists`.
   */
  enable(
    userId: UserId,
    factor: { secret: Uint8Array; lastStep: number; at: number },
    recoveryHashes: readonly Uint8Array[],
    proof: PasswordProof,
    keep: SessionId,
  ): Promise<void>
  /** Whether the step was later than the last one; from then on it is the last one. */
  useStep(userId: UserId, secret: Uint8Array, step: number): Promise<boolean>
  /** Whether there was such a code; now there is not. */
  useRecoveryCode(userId: UserId, hash: Uint8Array): Promise<boolean>
  /** Both reject with `no_second_factor` if `secret` is not the one in use any more. */
  replaceRecoveryCodes(
    userId: UserId,
    secret: Uint8Array,
    recoveryHashes: readonly Uint8Array[],
    proof: PasswordProof,
  ): Promise<void>
  disable(userId: UserId, secret: Uint8Array, proof: PasswordProof): Promise<void>
  /** As an administrator does it. Rejects with `unknown_user`, `no_second_factor`. */
  reset(username: string, auditContext: AuditContext): Promise<User>
}

/** An account that has no password yet, and the link by which somebody may choose one. */
export interface Invitation {
  readonly username: string
  readonly expiresAt: number
}

export interface InvitationStore {
  /** Adds a pending account without a password. Rejects with `username_taken`, `email_taken`. */
  invite(
    user: Omit<NewUser, 'passwordHash'>,
    token: { hash: Uint8Array; expiresAt: number },
    auditContext: AuditContext,
  ): Promise<User>
  /** The earlier link becomes invalid. Rejects with `unknown_user`, `not_invited`. */
  renew(username: string, token: { hash: Uint8Array; expiresAt: number }, auditContext: AuditContext): Promise<User>
  /** Removes the account, in which there is nothing yet. Rejects with `unknown_user`, `not_invited`. */
  withdraw(username: string, auditContext: AuditContext): Promise<void>
  /** The invitation of a token that would be taken at this moment. */
  find(hash: Uint8Array, at: number): Promise<Invitation | undefined>
  /** Ends the token and makes the account active, with a password. Rejects with `invalid_token`. */
  accept(hash: Uint8Array, at: number, passwordHash: string): Promise<User>
}

export interface RequestedMail {
  readonly purpose: MailPurpose
  /** As `emailKey` folds it. */
  readonly emailKey: string
  /** That of the request which caused it. */
  readonly language: Language
}

export interface WaitingMail extends RequestedMail {
  readonly id: number
  readonly requestedAt: number
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly lastError: string | undefined
}

export interface MailStore {
  /** A mail that waits already for the same address starts over. False, and not stored, when `max` others wait. */
  request(mail: RequestedMail, at: number, max?: number): Promise<boolean>
  /** Those whose time has come, longest waiting first. */
  due(at: number, limit: number): Promise<WaitingMail[]>
  postpone(mail: WaitingMail, nextAttemptAt: number, error: string): Promise<void>
  /** Does nothing if the mail has been requested again meanwhile. */
  remove(mail: WaitingMail): Promise<void>
  waiting(limit: number): Promise<{ readonly total: number; readonly mails: WaitingMail[] }>
}

export interface IdentityKey {
  readonly issuer: string
  readonly subject: string
}

export interface Identity extends IdentityKey {
  readonly id: IdentityId
  readonly createdAt: number
}

export interface IdentityStore {
  findUser(identity: IdentityKey): Promise<User | undefined>
  list(userId: UserId): Promise<Identity[]>
  /**
   * The account of the identity, made now if there is none: active, and administrator while no active user exists.
   * `usernames` are tried in turn. Rejects with `email_taken`, `registration_closed` (not `mayCreate`).
   */
  signUp(
    identity: IdentityKey,
    account: {
      usernames: Iterable<string>
      emailKey: string | undefined
      email: string | undefined
      mayCreate: boolean
    },
    at: number,
  ): Promise<User>
  /** Rejects with `identity_taken` if it or the account is linked otherwise; linking the same again changes nothing. */
  link(userId: UserId, identity: IdentityKey, at: number): Promise<void>
  /** Rejects with `not_found`, `no_password` (nobody may lock himself out). */
  unlink(userId: UserId, id: IdentityId): Promise<void>
}

/** What an app password is good for: all that apps do, reading alone, or private feeds and lists alone. */
export type AppPasswordScope = 'sync' | 'read' | 'feeds'

/** What an app password lets its app do. */
export interface GrantedApp {
  readonly id: AppPasswordId
  readonly scope: AppPasswordScope
}

export interface AppPassword extends GrantedApp {
  readonly name: string
  readonly createdAt: number
  /** An hour old at most; undefined before the first use. */
  readonly usedAt: number | undefined
  /** What the app that used it last calls itself, as `clientLabel` shortens it. */
  readonly client: string | undefined
}

export interface AppPasswordStore {
  /** Whose it is; of no user who is being deleted. */
  find(
    passwordHash: Uint8Array,
  ): Promise<(GrantedApp & { readonly user: UserCredentials; readonly usedAt: number | undefined }) | undefined>
  /** It has been used without a session. No answer waits for it. */
  noteUse(id: AppPasswordId, at: number, client: string | undefined): Promise<void>
  /** Oldest first. */
  list(userId: UserId): Promise<AppPassword[]>
  /** Rejects with `unauthorized` when the session has ended, `quota_exceeded`. */
  create(
    session: SessionId,
    userId: UserId,
    password: { name: string; scope: AppPasswordScope; hash: Uint8Array; at: number },
  ): Promise<AppPasswordId>
  /** Ends one of the user's own, and the sessions that were begun with it. Rejects with `not_found`. */
  remove(userId: UserId, id: AppPasswordId): Promise<void>
}

/** An app that asks for an app password by way of the browser (docs/protocol.md#login-flow). */
export interface LoginFlow {
  readonly userAgent: string
  /** Whether some user has granted access; the app has not asked since. */
  readonly isGranted: boolean
}

export interface LoginFlowStore {
  /** Drops the oldest that nobody has granted when there are more than `max`. */
  begin(
    flow: { pollHash: Uint8Array; pageHash: Uint8Array; userAgent: string; expiresAt: number },
    max: number,
  ): Promise<void>
  /** By the hash that is in the address of its page; none that has expired. */
  find(pageHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /**
   * Granting twice is the same as once. Rejects with `not_found` for one that has expired or that another user has
   * granted, `unauthorized` when the session has ended, `quota_exceeded`.
   */
  grant(pageHash: Uint8Array, session: SessionId, userId: UserId, at: number): Promise<void>
  /** By the hash of what the app asks with; none that has expired. */
  findByPoll(pollHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /** Ends a flow that has been granted and makes its app password. Undefined if it is not, or not any more. */
  collect(pollHash: Uint8Array, password: { name: string; hash: Uint8Array }, at: number): Promise<User | undefined>
}

export interface ExpiryStore {
  /**
   * Removes at most `limit` rows of each kind: sessions, tokens and login flows that ended before `now`, accounts never activated
   * since `pendingBefore`, audit entries older than `auditBefore` but for the newest `auditKept`. Tells how many went.
   */
  purge(
    bounds: { now: number; pendingBefore: number; auditBefore: number; auditKept: number },
    limit: number,
  ): Promise<Purged>
}

export interface Purged {
  readonly sessions: number
  readonly tokens: number
  readonly loginFlows: number
  readonly pendingAccounts: number
  readonly auditEntries: number
}

/**
 * What people do to their own account for good. As in account-ports.ts. Both methods reject with `wrong_password` when
 * the password was changed since it was checked, `unauthorized` when session or account is gone.
 */
export interface OwnAccountStore {
  /** Voids the password resets that were on their way to another address. Rejects with `email_taken`. */
  changeEmail(userId: UserId, email: string | undefined, proof: PasswordProof): Promise<void>
  /** As `UserStore.remove`. Rejects with `last_admin`. */
  remove(userId: UserId, proof: PasswordProof, auditContext: AuditContext): Promise<void>
}

/** `deleting` is between the decision and the last row: nobody sees or uses it, but its name is not free yet. */
export type UserState = 'active' | 'pending_activation' | 'inactive' | 'deleting'
export type RegistrationMode = 'open' | 'closed' | 'invite'

export interface User {
  readonly id: UserId
  readonly username: string
  readonly email: string | undefined
  readonly isAdmin: boolean
  readonly state: UserState
}

/** What a password is checked against; `passwordHash` is missing for people who only use single sign-on. */
export interface UserCredentials extends User {
  readonly passwordHash: string | undefined
  /** Whether the own password needs a code beside it. */
  readonly hasSecondFactor: boolean
}

export interface UserSummary extends User {
  readonly devices: number
  /** Distinct feeds over all devices. */
  readonly subscriptions: number
  readonly createdAt: number
  readonly hasSecondFactor: boolean
  /** Of somebody who has been invited and has not chosen a password yet; `expiresAt` is missing when the link is gone. */
  readonly invitation: { readonly expiresAt: number | undefined } | undefined
}

export interface NewUser {
  readonly username: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly at: number
}
