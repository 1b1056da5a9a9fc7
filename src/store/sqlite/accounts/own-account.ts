import { and, eq, ne } from 'drizzle-orm'
import { emailKey } from '../../../domain/accounts/identifiers.ts'
import type { OwnAccountStore } from '../../../domain/accounts/ports.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import { users } from '../core/schema.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import { type AccountRemoval, type AccountRows, prove } from './account-rows.ts'

export function createOwnAccountStore(rows: AccountRows, removal: AccountRemoval, queue: WriteQueue): OwnAccountStore {
  return {
    changeEmail: (userId, email, proof) =>
      queue.run(() => {
        const user = prove(rows, userId, proof, 'password')
        const before = user.email === undefined ? null : emailKey(user.email)
        const after = email === undefined ? null : emailKey(email)
        if (after !== null && rows.isThere(and(eq(users.emailKey, after), ne(users.id, userId))))
          throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
        if (after !== before) {
          // They would let in whoever reads the old mailbox.
          rows.dropMails(user, 'password_reset')
          rows.endTokens(userId, 'password_reset')
        }
        rows.change(userId, { email: email ?? null, emailKey: after })
      }),

    async remove(userId, proof, auditContext) {
      await removal.finish(await queue.run(() => removal.begin(prove(rows, userId, proof, 'password'), auditContext)))
    },
  }
}
