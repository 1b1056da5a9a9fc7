import { and, eq } from 'drizzle-orm'
import type { PasswordProof } from '../../domain/account-ports.ts'
import { DomainError } from '../../domain/errors.ts'
import type { UserId } from '../../domain/ids.ts'
import type { User } from '../../domain/user.ts'
import { type AccountRows, toUser } from './account-rows.ts'
import { sessions, users } from './schema.ts'

/**
 * The user, if what entitles somebody to a change of his own account still holds: much may happen while a password is being checked. Belongs
 * inside a unit of the write queue. Throws `unauthorized`, `wrong_password`, which blames `field`.
 */
export function prove({ db }: AccountRows, userId: UserId, proof: PasswordProof, field: string): User {
  const row = db.select().from(users).where(eq(users.id, userId)).get()
  if (!row || row.state === 'deleting') throw new DomainError('unauthorized', 'the account no longer exists')
  if ('verifiedHash' in proof) {
    if (row.passwordHash !== proof.verifiedHash) throw new DomainError('wrong_password', `${field} is wrong`, { field })
    return toUser(row)
  }
  const own = and(eq(sessions.id, proof.session), eq(sessions.userId, userId))
  if (!db.select({ id: sessions.id }).from(sessions).where(own).get())
    throw new DomainError('unauthorized', 'the session has ended')
  return toUser(row)
}
