import { describe, expect, test } from 'bun:test'
import type { WaitingMail } from '../../../../src/domain/accounts/ports/mail.ts'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { BY_COMMAND_LINE, newUser, type OpenStore, T, tokenHash, withAdmin } from '../fixtures.ts'

const OLE = 'ole@pods.example'

export function describeMails(open: OpenStore): void {
  describe('pending mails', () => {
    test('are due at once, one of each kind per address', async () => {
      const { mails } = open()
      expect(await mails.request({ purpose: 'password_reset', emailKey: OLE, language: 'fr' }, T)).toBe(true)
      expect(await mails.listDue(T - 1, 10)).toEqual([])
      expect(await mails.listDue(T, 10)).toEqual([
        {
          id: expect.any(Number),
          purpose: 'password_reset',
          emailKey: OLE,
          language: 'fr',
          requestedAt: T,
          attempts: 0,
          nextAttemptAt: T,
          lastError: undefined,
        },
      ])
      expect(await mails.request({ purpose: 'activation', emailKey: OLE, language: 'en' }, T)).toBe(true)
      expect((await mails.listDue(T, 10)).map(({ purpose }) => purpose)).toEqual(['password_reset', 'activation'])
      // A repeated request may have another language.
      await mails.request({ purpose: 'password_reset', emailKey: OLE, language: 'it' }, T)
      expect((await mails.listDue(T, 10)).map(({ language }) => language)).toEqual(['it', 'en'])
    })

    test('are sent by due time up to a limit, and listed from the oldest, due or not', async () => {
      const store = open()
      for (const [n, at] of [T + 2, T, T + 1, T].entries()) await request(store, n, at)
      expect(await dueNumbers(store, T + 2)).toEqual([1, 3, 2, 0])
      expect(await dueNumbers(store, T + 1)).toEqual([1, 3, 2])
      expect(await dueNumbers(store, T + 2, 2)).toEqual([1, 3])
      const { total, mails } = await store.mails.waiting(2)
      expect([total, mails.map(numberOf)]).toEqual([4, [0, 1]])
    })

    test('are postponed after a failure, with its cause', async () => {
      const store = open()
      await request(store, 1)
      for (const n of [1, 2]) {
        await store.mails.postpone(await only(store), T + n * 60, `cause ${n}`)
        expect(await dueNumbers(store, T + n * 60 - 1)).toEqual([])
        expect(await only(store)).toMatchObject({ attempts: n, nextAttemptAt: T + n * 60, lastError: `cause ${n}` })
        expect(await dueNumbers(store, T + n * 60)).toEqual([1])
      }
    })

    test('can be removed twice', async () => {
      const store = open()
      for (const n of [1, 2]) await request(store, n)
      const [mail] = await store.mails.listDue(T, 1)
      if (!mail) throw new Error('no mail')
      for (let n = 0; n < 2; n++) await store.mails.remove(mail)
      expect(await dueNumbers(store)).toEqual([2])
    })

    test('start over when requested again, even while being sent', async () => {
      const store = open()
      await request(store, 1)
      const taken = await only(store)
      await store.mails.postpone(taken, T + 3600, 'a cause')
      await request(store, 1, T + 5)
      const renewed = { requestedAt: T + 5, attempts: 0, nextAttemptAt: T + 5, lastError: undefined }
      expect(await only(store)).toMatchObject(renewed)
      await store.mails.postpone(taken, T + 3600, 'a cause')
      await store.mails.remove(taken)
      expect(await only(store)).toMatchObject(renewed)
    })

    test('are limited in number, but one that is pending may start over', async () => {
      const store = open()
      for (let n = 1; n <= 3; n++) expect(await request(store, n, T, 3)).toBe(true)
      expect(await request(store, 4, T, 3)).toBe(false)
      expect(await dueNumbers(store)).toEqual([1, 2, 3])
      expect(await request(store, 2, T + 5, 3)).toBe(true)
      expect(await dueNumbers(store, T + 5)).toEqual([1, 3, 2])
      expect(await request(store, 4)).toBe(true)
      expect((await store.mails.waiting(1)).total).toBe(4)
    })

    test('are due if their next attempt is too far away, since the clock was wrong', async () => {
      const store = open()
      await request(store, 1)
      await store.mails.postpone(await only(store), T + 86_400, 'a cause')
      expect(await dueNumbers(store)).toEqual([1])
    })
  })

  describe('the activation mail', () => {
    const ole = newUser('ole', 'Ole@Pods.example')

    test('is pending for a pending account if the server can send mail', async () => {
      const store = open()
      await store.users.register(newUser('ida', 'ida@pods.example'), 'invite', 'en')
      await store.users.register(newUser('kai', 'kai@pods.example'), 'open', 'en')
      await store.users.register(newUser('eva', 'eva@pods.example'), 'invite', undefined)
      const taken = store.users.register(newUser('ida', 'other@pods.example'), 'invite', 'en')
      await expect(taken).rejects.toMatchObject({ code: 'username_taken' })
      expect((await store.mails.waiting(10)).total).toBe(0)
      await store.users.register(ole, 'invite', 'en')
      expect(await store.mails.listDue(T, 10)).toMatchObject([{ purpose: 'activation', emailKey: OLE, requestedAt: T }])
    })

    test.each(['activated', 'deactivated', 'removed'] as const)('is cancelled when the account is %s', async (what) => {
      const store = await withAdmin(open)
      await store.users.register(ole, 'invite', 'en')
      await store.users.register(newUser('eva', 'eva@pods.example'), 'invite', 'en')
      if (what === 'removed') await store.users.remove('ole', BY_COMMAND_LINE)
      else await store.users.setActive('ole', what === 'activated', BY_COMMAND_LINE)
      expect((await store.mails.waiting(10)).mails).toMatchObject([{ emailKey: 'eva@pods.example' }])
    })
  })

  describe('a pending reset mail is cancelled', () => {
    const HASH = tokenHash(1)
    test.each<[string, (store: Store, ole: UserId) => Promise<unknown>]>([
      ['the account is removed', ({ users }) => users.remove('ole', BY_COMMAND_LINE)],
      ['the account is deactivated', ({ users }) => users.setActive('ole', false, BY_COMMAND_LINE)],
      [
        'the user changes the password',
        ({ users }, ole) => users.changePassword(ole, 'new hash', { verifiedHash: 'hash of ole' }, undefined),
      ],
      ['an administrator sets the password', ({ users }) => users.setPassword('ole', 'new hash', BY_COMMAND_LINE)],
      [
        'an earlier link is used',
        async ({ tokens }, userId) => {
          await tokens.issue({ userId, purpose: 'password_reset', hash: HASH, expiresAt: T + 10 }, true)
          await tokens.resetPassword(HASH, T, 'new hash')
        },
      ],
    ])('when %s', async (_cause, act) => {
      const store = await withAdmin(open)
      const { id } = await store.users.create(newUser('ole', 'Ole@Pods.example'), false, BY_COMMAND_LINE)
      for (const address of [OLE, 'eva@pods.example'])
        await store.mails.request({ purpose: 'password_reset', emailKey: address, language: 'en' }, T)
      // Activating an active account cancels nothing.
      await store.users.setActive('ole', true, BY_COMMAND_LINE)
      expect((await store.mails.waiting(10)).total).toBe(2)
      await act(store, id)
      expect((await store.mails.waiting(10)).mails).toMatchObject([{ emailKey: 'eva@pods.example' }])
    })
  })
}

function request({ mails }: Store, n: number, at = T, max?: number): Promise<boolean> {
  return mails.request({ purpose: 'password_reset', emailKey: `${n}@pods.example`, language: 'en' }, at, max)
}

const numberOf = ({ emailKey }: WaitingMail) => Number.parseInt(emailKey, 10)

async function dueNumbers({ mails }: Store, at = T, limit = 10): Promise<number[]> {
  return (await mails.listDue(at, limit)).map(numberOf)
}

async function only({ mails }: Store): Promise<WaitingMail> {
  const { mails: waiting } = await mails.waiting(2)
  const [mail] = waiting
  if (!mail || waiting.length > 1) throw new Error('not one mail')
  return mail
}
