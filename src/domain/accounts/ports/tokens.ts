import type { UserId } from '../../shared/ids.ts'
import type { AuditContext } from './audit-log.ts'
import type { MailPurpose } from './mail.ts'
import type { NewUser, User } from './users.ts'

export type TokenPurpose = MailPurpose | 'invitation'

export interface TokenStore {
  /** Ends earlier tokens if `voidOlder`. False if the user is gone or has another address by now. */
  issue(
    token: { userId: UserId; purpose: TokenPurpose; hash: Uint8Array; expiresAt: number; email?: string },
    voidOlder: boolean,
  ): Promise<boolean>
  isLive(purpose: TokenPurpose, hash: Uint8Array, at: number): Promise<boolean>
  /** Ends the user's activation tokens and makes the pending account active. Rejects with `invalid_token`. */
  activate(hash: Uint8Array, at: number): Promise<User>
  /** Ends the user's reset tokens, sessions and app passwords, and replaces the password. Rejects with `invalid_token`. */
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
  /** The earlier link becomes invalid. Rejects with `unknown_user`, `not_invited`. */
  renew(username: string, token: { hash: Uint8Array; expiresAt: number }, auditContext: AuditContext): Promise<User>
  /** Removes the account, in which there is nothing yet. Rejects with `unknown_user`, `not_invited`. */
  withdraw(username: string, auditContext: AuditContext): Promise<void>
  find(hash: Uint8Array, at: number): Promise<Invitation | undefined>
  /** Ends the token and makes the account active, with a password. Rejects with `invalid_token`. */
  accept(hash: Uint8Array, at: number, passwordHash: string): Promise<User>
}
