import type { SessionId, UserId } from '../../shared/ids.ts'
import type { Language } from '../../shared/languages.ts'
import type { AuditContext } from './audit-log.ts'

export interface ServerStats {
  readonly users: number
  readonly devices: number
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
  count(): Promise<number>
  /** Creates an account. The first active one is an administrator in any mode, as decided in the transaction. */
  register(user: NewUser, mode: RegistrationMode, mailIn: Language | undefined): Promise<User>
  /** Creates an active account in any mode. `if_first` makes it an administrator only if no account is active. */
  create(user: NewUser, isAdmin: boolean | 'if_first', auditContext: AuditContext): Promise<User>
  /**
   * Ends sessions except `keep`, but not app passwords (D29). Rejects with `wrong_password` or `unauthorized` if
   * `proof` no longer holds.
   */
  changePassword(userId: UserId, passwordHash: string, proof: PasswordProof, keep: SessionId | undefined): Promise<void>
  /** Ends reset and invitation tokens, app passwords, and sessions except `keep` (D29). Rejects with `unknown_user`. */
  setPassword(username: string, passwordHash: string, auditContext: AuditContext, keep?: SessionId): Promise<void>
  /** Rejects with `unknown_user`, `last_admin` (D82). */
  setAdmin(username: string, isAdmin: boolean, auditContext: AuditContext): Promise<User>
  /**
   * Activation ends activation and invitation tokens, deactivation ends all tokens and sessions (D29). Rejects with
   * `unknown_user`, `last_admin`, `no_password`.
   */
  setActive(username: string, active: boolean, auditContext: AuditContext): Promise<User>
  /** Hides the user at once; resolves when all rows are deleted. Rejects with `unknown_user`, `last_admin`. */
  remove(username: string, auditContext: AuditContext): Promise<void>
  /** Ends password resets sent to the previous address. Rejects with `email_taken`, and like `changePassword`. */
  changeEmail(userId: UserId, email: string | undefined, proof: PasswordProof): Promise<void>
  /** Rejects with `last_admin`, and like `changePassword`. */
  removeOwn(userId: UserId, proof: PasswordProof, auditContext: AuditContext): Promise<void>
  /** Finishes removals that were interrupted when the server stopped. */
  finishDeletions(): Promise<void>
}

/** Authorizes a change of the user's own account: the hash that the sent password matched, or a session. */
export type PasswordProof = { readonly verifiedHash: string } | { readonly session: SessionId }

/** While rows of a `deleting` account are removed, it is invisible and unusable, but its username is still taken. */
export type UserState = 'active' | 'pending_activation' | 'inactive' | 'deleting'

export type RegistrationMode = 'open' | 'closed' | 'invite'

export interface User {
  readonly id: UserId
  readonly username: string
  readonly email: string | undefined
  readonly isAdmin: boolean
  readonly state: UserState
}

export interface UserCredentials extends User {
  readonly passwordHash: string | undefined
  readonly hasSecondFactor: boolean
}

export interface UserSummary extends User {
  readonly devices: number
  readonly subscriptions: number
  readonly createdAt: number
  readonly hasSecondFactor: boolean
  readonly invitation: { readonly expiresAt: number | undefined } | undefined
}

export interface NewUser {
  readonly username: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly at: number
}
