import './support/browser-globals.ts'
import { beforeAll, expect, test } from 'bun:test'
import type { Actor, AuditAction } from '../../src/domain/accounts/ports/audit-log.ts'
import { setLanguage } from '../../src/web/locales/index.ts'
import { KINDS, type LogEntry, namesIn, sentence } from '../../src/web/pages/admin-log/log.ts'

/** Actions of the audit log. The compiler rejects an incomplete list. */
const ACTIONS = Object.keys({
  ...{ user_created: true, user_deleted: true, user_activated: true, user_deactivated: true },
  ...{ user_invited: true, invitation_renewed: true, invitation_withdrawn: true, invitation_accepted: true },
  ...{ admin_granted: true, admin_revoked: true, password_set: true, reset_mail_requested: true },
  ...{ second_factor_reset: true, test_mail_sent: true, backup_requested: true },
} satisfies Record<AuditAction, true>)

const VIA = Object.keys({ api: true, command_line: true, single_sign_on: true } satisfies Record<Actor['via'], true>)

const ENTRY: LogEntry = {
  ...{ id: 1, at: '2025-03-02T10:00:00', actor: 'ida', via: 'api', action: 'user_created', user: 'ole' },
}

beforeAll(() => setLanguage('en'))

test('every action of the audit log belongs to one kind', () => {
  expect(Object.values(KINDS).flat()).toEqual(expect.arrayContaining(ACTIONS))
  expect(Object.values(KINDS).flat()).toBeArrayOfSize(ACTIONS.length)
})

test.each(ACTIONS)('%s is a sentence with all names', (action) => {
  const text = sentence({ ...ENTRY, action })
  expect(text).toEndWith('.')
  expect(text).not.toContain(action)
  expect(text.includes('ida')).toBe(action !== 'invitation_accepted')
  expect(text.includes('ole')).toBe(KINDS.server.every((one) => one !== action))
})

test.each(VIA)('an entry without an actor names its source: %s', (via) => {
  const text = sentence({ ...ENTRY, actor: '', via: via as LogEntry['via'] })
  expect(text).toMatch(/^\p{Lu}\S+ .*ole/u)
})

test('users who delete their own account are named once', () => {
  expect(sentence({ ...ENTRY, actor: 'ole', action: 'user_deleted' })).toBe('“ole” deleted their account.')
  expect(sentence({ ...ENTRY, action: 'user_deleted' })).toBe('ida deleted the account “ole”.')
})

test.each([
  [{ action: 'tea_made' }, 'ida: tea_made ole'],
  [{ action: 'tea_made', user: '' }, 'ida: tea_made'],
])('an unknown action is shown as its code: %j', (change, expected) => {
  expect(sentence({ ...ENTRY, ...change })).toBe(expected)
})

test('the filter lists all users with an account or an entry once', () => {
  const entries = [ENTRY, { ...ENTRY, actor: '', user: 'vera' }, { ...ENTRY, user: '' }]
  expect(namesIn(['nils', 'ida'], entries)).toEqual(['ida', 'nils', 'ole', 'vera'])
})
