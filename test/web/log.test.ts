import './support/browser-globals.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Actor, AuditAction } from '../../src/domain/accounts/ports/audit-log.ts'
import { isLanguage, setLanguage } from '../../src/web/locales/index.ts'
import { byDay, KINDS, type LogEntry, namesIn, sentence } from '../../src/web/pages/admin-log/log.ts'
import { LOCALES } from './support/texts.ts'

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

test('every action of the server belongs to one kind', () => {
  expect(Object.values(KINDS).flat()).toEqual(expect.arrayContaining(ACTIONS))
  expect(Object.values(KINDS).flat()).toBeArrayOfSize(ACTIONS.length)
})

describe.each([...LOCALES.keys()])('in %s', (code) => {
  beforeAll(async () => {
    if (isLanguage(code)) await setLanguage(code)
  })
  afterAll(() => setLanguage('en'))

  test.each(ACTIONS)('%s is a sentence with all names', (action) => {
    const text = sentence({ ...ENTRY, action })
    expect(text).toEndWith('.')
    expect(text).not.toContain(action)
    expect(text.includes('ida')).toBe(action !== 'invitation_accepted')
    expect(text.includes('ole')).toBe(KINDS.server.every((one) => one !== action))
  })

  test.each(VIA)('an entry without an actor names its origin: %s', (via) => {
    const text = sentence({ ...ENTRY, actor: '', via: via as LogEntry['via'] })
    expect(text).toMatch(/^\p{Lu}\S+ .*ole/u)
  })
})

test('somebody who deletes their account is not named twice', () => {
  expect(sentence({ ...ENTRY, actor: 'ole', action: 'user_deleted' })).toBe('“ole” deleted their account.')
  expect(sentence({ ...ENTRY, action: 'user_deleted' })).toBe('ida deleted the account “ole”.')
})

test.each([
  [{ action: 'tea_made' }, 'ida: tea_made ole'],
  [{ action: 'tea_made', user: '' }, 'ida: tea_made'],
])('an action of a newer server is shown as it is: %j', (change, expected) => {
  expect(sentence({ ...ENTRY, ...change })).toBe(expected)
})

test('the filter lists each user once who has an account or occurs in an entry', () => {
  const entries = [ENTRY, { ...ENTRY, actor: '', user: 'vera' }, { ...ENTRY, user: '' }]
  expect(namesIn(['nils', 'ida'], entries)).toEqual(['ida', 'nils', 'ole', 'vera'])
})

test('entries are grouped by day and keep their order', () => {
  const entries = ['03T10', '03T09', '02T10'].map((at, id) => ({ ...ENTRY, id, at: `2025-03-${at}:00:00` }))
  const days = byDay(entries, (at) => at.slice(0, 10)).map(({ day, entries: list }) => `${day} ${list.length}`)
  expect(days).toEqual(['2025-03-03 2', '2025-03-02 1'])
})
