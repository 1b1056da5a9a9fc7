import type { InvitationStore } from '../../domain/accounts/ports/tokens.ts'
import type { UserCredentials } from '../../domain/accounts/ports/users.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { tokens } from '../schema/accounts.ts'
import type { AccountRemoval } from './account-removal.ts'
import type { AccountRows } from './account-rows.ts'
import { createTokenUse } from './tokens.ts'

/** An invited user is a pending account without a password. Others are pending only with one. */
export function createInvitationStore(
  rows: AccountRows,
  removal: AccountRemoval,
  snapshot: Snapshot,
  queue: WriteQueue,
): InvitationStore {
  const { holder, use } = createTokenUse(rows)

  function issue(userId: UserId, { hash, expiresAt }: { hash: Uint8Array; expiresAt: number }): void {
    rows.endTokens(userId, 'invitation')
    rows.db
      .insert(tokens)
      .values({ userId, purpose: 'invitation', tokenHash: Buffer.from(hash), expiresAt })
      .run()
  }

  function getInvited(username: string): UserCredentials {
    const user = rows.get(username)
    if (user.state !== 'pending_activation' || user.passwordHash !== undefined)
      throw new DomainError('not_invited', 'this account is not waiting for an invitation to be accepted')
    return user
  }

  return {
    invite: (user, token, auditContext) =>
      queue.run('accounts', () => {
        const added = rows.add(user, false, 'pending_activation')
        issue(added.id, token)
        rows.note(auditContext, 'user_invited', added.username)
        return added
      }),

    renew: (username, token, auditContext) =>
      queue.run('accounts', () => {
        const user = getInvited(username)
        issue(user.id, token)
        rows.note(auditContext, 'invitation_renewed', user.username)
        return user
      }),

    async withdraw(username, auditContext) {
      await removal.finish(
        await queue.run('accounts', () => removal.begin(getInvited(username), auditContext, 'invitation_withdrawn')),
      )
    },

    find: (hash, at) =>
      snapshot.read(() => {
        const found = holder('invitation', hash, at)
        return found && { username: found.user.username, expiresAt: found.expiresAt }
      }),

    accept: (hash, at, passwordHash) =>
      queue.run('accounts', () => {
        const user = use('invitation', hash, at)
        rows.note({ actor: { name: user.username, via: 'api' }, at }, 'invitation_accepted', user.username)
        return rows.change(user.id, { passwordHash, state: 'active' })
      }),
  }
}
