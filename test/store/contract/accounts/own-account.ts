import { describe, expect, test } from 'bun:test'
import type { PasswordProof } from '../../../../src/domain/accounts/ports/users.ts'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import {
  addAccount,
  BY_COMMAND_LINE,
  expectRefused,
  newUser,
  type OpenStore,
  startSession,
  T,
  tokenHash,
  withAdmin,
} from '../fixtures.ts'

const OLD = 'ida@pods.example'
const NEW = 'ida@harbour.example'
const BY_PASSWORD: PasswordProof = { verifiedHash: 'hash of ida' }

/** Opens a store with the user ida, who has an email address and a session. */
async function openAccount(open: OpenStore) {
  const store = await withAdmin(open)
  const { id } = await store.users.create(newUser('ida', OLD), false, BY_COMMAND_LINE)
  const session = await startSession(store, id, 1)
  return { store, id, bySession: { session } as const }
}

export function describeOwnAccount(open: OpenStore): void {
  type Act = (store: Store, id: UserId, proof: PasswordProof) => Promise<void>

  describe.each<[string, Act]>([
    ['a change of the address', ({ users }, id, proof) => users.changeEmail(id, NEW, proof)],
    ['a removal', ({ users }, id, proof) => users.removeOwn(id, proof, BY_COMMAND_LINE)],
  ])('%s by its owner', (_name, act) => {
    test('is allowed by the password and by the session', async () => {
      for (const way of ['password', 'session']) {
        const { store, id, bySession } = await openAccount(open)
        await act(store, id, way === 'session' ? bySession : BY_PASSWORD)
        expect((await store.users.findByName('ida'))?.email).not.toBe(OLD)
      }
    })

    test('is refused if the password was changed after it was verified', async () => {
      const { store, id } = await openAccount(open)
      await store.users.setPassword('ida', 'another hash', BY_COMMAND_LINE)
      await expectRefused(act(store, id, BY_PASSWORD), 'wrong_password')
      expect(await store.users.findByName('ida')).toMatchObject({ email: OLD })
    })

    test('is refused if the session has ended or is another user’s', async () => {
      const { store, id, bySession } = await openAccount(open)
      const other = await addAccount(store, 'ole')
      const session = await startSession(store, other.id, 2)
      await store.sessions.remove(bySession.session)
      for (const proof of [bySession, { session }]) await expectRefused(act(store, id, proof), 'unauthorized')
      expect(await store.users.findByName('ida')).toMatchObject({ email: OLD })
    })

    test('is refused if the account was removed, even if the name was taken again', async () => {
      const { store, id, bySession } = await openAccount(open)
      await store.users.remove('ida', BY_COMMAND_LINE)
      await store.users.create(newUser('ida', OLD), false, BY_COMMAND_LINE)
      for (const proof of [BY_PASSWORD, bySession]) await expectRefused(act(store, id, proof), 'unauthorized')
      expect(await store.users.findByName('ida')).toMatchObject({ email: OLD, state: 'active' })
    })
  })

  describe('the email address of an account', () => {
    test('can be changed or removed, but not to another user’s', async () => {
      const { store, id } = await openAccount(open)
      await store.users.changeEmail(id, 'Ida@Harbour.example', BY_PASSWORD)
      expect(await store.users.findByEmail(NEW)).toMatchObject({ id, email: 'Ida@Harbour.example' })
      expect(await store.users.findByEmail(OLD)).toBeUndefined()
      await store.users.changeEmail(id, undefined, BY_PASSWORD)
      expect(await store.users.findByEmail(NEW)).toBeUndefined()
      expect(await store.users.findByName('ida')).toMatchObject({ email: undefined })
      await store.users.create(newUser('eva', 'Eva@Pods.example'), false, BY_COMMAND_LINE)
      await expectRefused(store.users.changeEmail(id, 'eva@PODS.example', BY_PASSWORD), 'email_taken')
    })

    test('cancels password resets when it changes', async () => {
      const { store, id } = await openAccount(open)
      const hash = tokenHash(7)
      await store.tokens.issue({ userId: id, purpose: 'password_reset', hash, expiresAt: T + 100 }, true)
      await store.mails.request({ purpose: 'password_reset', emailKey: OLD, language: 'en' }, T)
      await store.mails.request({ purpose: 'password_reset', emailKey: 'eva@pods.example', language: 'en' }, T)
      await store.users.changeEmail(id, OLD.toUpperCase(), BY_PASSWORD)
      expect(await store.tokens.isLive('password_reset', hash, T)).toBe(true)
      await store.users.changeEmail(id, NEW, BY_PASSWORD)
      expect(await store.tokens.isLive('password_reset', hash, T)).toBe(false)
      expect((await store.mails.waiting(10)).mails).toMatchObject([{ emailKey: 'eva@pods.example' }])
      expect(await store.sessions.find(tokenHash(1))).toBeDefined()
    })
  })
}
