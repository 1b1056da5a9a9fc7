import { describe, expect } from 'bun:test'
import type { AppPasswordId, SessionId, UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { BY_COMMAND_LINE, expectRefused, type OpenStore, T, tokenHash, withUsers } from '../fixtures.ts'

export function describeAppPasswords(open: OpenStore): void {
  const it = withUsers(open)

  describe('app passwords', () => {
    it('are found by hash, and listed for their user', async ({ store, ida, ole }) => {
      const session = await begin(store, ida, 1)
      const id = await make(store, ida, session, 1)
      const second = await make(store, ida, session, 2, 'read')
      expect(await store.appPasswords.find(tokenHash(2))).toMatchObject({
        id: second,
        scope: 'read',
        user: { id: ida, username: 'ida', passwordHash: 'hash of ida' },
      })
      expect(await store.appPasswords.find(tokenHash(3))).toBeUndefined()
      const unused = { createdAt: T, usedAt: undefined, client: undefined }
      expect(await store.appPasswords.list(ida, T)).toEqual([
        { id, name: 'app 1', scope: 'sync', ...unused },
        { id: second, name: 'app 2', scope: 'read', ...unused },
      ])
      expect(await store.appPasswords.list(ole, T)).toEqual([])
    })

    it('create sessions, which end with them', async ({ store, ida }) => {
      const browser = await begin(store, ida, 1)
      const id = await make(store, ida, browser, 1)
      const session = await begin(store, ida, 2, id)
      expect(await store.sessions.find(tokenHash(2))).toMatchObject({ appPassword: { id, scope: 'sync' } })
      expect(await store.appPasswords.list(ida, T)).toMatchObject([{ usedAt: T, client: 'AntennaPod' }])
      await store.sessions.touch(session, { usedAt: T + 90, expiresAt: T + 5000 })
      await store.sessions.touch(browser, { usedAt: T + 99, expiresAt: T + 5000 })
      expect(await store.appPasswords.list(ida, T)).toMatchObject([{ usedAt: T + 90, client: 'AntennaPod' }])
      await store.appPasswords.remove(ida, id)
      expect(await store.sessions.find(tokenHash(2))).toBeUndefined()
      await expectRefused(begin(store, ida, 3, id), 'invalid_credentials')
      expect(await store.sessions.find(tokenHash(1))).toBeDefined()
    })

    it('name sessions of apps without a User-Agent', async ({ store, ida }) => {
      const times = { at: T, expiresAt: T + 1000 }
      const id = await make(store, ida, await begin(store, ida, 1), 1)
      await begin(store, ida, 2, id)
      await store.sessions.create(ida, tokenHash(3), times, 100, { appPassword: id })
      await store.sessions.create(ida, tokenHash(4), times, 100)
      const clients = (await store.sessions.list(ida, T)).map(({ client }) => client)
      expect(clients).toEqual([undefined, 'app 1', 'AntennaPod', 'AntennaPod'])
    })

    it('are removed and used by their own user only', async ({ store, ida, ole }) => {
      const id = await make(store, ida, await begin(store, ida, 1), 1)
      await expectRefused(store.appPasswords.remove(ole, id), 'not_found')
      await expectRefused(begin(store, ole, 2, id), 'invalid_credentials')
    })

    it('are created by a live session, up to a hundred', async ({ store, ida, ole }) => {
      const session = await begin(store, ida, 1)
      await expectRefused(make(store, ole, session, 1), 'unauthorized')
      for (let n = 0; n < 99; n++) await make(store, ida, session, n)
      await flow(store, 201)
      await store.loginFlows.grant(tokenHash(1201), session, ida, T)
      await expectRefused(make(store, ida, session, 99), 'quota_exceeded')
      await flow(store, 202)
      await expectRefused(store.loginFlows.grant(tokenHash(1202), session, ida, T), 'quota_exceeded')
      await store.sessions.remove(session)
      await expectRefused(make(store, ida, session, 99), 'unauthorized')
    })

    it('outlive a change of the password, but not a reset or an administrator’s change', async ({ store, ida }) => {
      const ends: readonly (readonly [end: (session: SessionId) => Promise<unknown>, stays: boolean])[] = [
        [(session) => store.users.changePassword(ida, 'new hash', { session }, session), true],
        [() => store.users.setPassword('ida', 'new hash', BY_COMMAND_LINE), false],
        [() => reset(store, ida), false],
      ]
      for (const [n, [end, stays]] of ends.entries()) {
        const session = await begin(store, ida, 10 + n)
        await make(store, ida, session, n)
        await flow(store, 200 + n)
        await store.loginFlows.grant(tokenHash(1200 + n), session, ida, T)
        await end(session)
        expect((await store.appPasswords.find(tokenHash(n))) !== undefined).toBe(stays)
        expect((await store.loginFlows.find(tokenHash(1200 + n), T)) !== undefined).toBe(stays)
      }
    })

    it('stay while their user is deactivated, and are removed with the account', async ({ store, ida }) => {
      const session = await begin(store, ida, 1)
      await make(store, ida, session, 1)
      await flow(store, 201)
      await store.loginFlows.grant(tokenHash(1201), session, ida, T)
      await store.users.setActive('ida', false, BY_COMMAND_LINE)
      expect(await store.appPasswords.find(tokenHash(1))).toMatchObject({ user: { state: 'inactive' } })
      expect(await store.appPasswords.list(ida, T)).toHaveLength(1)
      expect(await store.loginFlows.findByPoll(tokenHash(201), T)).toBeUndefined()
      await store.users.remove('ida', BY_COMMAND_LINE)
      expect(await store.appPasswords.find(tokenHash(1))).toBeUndefined()
    })
  })

  describe('login flows', () => {
    it('are found by either hash until they expire', async ({ store }) => {
      await flow(store, 1)
      const waiting = { userAgent: 'AntennaPod/3.8.0', isGranted: false }
      expect(await store.loginFlows.find(tokenHash(1001), T + 99)).toEqual(waiting)
      expect(await store.loginFlows.findByPoll(tokenHash(1), T + 99)).toEqual(waiting)
      for (const [page, poll, at] of [
        [1001, 1, T + 100],
        [1, 1001, T],
      ] as const) {
        expect(await store.loginFlows.find(tokenHash(page), at)).toBeUndefined()
        expect(await store.loginFlows.findByPoll(tokenHash(poll), at)).toBeUndefined()
      }
    })

    it('are granted by one user and collected once', async ({ store, ida, ole }) => {
      const [session, other] = [await begin(store, ida, 1), await begin(store, ole, 2)]
      await flow(store, 1)
      const collect = () => store.loginFlows.collect(tokenHash(1), tokenHash(7), T + 9)
      expect(await collect()).toBeUndefined()
      await expectRefused(store.loginFlows.grant(tokenHash(1001), other, ida, T), 'unauthorized')
      for (let n = 0; n < 2; n++) await store.loginFlows.grant(tokenHash(1001), session, ida, T)
      await expectRefused(store.loginFlows.grant(tokenHash(1001), other, ole, T), 'not_found')
      await expectRefused(store.loginFlows.grant(tokenHash(1001), session, ida, T + 100), 'not_found')
      expect(await store.loginFlows.findByPoll(tokenHash(1), T)).toMatchObject({ isGranted: true })
      const collected = await Promise.all([collect(), collect()])
      expect(collected.filter((user) => user !== undefined)).toMatchObject([{ username: 'ida' }])
      expect(await store.appPasswords.find(tokenHash(7))).toMatchObject({ user: { id: ida }, scope: 'sync' })
      expect(await store.loginFlows.findByPoll(tokenHash(1), T)).toBeUndefined()
    })

    it('appear as app passwords once granted, and keep their ID', async ({ store, ida, ole }) => {
      const session = await begin(store, ida, 1)
      await flow(store, 1)
      expect(await store.appPasswords.list(ida, T)).toEqual([])
      await store.loginFlows.grant(tokenHash(1001), session, ida, T)
      const granted = await store.appPasswords.list(ida, T + 99)
      const unused = { scope: 'sync', createdAt: T, usedAt: undefined, client: undefined } as const
      expect(granted).toEqual([{ id: expect.any(Number), name: 'AntennaPod/3.8.0', ...unused }])
      expect(await store.appPasswords.list(ole, T)).toEqual([])
      await store.loginFlows.collect(tokenHash(1), tokenHash(7), T + 9)
      expect(await store.appPasswords.list(ida, T + 200)).toEqual(granted)
    })

    it('end when their app password is removed', async ({ store, ida }) => {
      const session = await begin(store, ida, 1)
      await flow(store, 1)
      await store.loginFlows.grant(tokenHash(1001), session, ida, T)
      for (const { id } of await store.appPasswords.list(ida, T)) await store.appPasswords.remove(ida, id)
      expect(await store.loginFlows.find(tokenHash(1001), T)).toBeUndefined()
      expect(await store.loginFlows.collect(tokenHash(1), tokenHash(7), T)).toBeUndefined()
      expect(await store.appPasswords.list(ida, T)).toEqual([])
    })

    it('are refused if too many are pending', async ({ store }) => {
      for (let n = 1; n <= 3; n++) await flow(store, n, 3)
      await expectRefused(flow(store, 4, 3), 'unavailable')
      await flow(store, 4, 4)
      const found = await Promise.all([1, 2, 3, 4].map((n) => store.loginFlows.findByPoll(tokenHash(n), T)))
      expect(found.map((each) => each?.isGranted)).toEqual([false, false, false, false])
      await flow(store, 5, 1, T + 100)
      expect(await store.loginFlows.findByPoll(tokenHash(5), T + 100)).toBeDefined()
    })
  })
}

const begin = ({ sessions }: Store, userId: UserId, n: number, appPassword?: AppPasswordId) =>
  sessions.create(userId, tokenHash(n), { at: T, expiresAt: T + 1000, client: 'AntennaPod' }, 100, { appPassword })

const make = (store: Store, userId: UserId, session: SessionId, n: number, scope: 'sync' | 'read' = 'sync') =>
  store.appPasswords.create(session, userId, { name: `app ${n}`, scope, hash: tokenHash(n), at: T })

/** Begins a flow whose app polls with hash `n`; its page has hash 1000 + `n`. */
const flow = ({ loginFlows }: Store, n: number, max = 100, at = T) =>
  loginFlows.begin(
    { pollHash: tokenHash(n), pageHash: tokenHash(1000 + n), userAgent: 'AntennaPod/3.8.0', expiresAt: at + 100 },
    max,
    at,
  )

async function reset({ tokens }: Store, userId: UserId): Promise<void> {
  const hash = tokenHash(5000)
  await tokens.issue({ userId, purpose: 'password_reset', hash, expiresAt: T + 1 }, false)
  await tokens.resetPassword(hash, T, 'reset hash')
}
