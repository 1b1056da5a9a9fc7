import type { AppPasswordScope } from '../../domain/accounts/ports/app-passwords.ts'
import type { ExpiryStore } from '../../domain/accounts/ports/housekeeping.ts'
import type { TokenPurpose } from '../../domain/accounts/ports/tokens.ts'
import type { AppPasswordId, UserId } from '../../domain/shared/ids.ts'
import type { Database, WriteQueue } from '../engine.ts'
import type { users } from '../schema/accounts.ts'

export type UserRow = Pick<typeof users.$inferSelect, 'id' | 'username' | 'email' | 'state'> & {
  readonly isAdmin: boolean | number
}

export type CredentialsRow = UserRow & { readonly passwordHash: string | null; readonly hasSecondFactor: number }

export interface AppPasswordRow extends CredentialsRow {
  readonly appPasswordId: AppPasswordId
  readonly scope: AppPasswordScope
  readonly usedAt: number | null
}

export const HAS_SECOND_FACTOR = 'EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id) AS hasSecondFactor'

export function prepareAccountStatements(db: Database) {
  return {
    findByKey: db.prepare<CredentialsRow, [string]>(
      `SELECT u.id, u.username, u.email, u.is_admin AS isAdmin, u.state, u.password_hash AS passwordHash, ${HAS_SECOND_FACTOR}
         FROM users u WHERE u.username_key = ?1`,
    ),
    findAppPassword: db.prepare<AppPasswordRow, [Uint8Array]>(
      `SELECT a.id AS appPasswordId, a.scope, a.used_at AS usedAt,
              u.id, u.username, u.email, u.is_admin AS isAdmin, u.state, u.password_hash AS passwordHash,
              ${HAS_SECOND_FACTOR}
         FROM app_passwords a CROSS JOIN users u ON u.id = a.user_id WHERE a.password_hash = +?1`,
    ),
    dropTokensBut: db.prepare<undefined, [UserId, TokenPurpose, number]>(
      `DELETE FROM tokens WHERE id IN
         (SELECT id FROM tokens WHERE user_id = ?1 AND purpose = ?2 ORDER BY id DESC LIMIT -1 OFFSET ?3)`,
    ),
  }
}

export function prepareFlowExpiry(db: Database): (now: number, limit: number) => number {
  const expired = 'SELECT id FROM login_flows WHERE expires_at <= ?1 ORDER BY expires_at, id LIMIT ?2'
  const passwords = db.prepare<undefined, [number, number]>(
    `DELETE FROM app_passwords WHERE password_hash IN (SELECT poll_hash FROM login_flows WHERE id IN (${expired}))`,
  )
  const flows = db.prepare<undefined, [number, number]>(`DELETE FROM login_flows WHERE id IN (${expired})`)
  return (now, limit) => {
    passwords.run(now, limit)
    return flows.run(now, limit).changes
  }
}

/** Removes expired rows. Each statement uses an index and a limit, so that requests do not wait for a clean-up. */
export function createExpiryStore(db: Database, queue: WriteQueue): ExpiryStore {
  const remove = (table: string, condition: string) =>
    db.prepare<undefined, [number, number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${condition} LIMIT ?2)`,
    )
  const sessions = remove('sessions', 'expires_at <= ?1')
  const tokens = remove('tokens', 'expires_at <= ?1')
  const removeFlows = prepareFlowExpiry(db)
  const auditEntries = db.prepare<undefined, [number, number, number]>(
    `DELETE FROM audit_log WHERE id IN
       (SELECT id FROM audit_log WHERE at < ?1 AND id <= (SELECT MAX(id) FROM audit_log) - ?3 LIMIT ?2)`,
  )
  const pendingMails = db.prepare<undefined, [number, number]>(
    `DELETE FROM mails WHERE email_key IN
       (SELECT email_key FROM users WHERE state = 'pending_activation' AND created_at < ?1 ORDER BY id LIMIT ?2)`,
  )
  // A renewed invitation may outlast the period for its account.
  const pendingAccounts = db.prepare<undefined, [number, number, number]>(
    `DELETE FROM users WHERE id IN
       (SELECT id FROM users WHERE state = 'pending_activation' AND created_at < ?1 AND NOT EXISTS
          (SELECT 1 FROM tokens t WHERE t.user_id = users.id AND t.purpose = 'invitation' AND t.expires_at > ?3)
        ORDER BY id LIMIT ?2)`,
  )

  return {
    purge: ({ now, pendingBefore, auditBefore, auditKept }, limit) =>
      queue.run('accounts', () => {
        pendingMails.run(pendingBefore, limit)
        return {
          sessions: sessions.run(now, limit).changes,
          tokens: tokens.run(now, limit).changes,
          loginFlows: removeFlows(now, limit),
          pendingAccounts: pendingAccounts.run(pendingBefore, limit, now).changes,
          auditEntries: auditEntries.run(auditBefore, limit, auditKept).changes,
        }
      }),
  }
}
