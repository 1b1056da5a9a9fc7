import { describe, expect } from 'bun:test'
import type { SessionId, UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { BY_COMMAND_LINE, expectRefused, type OpenStore, startSession, T, tokenHash, withUsers } from '../fixtures.ts'

const SECRET = new Uint8Array(20).fill(7)
const OTHER_SECRET = new Uint8Array(20).fill(8)
const BY_PASSWORD = { verifiedHash: 'hash of ida' }
const CODES = [tokenHash(101), tokenHash(102)]
const FACTOR = { secret: SECRET, lastStep: 5, at: T }

async function enable(store: Store, userId: UserId): Promise<SessionId> {
  const session = await startSession(store, userId, 1)
  await store.secondFactors.enable(userId, FACTOR, CODES, BY_PASSWORD, session)
  return session
}

export function describeSecondFactors(open: OpenStore): void {
  const it = withUsers(open)
  describe('a second factor', () => {
    it('ends all sessions except the one that enabled it', async ({ store, ida, ole }) => {
      const others = [await startSession(store, ida, 2), await startSession(store, ole, 3)]
      expect(await store.secondFactors.find(ida)).toBeUndefined()
      const session = await enable(store, ida)
      const found = await store.secondFactors.find(ida)
      expect(found).toMatchObject({ lastStep: 5, createdAt: T, recoveryCodes: 2 })
      expect([...(found?.secret ?? [])]).toEqual([...SECRET])
      expect((await store.sessions.list(ida, T)).map(({ id }) => id)).toEqual([session])
      expect((await store.sessions.list(ole, T)).map(({ id }) => id)).toEqual(others.slice(1))
      expect(await store.users.findByName('ida')).toMatchObject({ hasSecondFactor: true })
      expect(await store.users.summary('ida')).toMatchObject({ hasSecondFactor: true })
      expect(await store.users.findByName('ole')).toMatchObject({ hasSecondFactor: false })
    })

    it('is not enabled twice, or if password or session have changed', async ({ store, ida, ole }) => {
      const { secondFactors } = store
      const session = await startSession(store, ida, 1)
      const elsewhere = await startSession(store, ole, 2)
      const on = (proof = BY_PASSWORD, keep = session) => secondFactors.enable(ida, FACTOR, CODES, proof, keep)
      await expectRefused(on({ verifiedHash: 'another hash' }), 'wrong_password')
      await expectRefused(on(BY_PASSWORD, elsewhere), 'unauthorized')
      expect(await secondFactors.find(ida)).toBeUndefined()
      await on()
      await expectRefused(on(), 'second_factor_exists')
    })

    it('is required for a session by password, even if that was verified before', async ({ store, ida }) => {
      await enable(store, ida)
      await expectRefused(startSession(store, ida, 2, BY_PASSWORD), 'second_factor_required')
      await expectRefused(
        startSession(store, ida, 2, { ...BY_PASSWORD, secondFactor: false }),
        'second_factor_required',
      )
      await startSession(store, ida, 3, { ...BY_PASSWORD, secondFactor: true })
      // Single sign-on needs no second factor.
      await startSession(store, ida, 4)
    })

    it('accepts each step once, no earlier one, and only for its own secret', async ({ store, ida, ole }) => {
      const { secondFactors } = store
      await enable(store, ida)
      const use = (step: number, userId = ida, secret = SECRET) => secondFactors.useStep(userId, secret, step)
      expect([await use(5), await use(4), await use(7, ole), await use(7, ida, OTHER_SECRET)]).toEqual([
        false,
        false,
        false,
        false,
      ])
      expect([await use(7), await use(7), await use(6), await use(8)]).toEqual([true, false, false, true])
    })

    it('accepts each recovery code once, until they are replaced', async ({ store, ida, ole }) => {
      const { secondFactors } = store
      await enable(store, ida)
      const use = (number: number, userId = ida) => secondFactors.useRecoveryCode(userId, tokenHash(number))
      expect([await use(101, ole), await use(103), await use(101), await use(101)]).toEqual([false, false, true, false])
      const renew = (secret: Uint8Array, proof = BY_PASSWORD) =>
        secondFactors.replaceRecoveryCodes(ida, secret, [tokenHash(103)], proof)
      await expectRefused(renew(OTHER_SECRET), 'no_second_factor')
      await expectRefused(renew(SECRET, { verifiedHash: 'another hash' }), 'wrong_password')
      await renew(SECRET)
      expect([await use(102), await use(103)]).toEqual([false, true])
      expect(await secondFactors.find(ida)).toMatchObject({ recoveryCodes: 0 })
    })

    it('is disabled by its owner, or reset by an administrator with an audit entry', async ({ store, ida }) => {
      const { secondFactors, audit } = store
      await enable(store, ida)
      await expectRefused(secondFactors.disable(ida, OTHER_SECRET, BY_PASSWORD), 'no_second_factor')
      await expectRefused(secondFactors.disable(ida, SECRET, { verifiedHash: 'another hash' }), 'wrong_password')
      await secondFactors.disable(ida, SECRET, BY_PASSWORD)
      expect(await secondFactors.find(ida)).toBeUndefined()
      expect(await secondFactors.useRecoveryCode(ida, tokenHash(101))).toBe(false)
      await expectRefused(secondFactors.reset('ida', BY_COMMAND_LINE), 'no_second_factor')
      await expectRefused(secondFactors.reset('nobody', BY_COMMAND_LINE), 'unknown_user')
      await secondFactors.enable(ida, FACTOR, CODES, BY_PASSWORD, await startSession(store, ida, 9))
      expect(await secondFactors.reset('IDA', BY_COMMAND_LINE)).toMatchObject({ username: 'ida' })
      expect(await store.users.findByName('ida')).toMatchObject({ hasSecondFactor: false })
      const { entries } = await audit.page(0, 1)
      expect(entries).toMatchObject([{ action: 'second_factor_reset', target: 'ida' }])
    })
  })
}
