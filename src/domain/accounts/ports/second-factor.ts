import type { SessionId, UserId } from '../../shared/ids.ts'
import type { AuditContext } from './audit-log.ts'
import type { PasswordProof, User } from './users.ts'

export interface SecondFactor {
  readonly secret: Uint8Array
  /** Time step of the last used code. Codes of this and earlier steps are invalid. */
  readonly lastStep: number
  readonly createdAt: number
  readonly recoveryCodes: number
}

export interface SecondFactorStore {
  find(userId: UserId): Promise<SecondFactor | undefined>
  /** Ends all other sessions and granted login flows. Rejects with `second_factor_exists`. */
  enable(
    userId: UserId,
    factor: { secret: Uint8Array; lastStep: number; at: number },
    recoveryHashes: readonly Uint8Array[],
    proof: PasswordProof,
    keep: SessionId,
  ): Promise<void>
  useStep(userId: UserId, secret: Uint8Array, step: number): Promise<boolean>
  useRecoveryCode(userId: UserId, hash: Uint8Array): Promise<boolean>
  /** Rejects with `no_second_factor` if `secret` is no longer in use, like `disable`. */
  replaceRecoveryCodes(
    userId: UserId,
    secret: Uint8Array,
    recoveryHashes: readonly Uint8Array[],
    proof: PasswordProof,
  ): Promise<void>
  disable(userId: UserId, secret: Uint8Array, proof: PasswordProof): Promise<void>
  /** Removal by an administrator. Rejects with `unknown_user`, `no_second_factor`. */
  reset(username: string, auditContext: AuditContext): Promise<User>
}
