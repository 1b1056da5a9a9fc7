import './support/browser-globals.ts'
import { beforeAll, describe, expect, test } from 'bun:test'
import { setLanguage } from '../../src/web/locales/index.ts'
import {
  invitationText,
  isLastAdmin,
  linkedAt,
  resetObstacle,
  serverOf,
  stateOf,
  type User,
} from '../../src/web/pages/admin-users/invitation.ts'

beforeAll(() => setLanguage('en'))

const OLE: User = {
  ...{ username: 'ole', email: 'ole@pods.example', active: true, state: 'active', is_admin: false },
  ...{ second_factor: false, devices: 1, subscriptions: 2, created: '2025-03-02T10:00:00', invitation: null },
}
const IDA: User = { ...OLE, username: 'ida', is_admin: true }

describe('an invitation', () => {
  const link = 'https://home.example/pods/activate#invitation=6f1c1e0e'
  const issued = { user: OLE, token: '6f1c1e0e', link, expires: '2025-03-09T10:00:00' }

  test('has a text with server, user name, link and expiry date', () => {
    const text = invitationText(issued)
    expect(text).toContain('server home.example/pods, user name ole')
    expect(text.match(/https?:\S+/g)).toEqual([link])
    expect(text).toContain(`\n${link}\n`)
    expect(text).toContain('Mar 9, 2025')
    expect(serverOf(issued)).toBe('https://home.example/pods')
  })

  test('links to an address that other devices can reach', () => {
    const linked = linkedAt('http://192.168.1.20:8080', issued)
    expect(linked.link).toBe('http://192.168.1.20:8080/activate#invitation=6f1c1e0e')
    const text = invitationText(linked)
    expect(text.match(/https?:\S+/)?.[0]).toBe(linked.link)
    expect(text).toContain('server http://192.168.1.20:8080, user name ole')
  })
})

test.each<[Partial<User>, string]>([
  [{ state: 'inactive' }, 'inactive'],
  [{ state: 'pending_activation' }, 'pending_activation'],
  [{ state: 'pending_activation', invitation: { expires: '2025-03-03T10:00:00' } }, 'invited'],
  [{ state: 'pending_activation', invitation: { expires: '2025-03-02T11:59:59' } }, 'expired'],
  [{ state: 'pending_activation', invitation: { expires: '' } }, 'expired'],
])('the state of a user with %j is %s', (change, expected) => {
  expect(stateOf({ ...OLE, ...change }, '2025-03-02T12:00:00.000Z')).toBe(expected as never)
})

describe('the last administrator', () => {
  const EVA = { ...IDA, username: 'eva' }
  test.each<[User, readonly User[], boolean]>([
    [IDA, [IDA, OLE], true],
    [IDA, [IDA, EVA], false],
    [IDA, [IDA, { ...EVA, active: false, state: 'inactive' }], true],
    [OLE, [IDA, OLE], false],
    [{ ...IDA, active: false, state: 'inactive' }, [EVA], false],
  ])('%#', (user, users, expected) => {
    expect(isLastAdmin(user, users)).toBe(expected)
  })
})

test.each([
  [OLE, true, undefined],
  [OLE, false, 'smtp_unconfigured'],
  [{ ...OLE, email: '' }, true, 'no_email'],
  [{ ...OLE, state: 'inactive' as const }, true, 'not_active'],
])('obstacles for a reset link: %#', (user, canMail, expected) => {
  expect(resetObstacle(user, canMail)).toBe(expected as never)
})
