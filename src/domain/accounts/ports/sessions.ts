import type { AppPasswordId, SessionId, UserId } from '../../shared/ids.ts'
import type { GrantedApp } from './app-passwords.ts'
import type { User } from './users.ts'

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
