import { describe, expect, test } from 'bun:test'
import type { Actor, AuditEntry } from '../../../../src/domain/accounts/ports/audit-log.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { addUser, BY_COMMAND_LINE, newUser, type OpenStore, T, withAdmin } from '../fixtures.ts'

export function describeAudit(open: OpenStore): void {
  describe('the audit log', () => {
    test('has actor, time, action and target of each entry', async () => {
      const { audit } = open()
      expect(await audit.page(0, 10)).toEqual({ total: 0, entries: [] })
      await audit.add({ actor: { name: 'ida', via: 'api' }, at: T }, 'user_created', 'Ole')
      await audit.add({ actor: { name: undefined, via: 'command_line' }, at: T + 1 }, 'test_mail_sent')
      await audit.add({ actor: { name: undefined, via: 'single_sign_on' }, at: T + 2 }, 'admin_granted', 'Ole')
      const { total, entries } = await audit.page(0, 10)
      expect(total).toBe(3)
      const id = expect.any(Number)
      expect(entries).toEqual([
        { id, at: T + 2, actor: { name: undefined, via: 'single_sign_on' }, action: 'admin_granted', target: 'Ole' },
        { id, at: T + 1, actor: { name: undefined, via: 'command_line' }, action: 'test_mail_sent', target: undefined },
        { id, at: T, actor: { name: 'ida', via: 'api' }, action: 'user_created', target: 'Ole' },
      ])
    })

    test('is sorted by insertion, even if the clock was set back', async () => {
      const { audit } = open()
      for (const [n, at] of [T, T - 86_400, T + 5].entries())
        await audit.add({ ...BY_COMMAND_LINE, at }, 'user_created', `u${n}`)
      expect(targets(await audit.page(0, 10))).toEqual(['u2', 'u1', 'u0'])
    })

    test('is returned in pages', async () => {
      const { audit } = open()
      for (let n = 1; n <= 7; n++) await audit.add(BY_COMMAND_LINE, 'user_created', `u${n}`)
      for (const [offset, limit, expected] of [
        [0, 3, ['u7', 'u6', 'u5']],
        [6, 3, ['u1']],
        [1_000_000_000_000, 100, []],
      ] as const) {
        const page = await audit.page(offset, limit)
        expect([page.total, targets(page)]).toEqual([7, [...expected]])
      }
    })
  })

  describe('administrative actions', () => {
    const actor: Actor = { name: 'ida', via: 'api' }
    const auditContext = { actor, at: T + 7 }

    const acts: Record<string, (store: Store) => Promise<unknown>> = {
      user_created: ({ users }) => users.create(newUser('Eva'), false, auditContext),
      password_set: ({ users }) => users.setPassword('OLE', 'hash', auditContext),
      admin_granted: ({ users }) => users.setAdmin('OLE', true, auditContext),
      admin_revoked: ({ users }) => users.setAdmin('OLE', false, auditContext),
      user_deactivated: ({ users }) => users.setActive('OLE', false, auditContext),
      user_activated: ({ users }) => users.setActive('OLE', true, auditContext),
      user_deleted: ({ users }) => users.remove('OLE', auditContext),
    }

    test.each(Object.keys(acts))('have an audit entry: %s', async (action) => {
      const store = await openWithOle(open)
      await acts[action]?.(store)
      const { total, entries } = await store.audit.page(0, 1)
      const noted = entries.flatMap(({ at, actor: by, action: word, target }) => [at, by, word, target])
      expect([total, ...noted]).toEqual([3, T + 7, actor, action, action === 'user_created' ? 'Eva' : 'Ole'])
    })

    test('have none if they are refused', async () => {
      const store = await openWithOle(open)
      const { users } = store
      const refused = [
        users.create(newUser('OLE'), false, auditContext),
        users.create(newUser('eva', 'ole@pods.example'), false, auditContext),
        ...['nobody', 'admin'].flatMap((name) => [
          users.setAdmin(name, false, auditContext),
          users.setActive(name, false, auditContext),
          users.remove(name, auditContext),
        ]),
        users.setPassword('nobody', 'hash', auditContext),
      ]
      const outcomes = await Promise.allSettled(refused)
      expect(outcomes.map(({ status }) => status)).toEqual(refused.map(() => 'rejected'))
      expect((await store.audit.page(0, 10)).total).toBe(2)
    })

    test('are distinguished from what users do themselves', async () => {
      const store = await openWithOle(open)
      await store.users.register(newUser('eva', 'eva@pods.example'), 'invite', 'en')
      await store.users.changePassword(await addUser(store, 'kai'), 'hash', { verifiedHash: 'hash of kai' }, undefined)
      expect((await store.audit.page(0, 1)).entries).toMatchObject([{ action: 'user_created', target: 'kai' }])
      expect((await store.audit.page(0, 10)).total).toBe(3)
    })

    test('have an entry that outlives its actor and target', async () => {
      const store = await openWithOle(open)
      await store.users.setAdmin('ole', true, BY_COMMAND_LINE)
      await store.users.setPassword('ole', 'hash', { actor: { name: 'admin', via: 'api' }, at: T })
      await store.users.remove('admin', { actor: { name: 'Ole', via: 'api' }, at: T })
      const { entries } = await store.audit.page(0, 2)
      expect(entries.map((entry) => [entry.actor.name, entry.target])).toEqual([
        ['Ole', 'admin'],
        ['admin', 'Ole'],
      ])
    })
  })
}

async function openWithOle(open: OpenStore): Promise<Store> {
  const store = await withAdmin(open)
  await store.users.create(newUser('Ole', 'ole@pods.example'), false, BY_COMMAND_LINE)
  return store
}

const targets = ({ entries }: { readonly entries: readonly AuditEntry[] }) => entries.map(({ target }) => target)
