import type { IdentityId, UserId } from '../../shared/ids.ts'
import type { User } from './users.ts'

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
  /** Returns the account of the identity, or creates one with the first of `usernames` that is free. */
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
  /** Idempotent. Rejects with `identity_taken` if the identity, or the account at this issuer, has another link. */
  link(userId: UserId, identity: IdentityKey, at: number): Promise<void>
  /** Rejects with `not_found`, and with `no_password` because the user could no longer sign in. */
  unlink(userId: UserId, id: IdentityId): Promise<void>
}
