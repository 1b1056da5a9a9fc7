import './support/browser-globals.ts'
import { afterEach, beforeEach, describe, expect, mock, test } from 'bun:test'
import {
  configLines,
  exampleAddress,
  firstSteps,
  type Setup,
  type Step,
  stepState,
} from '../../src/web/pages/admin-server/first-steps.ts'
import { hideChecklist, isChecklistHidden, loadChecklistHidden } from '../../src/web/store/checklist.ts'
import { account } from '../../src/web/store/session.ts'
import { ensureAccountSettings } from '../../src/web/store/sync/account-settings.ts'
import { fakeServer } from './support/fake-server.ts'

const AT = '2025-03-02T10:00:00'
const LATER = '2025-03-02T11:00:00'

const made = (ok: boolean) => ({ ok, at: AT, seconds: 1, file: '', bytes: 0, trouble: '' as const, cause: '' })

/** A server that somebody has just started. */
const NEW: Setup = {
  status: {
    outbound: true,
    base_url: '',
    backup: { enabled: true, running: false, last: null, last_good: null, overdue: false, next: '', keep: 3 },
  },
  stats: { users: 1 },
  mail: { enabled: false, last_sent: '', last_failure: null },
  directory: { enabled: false, last_answer: '', last_failure: null },
}

const backup = (change: Partial<Setup['status']['backup']>): Partial<Setup> => ({
  status: { ...NEW.status, base_url: 'https://pods.example', backup: { ...NEW.status.backup, ...change } },
})

const steps = (change: Partial<Setup> = {}) =>
  Object.fromEntries(firstSteps({ ...NEW, ...change }).map((step) => [step.name, `${step.case} ${stepState(step)}`]))

describe('the first steps of a server', () => {
  test('are all to be done when it is new, but for what needs the service of somebody else', () => {
    expect(steps()).toEqual({
      address: 'unset todo',
      family: 'alone todo',
      backups: 'none todo',
      mail: 'off optional',
      directory: 'off optional',
    })
  })

  test('leave the directory out where the server connects to no others', () => {
    expect(steps({ status: { ...NEW.status, outbound: false } })).not.toContainKey('directory')
  })

  test.each<[string, Partial<Setup>, object]>([
    ['a public address', backup({}), { address: 'done done' }],
    ['a second user', { stats: { users: 2 } }, { family: 'done done' }],
    ['a backup', backup({ last: made(true) }), { backups: 'done done' }],
    ['a backup that failed', backup({ last: made(false) }), { backups: 'failed todo' }],
    ['a backup that is old', backup({ last: made(true), overdue: true }), { backups: 'overdue todo' }],
    ['no backups', backup({ enabled: false }), { backups: 'off todo' }],
    [
      'mail nobody has tried',
      { mail: { enabled: true, last_sent: '', last_failure: null } },
      { mail: 'untested todo' },
    ],
    ['mail', { mail: { enabled: true, last_sent: AT, last_failure: null } }, { mail: 'done done' }],
    [
      'mail that fails',
      { mail: { enabled: true, last_sent: AT, last_failure: { at: LATER, cause: 'x' } } },
      { mail: 'failed todo' },
    ],
    [
      'mail that works again',
      { mail: { enabled: true, last_sent: LATER, last_failure: { at: AT, cause: 'x' } } },
      { mail: 'done done' },
    ],
    [
      'a directory that rejects the key',
      { directory: { enabled: true, last_answer: '', last_failure: { at: AT, trouble: 'credentials', cause: 'x' } } },
      { directory: 'failed todo' },
    ],
    [
      'a directory that answers',
      { directory: { enabled: true, last_answer: AT, last_failure: null } },
      { directory: 'done done' },
    ],
  ])('with %s', (_case, change, expected) => {
    expect(steps(change)).toMatchObject(expected)
  })
})

test.each<[Step, readonly string[]]>([
  [{ name: 'address', case: 'unset' }, ['base_url = "http://192.168.1.20:8080"']],
  [{ name: 'backups', case: 'off' }, ['backup_keep = 3']],
  [{ name: 'directory', case: 'off' }, ['directory_key = "a \\"key\\""', 'directory_secret = "s"']],
  [
    { name: 'mail', case: 'off' },
    [
      'smtp_host = "mail.example.org"',
      'smtp_user = "you@example.org"',
      'smtp_password = "…"',
      'smtp_from = "podstep <you@example.org>"',
      'base_url = "http://192.168.1.20:8080"',
    ],
  ],
  [{ name: 'family', case: 'alone' }, []],
  [{ name: 'backups', case: 'none' }, []],
  [{ name: 'mail', case: 'failed' }, []],
])('the lines of config.toml for %j', (step, lines) => {
  expect(configLines(step, { address: 'http://192.168.1.20:8080', key: 'a "key"', secret: 's' })).toEqual(lines)
})

test('an address that works on this computer only is not recommended: its host is to be filled in', () => {
  expect(exampleAddress('http://127.0.0.1:8080/pods/', 'your-computer')).toBe('http://your-computer:8080/pods/')
  expect(exampleAddress('http://[::1]:8080/', 'your-computer')).toBe('http://your-computer:8080/')
})

describe('hiding the checklist', () => {
  /** Each test has a user of its own, since the data is kept by user name. */
  let users = 0

  beforeEach(() => {
    users++
    account.value = {
      username: `u${users}`,
      email: '',
      is_admin: true,
      is_active: true,
      has_password: true,
      has_second_factor: false,
    }
  })

  afterEach(() => mock.restore())

  test('is kept in the account, for all browsers', async () => {
    const requests = fakeServer(() => ({}))
    expect(isChecklistHidden()).toBe(false)
    await hideChecklist()
    expect(isChecklistHidden()).toBe(true)
    expect(requests).toMatchObject([
      { line: `POST api/2/settings/u${users}/account.json`, body: { set: { 'podstep.checklist': 'hidden' } } },
    ])
  })

  test.each([
    [{ 'podstep.checklist': 'hidden' }, true],
    [{ 'podstep.checklist': 'shown', other: 1 }, false],
    [{}, false],
  ])('in another browser is learned from the account: %j', async (settings, isHidden) => {
    fakeServer(() => settings)
    expect(await loadChecklistHidden()).toBe(isHidden)
    expect(isChecklistHidden()).toBe(isHidden)
  })

  test('asks for the settings once, together with the offer to keep devices in sync', async () => {
    const requests = fakeServer(() => ({ 'podstep.checklist': 'hidden' }))
    await Promise.all([ensureAccountSettings(), loadChecklistHidden()])
    expect(requests).toHaveLength(1)
    expect(isChecklistHidden()).toBe(true)
  })
})
