import type { Database } from 'bun:sqlite'
import type { TokenPurpose } from '../../../domain/accounts/ports.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { users } from '../core/schema.ts'

/** `isAdmin` is SQLite's number where drizzle is not in between. */
export type UserRow = Pick<typeof users.$inferSelect, 'id' | 'username' | 'email' | 'state'> & {
  readonly isAdmin: boolean | number
}

export type CredentialsRow = UserRow & { readonly passwordHash: string | null }

/** The statements around accounts that are hot or set-based. The others are drizzle's. */
export function prepareAccountStatements(db: Database) {
  return {
    /** Every request with a password makes this lookup. */
    findByKey: db.prepare<CredentialsRow, [string]>(
      `SELECT id, username, email, is_admin AS isAdmin, state, password_hash AS passwordHash FROM users WHERE username_key = ?1`,
    ),
    /** Keeps so many of a user's tokens for a purpose, the newest ones. */
    dropTokensBut: db.prepare<undefined, [UserId, TokenPurpose, number]>(
      `DELETE FROM tokens WHERE id IN
         (SELECT id FROM tokens WHERE user_id = ?1 AND purpose = ?2 ORDER BY id DESC LIMIT -1 OFFSET ?3)`,
    ),
    deleteActions: db.prepare<undefined, [UserId, number]>(
      'DELETE FROM episode_actions WHERE id IN (SELECT id FROM episode_actions WHERE user_id = ?1 LIMIT ?2)',
    ),
  }
}
