import { describe, expect, test } from 'bun:test'
import type { SessionId, UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { BY_COMMAND_LINE, expectRefused, type OpenStore, T, tokenHash, withTwo, withUsers } from '../fixtures.ts'

export function describeSessions(open: OpenStore): void {
  const it = withUsers(open)
  describe('sessions', () => {
    it('are found by the hash of their token, with their user', async ({ store, ida }) => {
      const id = await login(store, ida, 1, T)
      expect(await store.sessions.find(tokenHash(1))).toEqual({
        id,
        user: { id: ida, username: 'ida', email: undefined, isAdmin: false, state: 'active' },
        createdAt: T,
        usedAt: T,
        expiresAt: T + 1000,
        appPassword: undefined,
      })
      expect(await store.sessions.find(tokenHash(2))).toBeUndefined()
      // The domain checks whether a session has expired.
      await login(store, ida, 2, 0)
      expect(await store.sessions.find(tokenHash(2))).toMatchObject({ expiresAt: 1000 })
    })

    test.each([
      ['gone', (store: Store) => store.users.remove('ida', BY_COMMAND_LINE)],
      ['deactivated', (store: Store) => store.users.setActive('ida', false, BY_COMMAND_LINE)],
    ])('are not created for a user who is %s', async (_how, end) => {
      const { store, ida } = await withTwo(open)
      await end(store)
      await expectRefused(login(store, ida, 1, T), 'unauthorized')
      expect(await store.sessions.find(tokenHash(1))).toBeUndefined()
    })

    it('are not created by a password that was changed after it was verified', async ({ store, ida }) => {
      const times = { at: T, expiresAt: T + 1000 }
      await store.users.setPassword('ida', 'another hash', BY_COMMAND_LINE)
      await expectRefused(
        store.sessions.create(ida, tokenHash(1), times, 100, { verifiedHash: 'hash of ida' }),
        'invalid_credentials',
      )
      await store.sessions.create(ida, tokenHash(2), times, 100, { verifiedHash: 'another hash' })
      expect(await live(store, 2)).toEqual([2])
    })
  })

  describe('the sessions of a user', () => {
    it('are listed without expired ones, last used first, with their clients', async ({ store, ida, ole }) => {
      const phone = { at: T, expiresAt: T + 1000, client: 'AntennaPod' }
      const first = await store.sessions.create(ida, tokenHash(1), phone, 100)
      const second = await login(store, ida, 2, T + 5)
      await login(store, ida, 3, T - 1000)
      await login(store, ole, 4, T)
      const listed = [
        { id: second, createdAt: T + 5, usedAt: T + 5, expiresAt: T + 1005, client: undefined },
        { id: first, createdAt: T, usedAt: T, expiresAt: T + 1000, client: 'AntennaPod' },
      ]
      expect(await store.sessions.list(ida, T)).toEqual(listed)
      await store.sessions.touch(first, { usedAt: T + 9, expiresAt: T + 2000 })
      expect((await store.sessions.list(ida, T)).map(({ id }) => id)).toEqual([first, second])
    })

    it('are ended one at a time, but only by that user', async ({ store, ida, ole }) => {
      const id = await login(store, ida, 1, T)
      await login(store, ida, 2, T)
      await expectRefused(store.sessions.removeOwn(ole, id), 'not_found')
      expect(await live(store, 2)).toEqual([1, 2])
      await store.sessions.removeOwn(ida, id)
      expect(await live(store, 2)).toEqual([2])
      await expectRefused(store.sessions.removeOwn(ida, id), 'not_found')
    })

    it('are ended except one, or all', async ({ store, ida, ole }) => {
      const keep = await login(store, ida, 1, T)
      for (const n of [2, 3]) await login(store, ida, n, T)
      const last = await login(store, ole, 4, T)
      await store.sessions.removeOthers(ida, keep)
      expect(await live(store, 4)).toEqual([1, 4])
      await store.sessions.removeOthers(ida, undefined)
      expect(await live(store, 4)).toEqual([4])
      await store.sessions.remove(last)
      // Removing it twice is not an error.
      await store.sessions.remove(last)
      expect(await live(store, 4)).toEqual([])
    })
  })

  describe('beyond the maximum of sessions', () => {
    it('the user’s least recently used one ends', async ({ store, ida, ole }) => {
      const oldest = await login(store, ida, 1, T + 1, 3)
      for (const n of [2, 3]) await login(store, ida, n, T + n, 3)
      await login(store, ole, 100, T - 1000, 3)
      await store.sessions.touch(oldest, { usedAt: T + 10, expiresAt: T + 1000 })
      await login(store, ida, 4, T + 11, 3)
      expect(await live(store, 4)).toEqual([1, 3, 4])
      await login(store, ida, 5, T + 12, 3)
      expect(await live(store, 5)).toEqual([1, 4, 5])
      expect(await store.sessions.find(tokenHash(100))).toBeDefined()
    })

    it('the last ten sign-ins stay, even if all other sessions were used later', async ({ store, ida }) => {
      for (let n = 1; n <= 12; n++) {
        const id = await login(store, ida, n, T, 12)
        await store.sessions.touch(id, { usedAt: T + n, expiresAt: T + 1000 })
      }
      for (let n = 13; n <= 22; n++) await login(store, ida, n, T + n, 12)
      expect(await live(store, 22)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22])
    })

    it('a new session stays, even if the clock was set back', async ({ store, ida }) => {
      for (const n of [1, 2, 3]) await login(store, ida, n, T + n, 3)
      await login(store, ida, 4, T - 86_400, 3)
      expect(await live(store, 4)).toContain(4)
    })
  })
}

/** Signs in at `at`, keeping at most `max` sessions. */
function login(store: Store, userId: UserId, n: number, at: number, max = 100): Promise<SessionId> {
  return store.sessions.create(userId, tokenHash(n), { at, expiresAt: at + 1000 }, max)
}

/** Which of the sessions 1 to `last` can be found. */
async function live(store: Store, last: number): Promise<number[]> {
  const found: number[] = []
  for (let n = 1; n <= last; n++) if (await store.sessions.find(tokenHash(n))) found.push(n)
  return found
}
