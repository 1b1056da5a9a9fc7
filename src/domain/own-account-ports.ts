import type { Deed, PasswordProof } from './account-ports.ts'
import type { UserId } from './ids.ts'

/**
 * What people do to their own account for good. As in account-ports.ts. Both methods reject with `wrong_password` when the password was
 * changed since it was checked, `unauthorized` when the session has ended or the account is no longer there.
 */
export interface OwnAccountStore {
  /** Voids the password resets that were on their way to another address. Rejects with `email_taken`. */
  changeEmail(userId: UserId, email: string | undefined, proof: PasswordProof): Promise<void>
  /** As `UserStore.remove`. Rejects with `last_admin`. */
  remove(userId: UserId, proof: PasswordProof, deed: Deed): Promise<void>
}
