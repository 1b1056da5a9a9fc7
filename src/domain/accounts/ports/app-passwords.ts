import type { AppPasswordId, SessionId, UserId } from '../../shared/ids.ts'
import type { User, UserCredentials } from './users.ts'

/** Everything apps do, only reading, or only private feeds and lists (docs/protocol.md#D65). */
export type AppPasswordScope = 'sync' | 'read' | 'feeds'

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
  /** Rejects with `unauthorized` if the session has ended, `quota_exceeded`. */
  create(
    session: SessionId,
    userId: UserId,
    password: { name: string; scope: AppPasswordScope; hash: Uint8Array; at: number },
  ): Promise<AppPasswordId>
  /** Also removes its sessions and login flow. Rejects with `not_found` unless it is the user's own. */
  remove(userId: UserId, id: AppPasswordId): Promise<void>
}

/** Request of an app for an app password through the browser (docs/protocol.md#login-flow). */
export interface LoginFlow {
  readonly userAgent: string
  /** True if a user has granted access and the app has not collected its password yet. */
  readonly isGranted: boolean
}

export interface LoginFlowStore {
  /** Rejects with `unavailable` if `max` flows are active at `at`. */
  begin(
    flow: { pollHash: Uint8Array; pageHash: Uint8Array; userAgent: string; expiresAt: number },
    max: number,
    at: number,
  ): Promise<void>
  find(pageHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /** Creates an app password that is unusable until `collect`. Idempotent. */
  grant(pageHash: Uint8Array, session: SessionId, userId: UserId, at: number): Promise<void>
  findByPoll(pollHash: Uint8Array, at: number): Promise<LoginFlow | undefined>
  /** Ends a granted flow and makes its app password usable. Undefined if the flow is not granted or has ended. */
  collect(pollHash: Uint8Array, passwordHash: Uint8Array, at: number): Promise<User | undefined>
}
