import { and, asc, eq, gt, lte, or } from 'drizzle-orm'
import { emailKey } from '../../domain/accounts/identifiers.ts'
import { LONGEST_PAUSE } from '../../domain/accounts/mail.ts'
import type { MailPurpose, MailStore, WaitingMail } from '../../domain/accounts/ports/mail.ts'
import type { TokenPurpose, TokenStore } from '../../domain/accounts/ports/tokens.ts'
import type { User, UserState } from '../../domain/accounts/ports/users.ts'
import { invalidToken } from '../../domain/shared/errors.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { mails, tokens, users } from '../schema/accounts.ts'
import { fromRow } from '../shared/rows.ts'
import { type AccountRows, toUser } from './account-rows.ts'

/** Valid tokens per user and purpose. Mail may arrive although sending has failed, so earlier tokens stay valid. */
const LIVE_MAX = 3

/** Required state of the account, by purpose. */
const STATES = {
  activation: 'pending_activation',
  password_reset: 'active',
  invitation: 'pending_activation',
} as const satisfies Record<TokenPurpose, UserState>

export function createTokenUse(rows: AccountRows) {
  const { db } = rows

  function holder(purpose: TokenPurpose, hash: Uint8Array, at: number) {
    return db
      .select({ user: users, expiresAt: tokens.expiresAt })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(
        and(
          eq(tokens.tokenHash, Buffer.from(hash)),
          eq(tokens.purpose, purpose),
          gt(tokens.expiresAt, at),
          eq(users.state, STATES[purpose]),
        ),
      )
      .get()
  }

  return {
    holder,

    /** Ends all tokens of their owner for this purpose. Throws `invalid_token`. */
    use(purpose: TokenPurpose, hash: Uint8Array, at: number): User {
      const found = holder(purpose, hash, at)
      if (!found) throw invalidToken()
      const user = toUser(found.user)
      rows.endTokens(user.id, purpose)
      return user
    },
  }
}

export function createTokenStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): TokenStore {
  const { db } = rows
  const { holder, use } = createTokenUse(rows)

  function useMailed(purpose: MailPurpose, hash: Uint8Array, at: number): User {
    const user = use(purpose, hash, at)
    // A mail waiting for another attempt would contain another link.
    rows.dropMails(user, purpose)
    return user
  }

  return {
    issue: ({ userId, purpose, hash, expiresAt, email }, voidOlder) =>
      queue.run(userId, () => {
        const hasAddress = email === undefined ? undefined : eq(users.emailKey, emailKey(email))
        if (!rows.isThere(and(eq(users.id, userId), hasAddress))) return false
        rows.statements.dropTokensBut.run(userId, purpose, voidOlder ? 0 : LIVE_MAX - 1)
        db.insert(tokens)
          .values({ userId, purpose, tokenHash: Buffer.from(hash), expiresAt })
          .run()
        return true
      }),

    isLive: (purpose, hash, at) => snapshot.read(() => holder(purpose, hash, at) !== undefined),

    activate: (hash, at) =>
      queue.run('accounts', () => rows.change(useMailed('activation', hash, at).id, { state: 'active' })),

    resetPassword: (hash, at, passwordHash) =>
      queue.run('accounts', () => {
        const user = useMailed('password_reset', hash, at)
        rows.endSessions(user.id)
        rows.endAppPasswords(user.id)
        rows.switchWebhookOff(user.id)
        rows.endLoginFlows(user.id)
        return rows.change(user.id, { passwordHash })
      }),
  }
}

export function createMailStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): MailStore {
  const { db } = rows

  /** Matches the mail only if it was not requested again while it was being sent. */
  const isUnchanged = ({ id, requestedAt }: WaitingMail) => and(eq(mails.id, id), eq(mails.requestedAt, requestedAt))

  return {
    request: (mail, at, max = Number.POSITIVE_INFINITY) =>
      queue.run('accounts', () => {
        const waiting = and(eq(mails.purpose, mail.purpose), eq(mails.emailKey, mail.emailKey))
        const isNew = db.select().from(mails).where(waiting).get() === undefined
        if (isNew && rows.count(mails) >= max) return false
        rows.requestMail(mail, at)
        return true
      }),

    listDue: (at, limit) =>
      snapshot.read(() => {
        // Attempts further ahead than the longest pause were written while the clock was wrong.
        const isDue = or(lte(mails.nextAttemptAt, at), gt(mails.nextAttemptAt, at + LONGEST_PAUSE))
        const due = db.select().from(mails).where(isDue)
        return due
          .orderBy(asc(mails.nextAttemptAt), asc(mails.id))
          .limit(limit)
          .all()
          .map(fromRow<WaitingMail>)
      }),

    postpone: (mail, nextAttemptAt, lastError) =>
      queue.run('accounts', () => {
        const attempts = mail.attempts + 1
        db.update(mails).set({ attempts, nextAttemptAt, lastError }).where(isUnchanged(mail)).run()
      }),

    remove: (mail) => queue.run('accounts', () => void db.delete(mails).where(isUnchanged(mail)).run()),

    waiting: (limit) =>
      snapshot.read(() => {
        const all = db.select().from(mails).orderBy(asc(mails.id)).limit(limit).all()
        return { total: rows.count(mails), mails: all.map(fromRow<WaitingMail>) }
      }),
  }
}
