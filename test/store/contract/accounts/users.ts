import { describe, expect, test } from 'bun:test'
import type { RegistrationMode } from '../../../../src/domain/accounts/ports/users.ts'
import type { Store } from '../../../../src/store/stores.ts'
import {
  A,
  action,
  addAccount,
  addDevices,
  addUser,
  B,
  BY_COMMAND_LINE,
  change,
  expectRefused,
  index,
  listActions,
  liveSessions,
  newUser,
  type OpenStore,
  report,
  startSession,
  T,
  tokenHash,
  withAdmin,
  withUsers,
} from '../fixtures.ts'

const MODES: readonly RegistrationMode[] = ['open', 'closed', 'invite']

export function describeUsers(open: OpenStore): void {
  const it = withUsers(open)
  describe('registration', () => {
    test.each(MODES)('makes the first user an active administrator in mode %s', async (mode) => {
      const { users } = open()
      expect(await users.anyActive()).toBe(false)
      expect(await users.register(newUser('ida', 'ida@pods.example'), mode, undefined)).toEqual({
        id: expect.any(Number),
        username: 'ida',
        email: 'ida@pods.example',
        isAdmin: true,
        state: 'active',
      })
      expect(await users.anyActive()).toBe(true)
    })

    test.each(MODES)('makes one administrator of several first users at once in mode %s', async (mode) => {
      const { users } = open()
      await Promise.allSettled(
        ['ida', 'ole', 'eva', 'kai'].map((name) => users.register(newUser(name), mode, undefined)),
      )
      expect((await users.list()).filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
    })

    test('makes later users active, pending or refuses them, by mode', async () => {
      const { users } = open()
      await users.register(newUser('ida'), 'open', undefined)
      expect(await users.register(newUser('ole'), 'open', undefined)).toMatchObject({ isAdmin: false, state: 'active' })
      const eva = await users.register(newUser('eva', 'eva@pods.example'), 'invite', undefined)
      expect(eva).toMatchObject({ isAdmin: false, state: 'pending_activation' })
      expect(await users.setActive('eva', true, BY_COMMAND_LINE)).toMatchObject({ state: 'active' })
      await expectRefused(users.register(newUser('kai'), 'invite', undefined), 'validation_failed')
      await expectRefused(users.register(newUser('kai'), 'closed', undefined), 'registration_closed')
      expect(await users.findByName('kai')).toBeUndefined()
    })

    test('makes the next user an administrator if all users are inactive', async () => {
      const { users } = open()
      await users.create(newUser('ida'), false, BY_COMMAND_LINE)
      await users.setActive('ida', false, BY_COMMAND_LINE)
      expect(await users.anyActive()).toBe(false)
      expect(await users.register(newUser('ole'), 'closed', undefined)).toMatchObject({
        isAdmin: true,
        state: 'active',
      })
    })
  })

  describe('names and addresses', () => {
    test.each([
      ['a name in another case', newUser('IDA'), 'username_taken'],
      ['an address in another case', newUser('ole', 'IDA@pods.example'), 'email_taken'],
      ['a name and an address, because of the name', newUser('ida', 'ida@pods.example'), 'username_taken'],
    ] as const)('cannot be taken twice: %s', async (_case, taken, word) => {
      const { users } = open()
      await users.create(newUser('Ida', 'Ida@pods.example'), true, BY_COMMAND_LINE)
      await expectRefused(users.register(taken, 'open', undefined), word)
      await expectRefused(users.create(taken, false, BY_COMMAND_LINE), word)
      expect(await users.list()).toHaveLength(1)
    })

    test('are found in any case and kept as typed', async () => {
      const { users } = open()
      await users.create(newUser('Ida'), true, BY_COMMAND_LINE)
      expect(await users.findByName('iDA')).toMatchObject({ username: 'Ida', passwordHash: 'hash of Ida' })
      expect(await users.findByName('idah')).toBeUndefined()
      // Case folding is limited to ASCII. Any number of users may have no address.
      expect(await users.create(newUser('kasts'), false, BY_COMMAND_LINE)).toMatchObject({ email: undefined })
      expect(await users.findByName('\u212aasts')).toBeUndefined()
      for (const name of ['ida\0', 'i\0da', 'ida\ud800']) expect(await users.findByName(name)).toBeUndefined()
    })
  })

  test('the list of users is sorted by name, with the number of devices and feeds', async () => {
    const store = open()
    await addAccount(store, 'ole', true)
    const ida = await addUser(store, 'Ida')
    await change(store, ida, 'phone', { add: [A, B] })
    await change(store, ida, 'desk', { add: [A] })
    await change(store, ida, 'desk', { remove: [A] })
    await change(store, ida, 'phone', { remove: [B] })
    expect(await store.users.list()).toMatchObject([
      { username: 'Ida', devices: 2, subscriptions: 1 },
      { username: 'ole', devices: 0, subscriptions: 0 },
    ])
  })

  it('a new password ends all sessions of the user except one', async ({ store, ida, ole }) => {
    const kept = await startSession(store, ida, 1)
    await startSession(store, ida, 2)
    await startSession(store, ole, 3)
    await store.users.setPassword('IDA', 'new hash', BY_COMMAND_LINE, kept)
    expect(await store.users.findByName('ida')).toMatchObject({ passwordHash: 'new hash' })
    expect(await liveSessions(store, 1, 2, 3)).toEqual([1, 3])
    await store.users.setPassword('ida', 'newer hash', BY_COMMAND_LINE)
    expect(await liveSessions(store, 1, 2, 3)).toEqual([3])
  })

  describe('the last active administrator', () => {
    const harm: [string, (store: Store, name: string) => Promise<unknown>][] = [
      ['removed', ({ users }, name) => users.remove(name, BY_COMMAND_LINE)],
      ['deactivated', ({ users }, name) => users.setActive(name, false, BY_COMMAND_LINE)],
      ['demoted', ({ users }, name) => users.setAdmin(name, false, BY_COMMAND_LINE)],
      [
        'removed by its owner',
        async ({ users }, name) => {
          const { id } = (await users.findByName(name)) ?? {}
          const proof = { verifiedHash: `hash of ${name}` }
          return id && users.removeOwn(id, proof, BY_COMMAND_LINE)
        },
      ],
    ]

    test.each(harm)('cannot be %s', async (_way, harmIt) => {
      const store = open()
      await addAccount(store, 'ida', true)
      await addAccount(store, 'ole')
      await addAccount(store, 'eva', true)
      await store.users.setActive('eva', false, BY_COMMAND_LINE)
      await expectRefused(harmIt(store, 'ida'), 'last_admin')
      expect(await store.users.findByName('ida')).toMatchObject({ isAdmin: true, state: 'active' })
      await store.users.setAdmin('ole', true, BY_COMMAND_LINE)
      await harmIt(store, 'ida')
      await expectRefused(harmIt(store, 'ole'), 'last_admin')
    })
  })

  it('a deactivated user loses only the sessions', async ({ store, ida }) => {
    await change(store, ida, 'phone', { add: [A] })
    await startSession(store, ida, 1)
    expect(await store.users.setActive('ida', false, BY_COMMAND_LINE)).toMatchObject({ state: 'inactive' })
    expect(await liveSessions(store, 1)).toEqual([])
    expect(await store.users.setActive('ida', true, BY_COMMAND_LINE)).toMatchObject({ state: 'active' })
    expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([A])
  })

  test('changes to an unknown user are refused', async () => {
    const { users } = open()
    await expectRefused(users.setPassword('nobody', 'hash', BY_COMMAND_LINE), 'unknown_user')
    await expectRefused(users.setAdmin('nobody', true, BY_COMMAND_LINE), 'unknown_user')
    await expectRefused(users.setActive('nobody', true, BY_COMMAND_LINE), 'unknown_user')
    await expectRefused(users.remove('nobody', BY_COMMAND_LINE), 'unknown_user')
  })

  test('a removed user loses everything, and other users nothing', async () => {
    const store = await withAdmin(open)
    const ids = { ida: await addUser(store, 'ida'), ole: await addUser(store, 'ole') }
    for (const [n, id] of Object.values(ids).entries()) {
      await change(store, id, 'phone', { add: [A] })
      await addDevices(store, id, 'desk')
      await store.syncGroups.regroup(id, { synchronize: [['phone', 'desk']], stop: [] }, T)
      await report(store, id, [action({ device: 'phone' })])
      await startSession(store, id, n)
    }
    await store.users.remove('IDA', BY_COMMAND_LINE)

    expect(await store.users.findByName('ida')).toBeUndefined()
    expect(await liveSessions(store, 0, 1)).toEqual([1])
    const { ida } = ids
    const setting = { scope: 'account', target: '' } as const
    const chapters = { add: [{ start: 1, end: 2, label: '', isAdvertisement: false }], remove: [], device: undefined }
    const attempts = [
      () => store.subscriptions.listDevice(ida, 'phone'),
      () => change(store, ida, 'phone', { add: [B] }),
      () => report(store, ida, [action()]),
      () => store.settings.read(ida, setting),
      () => store.settings.change(ida, setting, { set: { a: 1 }, remove: [] }, T),
      () => store.chapters.list(ida, A, 0),
      () => store.chapters.change(ida, A, chapters, { at: T, seenUntil: undefined }),
      () => store.podcastLists.create(ida, { name: 'sea', title: 'Sea', urls: [A] }, T),
      () => store.identities.link(ida, { issuer: 'https://id.example', subject: '1' }, T),
    ]
    for (const attempt of attempts) await expectRefused(attempt(), 'unauthorized')
    const token = { userId: ida, purpose: 'password_reset', hash: tokenHash(9), expiresAt: T + 1 } as const
    expect(await store.tokens.issue(token, true)).toBe(false)

    expect(await store.subscriptions.listDevice(ids.ole, 'desk')).toEqual([A])
    expect((await store.syncGroups.status(ids.ole)).synchronized).toEqual([['phone', 'desk']])
    expect(await listActions(store, ids.ole)).toHaveLength(1)
    await index(store)
    expect(await store.subscriptions.listUser(ids.ole)).toMatchObject([{ url: A, subscribers: 1 }])

    const again = await addUser(store, 'ida')
    expect(await store.devices.list(again)).toEqual([])
    expect(await listActions(store, again)).toEqual([])
  })
}
