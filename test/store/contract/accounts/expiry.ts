import { describe, expect, test } from 'bun:test'
import type { Purged } from '../../../../src/domain/accounts/ports/housekeeping.ts'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import {
  A,
  action,
  addAccount,
  BY_COMMAND_LINE,
  change,
  newUser,
  type OpenStore,
  report,
  startSession,
  T,
  tokenHash,
  withAdmin,
  withUsers,
} from '../fixtures.ts'

const NONE: Purged = { sessions: 0, tokens: 0, loginFlows: 0, pendingAccounts: 0, auditEntries: 0 }
/** Earlier than any test data. */
const EARLY = { now: 0, pendingBefore: 0, auditBefore: 0, auditKept: 0 }

export function describeExpiry(open: OpenStore): void {
  const it = withUsers(open)
  describe('the clean-up', () => {
    it('removes expired sessions and tokens', async ({ store, ida }) => {
      for (const [n, end] of [T, T + 1, T + 2].entries()) {
        await store.sessions.create(ida, tokenHash(n), { at: T - 10, expiresAt: end }, 100)
        await store.tokens.issue({ userId: ida, purpose: 'password_reset', hash: tokenHash(n), expiresAt: end }, false)
      }
      expect(await store.expiry.purge({ ...EARLY, now: T + 1 }, 100)).toEqual({ ...NONE, sessions: 2, tokens: 2 })
      const sessions = await Promise.all([0, 1, 2].map((n) => store.sessions.find(tokenHash(n))))
      expect(sessions.map((session) => session?.expiresAt)).toEqual([undefined, undefined, T + 2])
      expect(await store.tokens.isLive('password_reset', tokenHash(2), T + 1)).toBe(true)
    })

    it('removes expired login flows, with app passwords that were never collected', async ({ store, ida }) => {
      const session = await startSession(store, ida, 1)
      for (const [n, expiresAt] of [T + 1, T + 2, T + 3, T + 4].entries()) {
        const flow = { pollHash: tokenHash(n), pageHash: tokenHash(10 + n), userAgent: `app ${n}`, expiresAt }
        await store.loginFlows.begin(flow, 100, T)
        if (n > 0) await store.loginFlows.grant(tokenHash(10 + n), session, ida, T)
      }
      await store.loginFlows.collect(tokenHash(3), tokenHash(20), T)
      expect(await store.expiry.purge({ ...EARLY, now: T + 2 }, 1)).toEqual({ ...NONE, loginFlows: 1 })
      expect(await store.expiry.purge({ ...EARLY, now: T + 2 }, 100)).toEqual({ ...NONE, loginFlows: 1 })
      expect(await store.loginFlows.findByPoll(tokenHash(2), T + 2)).toBeDefined()
      expect(await store.appPasswords.list(ida, 0)).toMatchObject([{ name: 'app 2' }, { name: 'app 3' }])
      expect(await store.expiry.purge({ ...EARLY, now: T + 9 }, 100)).toEqual({ ...NONE, loginFlows: 1 })
      expect(await store.appPasswords.list(ida, 0)).toMatchObject([{ name: 'app 3' }])
    })

    test('removes accounts that were never activated, with their tokens and mails', async () => {
      const store = await withAdmin(open)
      const [old, young] = [await addPending(store, 'ole', T), await addPending(store, 'eva', T + 1)]
      for (const [n, userId] of [old, young].entries())
        await store.tokens.issue({ userId, purpose: 'activation', hash: tokenHash(n), expiresAt: T + 1e6 }, true)
      expect(await store.expiry.purge({ ...EARLY, pendingBefore: T + 1 }, 100)).toEqual({ ...NONE, pendingAccounts: 1 })
      expect(await store.users.list()).toMatchObject([{ username: 'admin' }, { username: 'eva' }])
      expect((await store.mails.waiting(10)).mails).toMatchObject([{ emailKey: 'eva@pods.example' }])
      expect(await store.tokens.isLive('activation', tokenHash(0), T)).toBe(false)
      expect(await store.tokens.isLive('activation', tokenHash(1), T)).toBe(true)
      expect(await store.users.register(newUser('ole', 'ole@pods.example'), 'invite', 'en')).toMatchObject({
        state: 'pending_activation',
      })
    })

    test.each(['active', 'inactive'])('keeps accounts that are %s, with all their data', async (state) => {
      const store = await withAdmin(open)
      const ole = await addPending(store, 'ole', T)
      await store.users.setActive('ole', true, BY_COMMAND_LINE)
      await change(store, ole, 'phone', { add: [A] })
      await report(store, ole, [action()])
      await store.identities.link(ole, { issuer: 'https://id.example', subject: '1' }, T)
      await store.users.setActive('ole', state === 'active', BY_COMMAND_LINE)
      await store.mails.request({ purpose: 'password_reset', emailKey: 'ole@pods.example', language: 'en' }, T)
      const before = [await store.users.list(), await store.users.stats(), await store.identities.list(ole)]
      const later = T * 2
      const purged = await store.expiry.purge({ ...EARLY, now: later, pendingBefore: later }, 100)
      expect(purged).toEqual(NONE)
      expect([await store.users.list(), await store.users.stats(), await store.identities.list(ole)]).toEqual(before)
      expect(await store.subscriptions.listDevice(ole, 'phone')).toEqual([A])
      expect((await store.mails.waiting(10)).total).toBe(1)
    })

    test('removes old entries of the audit log, but keeps a number of them', async () => {
      const store = open()
      for (let n = 0; n < 5; n++) await store.audit.add({ ...BY_COMMAND_LINE, at: T + n }, 'user_created', `u${n}`)
      for (const [auditBefore, auditKept, auditEntries, left] of [
        [T + 1, 0, 1, ['u4', 'u3', 'u2', 'u1']],
        [T * 2, 3, 1, ['u4', 'u3', 'u2']],
        [T * 2, 3, 0, ['u4', 'u3', 'u2']],
      ] as const) {
        expect(await store.expiry.purge({ ...EARLY, auditBefore, auditKept }, 100)).toEqual({ ...NONE, auditEntries })
        expect((await store.audit.page(0, 10)).entries.map(({ target }) => target)).toEqual([...left])
      }
    })

    test('stops at its limit for each kind, and goes on the next time', async () => {
      const store = open()
      const admin = (await addAccount(store, 'admin', true)).id
      for (let n = 0; n < 5; n++) {
        await addPending(store, `u${n}`, T)
        await store.sessions.create(admin, tokenHash(n), { at: T, expiresAt: T + 1 }, 100)
        const token = { userId: admin, purpose: 'password_reset', hash: tokenHash(n), expiresAt: T + 1 } as const
        await store.tokens.issue(token, false)
        await store.audit.add(BY_COMMAND_LINE, 'test_mail_sent')
      }
      const times = { now: T + 1, pendingBefore: T + 1, auditBefore: T + 1, auditKept: 0 }
      const waiting = async () => (await store.mails.waiting(10)).total
      // Only the last three tokens were kept, and one entry is about the administrator.
      for (const [sessions, tokens, pendingAccounts, left] of [
        [2, 2, 2, 3],
        [2, 1, 2, 1],
        [1, 0, 1, 0],
      ] as const) {
        const counts = { sessions, tokens, pendingAccounts, auditEntries: 2 }
        expect(await store.expiry.purge(times, 2)).toEqual({ ...NONE, ...counts })
        expect(await waiting()).toBe(left)
      }
      expect(await store.expiry.purge(times, 2)).toEqual(NONE)
    })
  })
}

/** Registers a user who has to activate the account, with a mail pending. */
async function addPending({ users }: Store, username: string, at: number): Promise<UserId> {
  const user = { ...newUser(username, `${username}@pods.example`), at }
  return (await users.register(user, 'invite', 'en')).id
}
