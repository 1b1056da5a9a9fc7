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
  /** The account of the identity, created if there is none. `usernames` are tried in turn. */
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
