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
  /** Creates an account; the first active one becomes administrator in every mode, decided in this transaction. */
  register(user: NewUser, mode: RegistrationMode, mailIn: Language | undefined): Promise<User>
  /** Creates an active account in every mode; with `if_first` an administrator only while no one is active. */
  create(user: NewUser, isAdmin: boolean | 'if_first', auditContext: AuditContext): Promise<User>
  /** The user's own: app passwords stay. Rejects with `wrong_password`, `unauthorized` if `proof` no longer holds. */
  changePassword(userId: UserId, passwordHash: string, proof: PasswordProof, keep: SessionId | undefined): Promise<void>
  /** Ends reset tokens, sessions but `keep`, and app passwords (D29). Rejects with `unknown_user`. */
  setPassword(username: string, passwordHash: string, auditContext: AuditContext, keep?: SessionId): Promise<void>
  /** Rejects with `unknown_user`, `last_admin` (D82). */
  setAdmin(username: string, isAdmin: boolean, auditContext: AuditContext): Promise<User>
  /** Both end all tokens, deactivation all sessions (D29). Rejects with `unknown_user`, `last_admin`, `no_password`. */
  setActive(username: string, active: boolean, auditContext: AuditContext): Promise<User>
  /** Hides the user at once; resolves when all rows are deleted. Rejects with `unknown_user`, `last_admin`. */
  remove(username: string, auditContext: AuditContext): Promise<void>
  /** The user's own. Voids resets mailed to another address. Rejects with `email_taken`, and as `changePassword`. */
  changeEmail(userId: UserId, email: string | undefined, proof: PasswordProof): Promise<void>
  /** The user's own account. Rejects with `last_admin`, and as `changePassword`. */
  removeOwn(userId: UserId, proof: PasswordProof, auditContext: AuditContext): Promise<void>
  /** Finishes removals that were interrupted when the server stopped. */
  finishDeletions(): Promise<void>
}

/** What entitles a user to change the own password: the hash that the old one matched, or a session. */
export type PasswordProof = { readonly verifiedHash: string } | { readonly session: SessionId }

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
