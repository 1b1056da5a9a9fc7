import type { AppPasswordId, SessionId, UserId } from '../../shared/ids.ts'
import type { User, UserCredentials } from './users.ts'

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
  readonly usedAt: number | undefined
  readonly client: string | undefined
}

export interface AppPasswordStore {
  find(
    passwordHash: Uint8Array,
  ): Promise<(GrantedApp & { readonly user: UserCredentials; readonly usedAt: number | undefined }) | undefined>
  noteUse(id: AppPasswordId, at: number, client: string | undefined): Promise<void>
  list(userId: UserId, at: number): Promise<AppPassword[]>
  /** Rejects with `unauthorized` when the session has ended, `quota_exceeded`. */
  create(
    session: SessionId,
    userId: UserId,
    password: { name: string; scope: AppPasswordScope; hash: Uint8Array; at: number },
  ): Promise<AppPasswordId>
  /** Ends one of the user's own, with its sessions and flow. Rejects with `not_found`. */
  remove(userId: UserId, id: AppPasswordId): Promise<void>
}

/** An app that asks for an app password by way of the browser (docs/protocol.md#login-flow). */
export interface LoginFlow {
  readonly userAgent: string
  /** Whether some user has granted access; the app has not asked since. */
  readonly isGranted: boolean
}

export interface LoginFlowStore {
  /** Rejects with `unavailable` when `max` are under way at `at`. */
  begin(
    flow: { pollHash: Uint8Array; pageHash: Uint8Array; userAgent: string; expiresAt: number },
    max: number,
    at: number,
  ): Promise<void>
  find(pageHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /** Makes an app password that opens nothing before `collect`. Granting twice is the same as once. */
  grant(pageHash: Uint8Array, session: SessionId, userId: UserId, at: number): Promise<void>
  findByPoll(pollHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /** Ends a flow that has been granted; its app password works from now on. Undefined if it is not, or not any more. */
  collect(pollHash: Uint8Array, passwordHash: Uint8Array, at: number): Promise<User | undefined>
}
