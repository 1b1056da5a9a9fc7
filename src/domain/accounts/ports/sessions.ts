import type { AppPasswordId, SessionId, UserId } from '../../shared/ids.ts'
import type { GrantedApp } from './app-passwords.ts'
import type { User } from './users.ts'

export interface Session {
  readonly id: SessionId
  readonly user: User
  readonly createdAt: number
  readonly usedAt: number
  readonly expiresAt: number
  readonly appPassword: GrantedApp | undefined
}

export interface SessionProof {
  readonly verifiedHash?: string | undefined
  readonly appPassword?: AppPasswordId | undefined
  readonly secondFactor?: boolean | undefined
}

export interface SessionStore {
  find(tokenHash: Uint8Array): Promise<Session | undefined>
  /** Adds a session and drops the least recently used beyond `max`. Rejects if `proof` no longer holds. */
  create(
    userId: UserId,
    tokenHash: Uint8Array,
    session: { at: number; expiresAt: number; client?: string | undefined },
    max: number,
    proof?: SessionProof,
  ): Promise<SessionId>
  touch(id: SessionId, times: { usedAt: number; expiresAt: number }): Promise<void>
  /** Returns the owner, or undefined if the session had already ended. */
  remove(id: SessionId): Promise<UserId | undefined>
  list(userId: UserId, at: number): Promise<ListedSession[]>
  /** Rejects with `not_found` unless the session is the user's own. */
  removeOwn(userId: UserId, id: SessionId): Promise<void>
  removeOthers(userId: UserId, keep: SessionId | undefined): Promise<void>
}

export interface ListedSession {
  readonly id: SessionId
  readonly createdAt: number
  readonly usedAt: number
  readonly expiresAt: number
  readonly client: string | undefined
}
