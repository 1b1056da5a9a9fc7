import type { UserId } from '../../shared/ids.ts'
import type { AuditContext } from './audit-log.ts'
import type { MailPurpose } from './mail.ts'
import type { NewUser, User } from './users.ts'

export type TokenPurpose = MailPurpose | 'invitation'

export interface TokenStore {
  /** Ends earlier tokens if `voidOlder`. Returns false if the user was removed or has another email address. */
  issue(
    token: { userId: UserId; purpose: TokenPurpose; hash: Uint8Array; expiresAt: number; email?: string },
    voidOlder: boolean,
  ): Promise<boolean>
  isLive(purpose: TokenPurpose, hash: Uint8Array, at: number): Promise<boolean>
  /** Activates the pending account and ends its activation tokens. Rejects with `invalid_token`. */
  activate(hash: Uint8Array, at: number): Promise<User>
  /** Replaces the password and ends reset tokens, sessions and app passwords. Rejects with `invalid_token`. */
  resetPassword(hash: Uint8Array, at: number, passwordHash: string): Promise<User>
}

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
  /** Invalidates the earlier link. Rejects with `unknown_user`, `not_invited`. */
  renew(username: string, token: { hash: Uint8Array; expiresAt: number }, auditContext: AuditContext): Promise<User>
  /** Removes the account, which is still empty. Rejects with `unknown_user`, `not_invited`. */
  withdraw(username: string, auditContext: AuditContext): Promise<void>
  find(hash: Uint8Array, at: number): Promise<Invitation | undefined>
  /** Sets the password, activates the account and ends the token. Rejects with `invalid_token`. */
  accept(hash: Uint8Array, at: number, passwordHash: string): Promise<User>
}
