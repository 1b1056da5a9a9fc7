import './support/browser-globals.ts'
import { beforeEach, describe, expect, test } from 'bun:test'
import { exampleAddress, type Form, settingLines } from '../../src/web/pages/admin-server/setting-lines.ts'
import {
  areChecksHidden,
  examineServer,
  hideChecks,
  isOpen,
  serverChecks,
} from '../../src/web/store/account/server-checks.ts'
import { setAccountSettings } from '../../src/web/store/sync/account-settings.ts'
import { signInAs } from './support/account.ts'
import { fakeServer } from './support/fake-server.ts'

const MAIL = [
  { key: 'smtp_port', variable: 'SVC_SMTP_PORT', toml: '587', text: '587' },
  {
    ...{ key: 'smtp_from', variable: 'SVC_SMTP_FROM' },
    ...{ toml: '"Podcasts <podcasts@home.example>"', text: 'Podcasts <podcasts@home.example>' },
  },
  { key: 'base_url', variable: 'SVC_BASE_URL', toml: '"https://home.example"', text: 'https://home.example' },
]

describe('settings to copy', () => {
  test.each<[Form, string]>([
    [
      'file',
      `smtp_port = 587
smtp_from = "Podcasts <podcasts@home.example>"
base_url = "http://192.168.1.20:8080"`,
    ],
    [
      'environment',
      `SVC_SMTP_PORT=587
SVC_SMTP_FROM="Podcasts <podcasts@home.example>"
SVC_BASE_URL=http://192.168.1.20:8080`,
    ],
    [
      'container',
      `environment:
  SVC_SMTP_PORT: "587"
  SVC_SMTP_FROM: "Podcasts <podcasts@home.example>"
  SVC_BASE_URL: "http://192.168.1.20:8080"`,
    ],
  ])('for %s', (form, text) => {
    expect(settingLines(MAIL, form, 'http://192.168.1.20:8080')).toBe(text)
  })

  test('have the address of the server, with a placeholder for a loopback address', () => {
    expect(settingLines(MAIL.slice(2), 'file')).toBe('base_url = "https://home.example"')
    expect(exampleAddress('http://127.0.0.1:8080/pods/', 'your-computer')).toBe('http://your-computer:8080/pods/')
    expect(exampleAddress('http://[::1]:8080/', 'your-computer')).toBe('http://your-computer:8080/')
  })
})

test('checks are expanded if there is something to do', () => {
  const all = ['error', 'warning', 'todo', 'optional', 'skipped', 'ok'] as const
  expect(all.filter((status) => isOpen({ status }))).toEqual(['error', 'warning', 'todo'])
})

describe('hiding the checks on Home', () => {
  beforeEach(() => {
    signInAs()
    setAccountSettings({ 'podstep.checklist': 'shown', other: 1 })
  })

  test('is stored in the account, for all browsers', async () => {
    const requests = fakeServer(() => ({ 'podstep.checklist': 'hidden' }))
    expect(areChecksHidden()).toBe(false)
    await hideChecks()
    expect(areChecksHidden()).toBe(true)
    expect(requests).toMatchObject([
      { line: 'POST api/2/settings/ida/account.json', body: { set: { 'podstep.checklist': 'hidden' } } },
    ])
  })
})

test('the checks are reloaded after an examination, which takes some seconds', async () => {
  const made = { check: 'backup', status: 'ok', code: 'backup_made', values: {}, ways: [] }
  fakeServer(({ line }) => ({ checks: line.startsWith('POST') ? [] : [made] }))
  await examineServer()
  expect(serverChecks.value).toMatchObject([{ check: 'backup', status: 'ok' }])
})
