import { describe, expect, test } from 'bun:test'
import type { TokenPurpose } from '../../../../src/domain/accounts/ports/tokens.ts'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import {
  addAccount,
  addUser,
  BY_COMMAND_LINE,
  expectRefused,
  liveSessions,
  newUser,
  type OpenStore,
  startSession,
  T,
  tokenHash,
  withAdmin,
  withUsers,
} from '../fixtures.ts'

const INVALID = 'invalid_token'

export function describeTokens(open: OpenStore): void {
  const it = withUsers(open)
  describe('an activation token', () => {
    test('activates the pending account, once', async () => {
      const store = open()
      const ole = await addPending(store)
      await issue(store, ole, 'activation', 1)
      expect(await isLive(store, 'activation', 1)).toBe(true)
      expect(await store.tokens.activate(tokenHash(1), T)).toMatchObject({ id: ole, username: 'ole', state: 'active' })
      expect(await store.users.findByName('ole')).toMatchObject({ state: 'active' })
      await expectRefused(store.tokens.activate(tokenHash(1), T), INVALID)
    })

    test('is not issued for an address that the account no longer has', async () => {
      const store = open()
      const { id } = await store.users.create(newUser('ida', 'ida@pods.example'), false, BY_COMMAND_LINE)
      const token = { userId: id, purpose: 'password_reset', hash: tokenHash(1), expiresAt: T + 100 } as const
      expect(await store.tokens.issue({ ...token, email: 'old@pods.example' }, true)).toBe(false)
      expect(await isLive(store, 'password_reset', 1)).toBe(false)
      expect(await store.tokens.issue({ ...token, email: 'IDA@pods.example' }, true)).toBe(true)
      expect(await isLive(store, 'password_reset', 1)).toBe(true)
    })

    test('does nothing for an account that is not pending', async () => {
      for (const isActive of [true, false]) {
        const store = open()
        const ole = await addPending(store)
        await store.users.setActive('ole', isActive, BY_COMMAND_LINE)
        await issue(store, ole, 'activation', 1)
        expect(await isLive(store, 'activation', 1)).toBe(false)
        await expectRefused(store.tokens.activate(tokenHash(1), T), INVALID)
        expect(await store.users.findByName('ole')).toMatchObject({ state: isActive ? 'active' : 'inactive' })
      }
    })
  })

  describe('a reset token', () => {
    it('replaces the password and ends all sessions of the user, once', async ({ store, ida, ole }) => {
      for (const [n, id] of [ida, ida, ole].entries()) await startSession(store, id, 100 + n)
      await issue(store, ida, 'password_reset', 1)
      expect(await store.tokens.resetPassword(tokenHash(1), T, 'new hash')).toMatchObject({ id: ida, username: 'ida' })
      expect(await store.users.findByName('ida')).toMatchObject({ passwordHash: 'new hash' })
      expect(await store.users.findByName('ole')).toMatchObject({ passwordHash: 'hash of ole' })
      expect(await liveSessions(store, 100, 101, 102)).toEqual([102])
      await expectRefused(store.tokens.resetPassword(tokenHash(1), T, 'newer hash'), INVALID)
      expect(await store.users.findByName('ida')).toMatchObject({ passwordHash: 'new hash' })
    })

    test('does nothing for an account that is not active', async () => {
      const store = open()
      const [ida, ole] = [await addUser(store), await addPending(store)]
      await store.users.setActive('ida', false, BY_COMMAND_LINE)
      for (const [n, id] of [ida, ole].entries()) {
        await issue(store, id, 'password_reset', n)
        expect(await isLive(store, 'password_reset', n)).toBe(false)
        await expectRefused(store.tokens.resetPassword(tokenHash(n), T, 'new hash'), INVALID)
      }
    })

    test('is void after a new password, unlike an activation token', async () => {
      const store = open()
      const [ida, ole, kai] = [await addUser(store, 'ida'), await addUser(store, 'ole'), await addPending(store, 'kai')]
      for (const [n, id] of [ida, ole].entries()) await issue(store, id, 'password_reset', n)
      await issue(store, kai, 'activation', 2)
      await store.users.changePassword(ida, 'new hash', { verifiedHash: 'hash of ida' }, undefined)
      await store.users.setPassword('ole', 'new hash', BY_COMMAND_LINE)
      await store.users.setPassword('kai', 'new hash', BY_COMMAND_LINE)
      for (const n of [0, 1]) expect(await isLive(store, 'password_reset', n)).toBe(false)
      expect(await isLive(store, 'activation', 2)).toBe(true)
    })
  })

  describe('a token', () => {
    const uses: [TokenPurpose, (store: Store, n: number) => Promise<unknown>][] = [
      ['activation', ({ tokens }, n) => tokens.activate(tokenHash(n), T)],
      ['password_reset', ({ tokens }, n) => tokens.resetPassword(tokenHash(n), T, 'new hash')],
    ]

    test.each(uses)('works once, even in many concurrent requests: %s', async (purpose, use) => {
      const store = open()
      await issue(store, await holderOf(store, purpose), purpose, 1)
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => use(store, 1)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    test.each(uses)('is void after another token of the account was used: %s', async (purpose, use) => {
      const store = open()
      const id = await holderOf(store, purpose)
      for (const n of [1, 2]) await issue(store, id, purpose, n, { voidOlder: false })
      await use(store, 2)
      if (purpose === 'activation') await store.users.setActive('ole', false, BY_COMMAND_LINE)
      await expectRefused(use(store, 1), INVALID)
    })

    test('is valid until the second before it expires', async () => {
      const store = open()
      const ole = await addPending(store)
      await issue(store, ole, 'activation', 1, { expiresAt: T + 10 })
      expect(await store.tokens.isLive('activation', tokenHash(1), T + 9)).toBe(true)
      expect(await store.tokens.isLive('activation', tokenHash(1), T + 10)).toBe(false)
      await expectRefused(store.tokens.activate(tokenHash(1), T + 10), INVALID)
      expect(await store.tokens.activate(tokenHash(1), T + 9)).toMatchObject({ state: 'active' })
    })

    test('is valid only for its own purpose, and only if it was issued', async () => {
      const store = open()
      const [ida, ole] = [await addUser(store), await addPending(store)]
      await issue(store, ole, 'password_reset', 1)
      await issue(store, ida, 'activation', 2)
      expect(await isLive(store, 'activation', 1)).toBe(false)
      expect(await isLive(store, 'password_reset', 2)).toBe(false)
      await expectRefused(store.tokens.activate(tokenHash(1), T), INVALID)
      await expectRefused(store.tokens.resetPassword(tokenHash(2), T, 'hash'), INVALID)
      expect(await isLive(store, 'activation', 3)).toBe(false)
      for (const [, use] of uses) await expectRefused(use(store, 3), INVALID)
    })

    it('voids older ones of its user and purpose, or all but the last two', async ({ store, ida, ole }) => {
      await issue(store, ole, 'password_reset', 9)
      // The mails of the last two may have arrived.
      for (const n of [1, 2, 3, 4, 5]) await issue(store, ida, 'password_reset', n, { voidOlder: false })
      expect(await live(store, 1, 2, 3, 4, 5, 9)).toEqual([3, 4, 5, 9])
      await issue(store, ida, 'password_reset', 6)
      expect(await live(store, 3, 4, 5, 6, 9)).toEqual([6, 9])
    })

    test('is void after the account was deactivated, even if it is activated again', async () => {
      const store = await withAdmin(open)
      const ida = await addUser(store)
      await issue(store, ida, 'password_reset', 1)
      for (const active of [false, true]) {
        await store.users.setActive('ida', active, BY_COMMAND_LINE)
        expect(await isLive(store, 'password_reset', 1)).toBe(false)
      }
    })
  })
}

/** Registers a user whose account has to be activated, which requires another active user. */
async function addPending(store: Store, username = 'ole'): Promise<UserId> {
  if (!(await store.users.anyActive())) await addAccount(store, 'admin', true)
  return (await store.users.register(newUser(username, `${username}@pods.example`), 'invite', undefined)).id
}

/** Creates a user for whom a token of this purpose is valid. */
function holderOf(store: Store, purpose: TokenPurpose): Promise<UserId> {
  return purpose === 'activation' ? addPending(store) : addUser(store)
}

function issue(
  { tokens }: Store,
  userId: UserId,
  purpose: TokenPurpose,
  n: number,
  { expiresAt = T + 1000, voidOlder = true } = {},
): Promise<boolean> {
  return tokens.issue({ userId, purpose, hash: tokenHash(n), expiresAt }, voidOlder)
}

function isLive({ tokens }: Store, purpose: TokenPurpose, n: number): Promise<boolean> {
  return tokens.isLive(purpose, tokenHash(n), T)
}

/** Returns those of the reset tokens `ns` that are valid. */
async function live(store: Store, ...ns: number[]): Promise<number[]> {
  const good = await Promise.all(ns.map((n) => isLive(store, 'password_reset', n)))
  return ns.filter((_, index) => good[index])
}
