import { expect, test } from 'bun:test'
import { resetObstacle } from '../../src/web/pages/admin-users/manage.tsx'

test.each([
  ['a mail server and an address', 'ida@pods.example', 'active', true, undefined],
  ['no mail server', 'ida@pods.example', 'active', false, 'smtp_unconfigured'],
  ['no address', '', 'active', true, 'no_email'],
  ['neither', '', 'active', false, 'smtp_unconfigured'],
  ['a deactivated account', 'ida@pods.example', 'inactive', true, 'not_active'],
  ['an account that waits for activation', 'ida@pods.example', 'pending_activation', true, 'not_active'],
] as const)('a link to somebody with %s', (_, email, state, canMail, expected) => {
  expect(resetObstacle({ email, state }, canMail)).toBe(expected)
})
