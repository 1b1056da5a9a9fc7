import { describe, expect, test } from 'bun:test'
import type { IdentityKey } from '../../../../src/domain/accounts/ports/identities.ts'
import type { IdentityId, UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { addUser, BY_COMMAND_LINE, expectRefused, newUser, type OpenStore, T, withUsers } from '../fixtures.ts'

const HARBOUR = { issuer: 'https://id.harbour.example', subject: '24400320' }
/** The same subject at another provider, and another subject at the same one. */
const TIDE: IdentityKey = { issuer: 'https://id.tide.example', subject: '24400320' }
const NEIGHBOUR: IdentityKey = { ...HARBOUR, subject: '24400321' }

const OLE = { usernames: ['Ole'], emailKey: 'ole@pods.example', email: 'Ole@Pods.example', mayCreate: true }

const EVA = { usernames: ['Eva'], emailKey: 'eva@pods.example', email: 'Eva@Pods.example', mayCreate: true }

export function describeIdentities(open: OpenStore): void {
  const it = withUsers(open)
  describe('signing up by an identity', () => {
    it('creates an active account without a password, once', async ({ store }) => {
      const eva = await store.identities.signUp(HARBOUR, EVA, T)
      const user = { username: 'Eva', email: 'Eva@Pods.example', isAdmin: false, state: 'active' as const }
      expect(eva).toEqual({ id: eva.id, ...user })
      const stored = { id: eva.id, ...user, passwordHash: undefined, hasSecondFactor: false }
      expect(await store.users.findByName('eva')).toEqual(stored)
      expect(await store.identities.findUser(HARBOUR)).toEqual(eva)
      // Later data from the provider has no effect.
      const other = { usernames: ['kai'], emailKey: 'kai@x.example', email: 'kai@x.example', mayCreate: false }
      expect(await store.identities.signUp(HARBOUR, other, T + 5)).toEqual(eva)
      const { issuer, subject } = HARBOUR
      expect(await store.identities.list(eva.id)).toEqual([{ id: expect.any(Number), issuer, subject, createdAt: T }])
      // The domain checks whether the account is active.
      await store.users.setActive('eva', false, BY_COMMAND_LINE)
      expect(await store.identities.findUser(HARBOUR)).toMatchObject({ state: 'inactive' })
      expect(await store.identities.signUp(HARBOUR, EVA, T)).toMatchObject({ state: 'inactive' })
    })

    test('in concurrent requests creates one account', async () => {
      const store = open()
      const users = await Promise.all(Array.from({ length: 10 }, () => store.identities.signUp(HARBOUR, OLE, T)))
      expect(new Set(users.map(({ id }) => id)).size).toBe(1)
      expect(await store.users.list()).toHaveLength(1)
    })

    test('compares issuer and subject exactly', async () => {
      const store = open()
      await store.identities.signUp({ issuer: 'https://id.example', subject: 'a' }, OLE, T)
      for (const [issuer, subject] of [
        ['https://id.example', 'A'],
        ['https://id.example', 'a '],
        ['https://id.example/', 'a'],
        ['https://ID.example', 'a'],
        ['a', 'https://id.example'],
      ] as const)
        expect(await store.identities.findUser({ issuer, subject })).toBeUndefined()
    })

    test.each([
      ['creates an administrator while no user is active', false, true],
      ['creates no administrator once a user is active', true, false],
    ])('%s', async (_case, isActive, isAdmin) => {
      const store = open()
      await addUser(store, 'ida')
      await store.users.setActive('ida', isActive, BY_COMMAND_LINE)
      expect(await store.identities.signUp(HARBOUR, OLE, T)).toMatchObject({ isAdmin, state: 'active' })
    })

    test('creates one administrator from concurrent first users', async () => {
      const store = open()
      const several = [HARBOUR, TIDE, NEIGHBOUR].map((identity, n) =>
        store.identities.signUp(identity, { ...OLE, usernames: [`u${n}`], emailKey: undefined, email: undefined }, T),
      )
      expect((await Promise.all(several)).filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
    })

    test('takes the first free name, or creates nothing', async () => {
      const store = open()
      for (const name of ['OLE', 'ole-2']) await addUser(store, name)
      await expectRefused(store.identities.signUp(HARBOUR, OLE, T), 'username_taken')
      expect(await store.identities.findUser(HARBOUR)).toBeUndefined()
      const usernames = ['ole', 'Ole-2', 'Ole-3', 'Ole-4']
      expect(await store.identities.signUp(HARBOUR, { ...OLE, usernames }, T)).toMatchObject({ username: 'Ole-3' })
    })

    test('never takes over an account by its email address or name', async () => {
      const store = open()
      await store.users.create(newUser('ida', 'OLE@pods.example'), true, BY_COMMAND_LINE)
      const taken = store.identities.signUp(HARBOUR, { ...OLE, usernames: ['ida', 'ole'] }, T)
      await expectRefused(taken, 'email_taken')
      const account = { ...OLE, usernames: ['ida', 'ole'], emailKey: undefined, email: undefined }
      expect(await store.identities.signUp(HARBOUR, account, T)).toMatchObject({ username: 'ole', email: undefined })
    })

    test('is refused if it may not create accounts, except the first', async () => {
      const store = open()
      const closed = { ...OLE, mayCreate: false }
      expect(await store.identities.signUp(HARBOUR, closed, T)).toMatchObject({ isAdmin: true })
      const eva = { ...closed, usernames: ['eva'], emailKey: undefined, email: undefined }
      await expectRefused(store.identities.signUp(NEIGHBOUR, eva, T), 'registration_closed')
      // The email address of an existing account is reported first.
      await expectRefused(store.identities.signUp(NEIGHBOUR, closed, T), 'email_taken')
      expect(await store.users.list()).toHaveLength(1)
    })
  })

  describe('linking', () => {
    it('adds an identity per provider, and has no effect when repeated', async ({ store, ida }) => {
      await store.identities.link(ida, TIDE, T)
      await store.identities.link(ida, HARBOUR, T + 5)
      expect(await store.identities.list(ida)).toMatchObject([
        { ...TIDE, createdAt: T },
        { ...HARBOUR, createdAt: T + 5 },
      ])
      const before = await store.identities.list(ida)
      await store.identities.link(ida, HARBOUR, T + 9)
      expect(await store.identities.list(ida)).toEqual(before)
      for (const identity of [TIDE, HARBOUR])
        expect(await store.identities.findUser(identity)).toMatchObject({ id: ida })
    })

    it('refuses another user’s identity and a second one at the same provider', async ({ store, ida, ole }) => {
      await store.identities.link(ida, HARBOUR, T)
      const taken = 'identity_taken'
      await expectRefused(store.identities.link(ole, HARBOUR, T), taken)
      await expectRefused(store.identities.link(ida, NEIGHBOUR, T), taken)
      expect(await store.identities.findUser(HARBOUR)).toMatchObject({ id: ida })
      expect(await store.identities.findUser(NEIGHBOUR)).toBeUndefined()
    })

    it('of one identity to two accounts succeeds for one of them', async ({ store, ida, ole }) => {
      const outcomes = await Promise.allSettled([ida, ole].map((id) => store.identities.link(id, HARBOUR, T)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
  })

  describe('unlinking', () => {
    it('frees one’s own identity for another account', async ({ store, ida, ole }) => {
      const id = await link(store, ida, HARBOUR)
      await expectRefused(store.identities.unlink(ole, id), 'not_found')
      await store.identities.unlink(ida, id)
      await expectRefused(store.identities.unlink(ida, id), 'not_found')
      expect([await store.identities.findUser(HARBOUR), await store.identities.list(ida)]).toEqual([undefined, []])
      await store.identities.link(ole, HARBOUR, T)
      expect(await store.identities.findUser(HARBOUR)).toMatchObject({ id: ole })
    })

    test('is refused without a password, which would leave no way to sign in', async () => {
      const store = open()
      const { id: ole } = await store.identities.signUp(HARBOUR, OLE, T)
      for (const { id } of await store.identities.list(ole))
        await expectRefused(store.identities.unlink(ole, id), 'no_password')
      await store.users.create(newUser('ida'), true, BY_COMMAND_LINE)
      for (const isActive of [false, true]) await store.users.setActive('ole', isActive, BY_COMMAND_LINE)
      expect(await store.identities.findUser(HARBOUR)).toMatchObject({ id: ole, state: 'active' })
      await store.users.setPassword('ole', 'a hash', BY_COMMAND_LINE)
      for (const { id } of await store.identities.list(ole)) await store.identities.unlink(ole, id)
      expect(await store.identities.list(ole)).toEqual([])
    })
  })
}

/** Links an identity; returns its ID. */
async function link({ identities }: Store, userId: UserId, identity: IdentityKey): Promise<IdentityId> {
  await identities.link(userId, identity, T)
  const [linked] = await identities.list(userId)
  if (!linked) throw new Error('no identity')
  return linked.id
}
