import { and, eq, ne } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import { emailKey } from '../../domain/identifiers.ts'
import type { OwnAccountStore } from '../../domain/own-account-ports.ts'
import { prove } from './account-proof.ts'
import type { AccountRemoval } from './account-removal.ts'
import type { AccountRows } from './account-rows.ts'
import { users } from './schema.ts'
import type { WriteQueue } from './write-queue.ts'

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

    async remove(userId, proof, deed) {
      await removal.finish(await queue.run(() => removal.begin(prove(rows, userId, proof, 'password'), deed)))
    },
  }
}
