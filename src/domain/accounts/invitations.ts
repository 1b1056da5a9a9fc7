import type { Clock } from '../../platform/clock.ts'
import { type Random, randomUuid, sha256 } from '../../platform/crypto.ts'
import { createSerialWork } from '../shared/concurrency.ts'
import { invalidToken } from '../shared/errors.ts'
import { checkPassword, parseEmail, parseUsername } from './identifiers.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Actor } from './ports/audit-log.ts'
import type { Invitation, InvitationStore } from './ports/tokens.ts'
import type { User, UserStore, UserSummary } from './ports/users.ts'

const DAY = 24 * 3600

export interface IssuedInvitation extends Invitation {
  readonly user: UserSummary
  readonly token: string
}

/** Accounts created by administrators, whose users set a password through a link. The audit log has every step. */
export function createInvitations(parts: {
  readonly invitations: InvitationStore
  readonly users: Pick<UserStore, 'summary'>
  readonly passwords: Pick<PasswordCheck, 'hash'>
  readonly clock: Clock
  readonly random: Random
  readonly days: number
}) {
  const { invitations, users, passwords, clock, random, days } = parts
  const serially = createSerialWork<string>()

  function newToken() {
    const token = randomUuid(random)
    return { token, hash: sha256(token), expiresAt: clock.seconds() + days * DAY }
  }

  async function toIssued(user: User, { token, expiresAt }: ReturnType<typeof newToken>): Promise<IssuedInvitation> {
    return { username: user.username, expiresAt, token, user: await users.summary(user.username) }
  }

  async function accept(token: string, password: string): Promise<User> {
    const hash = sha256(token)
    if (!(await invitations.find(hash, clock.seconds()))) throw invalidToken()
    return invitations.accept(hash, clock.seconds(), await passwords.hash(password))
  }

  return {
    /** Works in every registration mode. Throws `validation_failed`, `username_taken`, `email_taken`. */
    async invite({ username, email }: { username: string; email: string }, actor: Actor): Promise<IssuedInvitation> {
      const at = clock.seconds()
      const user = { username: parseUsername(username), email: parseEmail(email), at }
      const token = newToken()
      return toIssued(await invitations.invite(user, token, { actor, at }), token)
    },

    /** Replaces the link. Throws `unknown_user`, `not_invited`. */
    async renew(username: string, actor: Actor): Promise<IssuedInvitation> {
      const token = newToken()
      return toIssued(await invitations.renew(username, token, { actor, at: clock.seconds() }), token)
    },

    /** Removes the account and its link. Throws `unknown_user`, `not_invited`. */
    withdraw: (username: string, actor: Actor): Promise<void> =>
      invitations.withdraw(username, { actor, at: clock.seconds() }),

    /** Throws `invalid_token`. */
    async find(token: string): Promise<Invitation> {
      const invitation = await invitations.find(sha256(token), clock.seconds())
      if (!invitation) throw invalidToken()
      return invitation
    },

    /** Sets the password without signing in. Throws `validation_failed` (the token stays valid), `invalid_token`. */
    async accept(token: string, password: string): Promise<User> {
      checkPassword(password, 'password')
      return serially(token, () => accept(token, password))
    },
  }
}
