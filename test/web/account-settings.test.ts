import { afterEach, beforeEach, expect, mock, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import {
  autoSync,
  ensureAccountSettings,
  loadAccountSettings,
  setAutoSync,
} from '../../src/web/store/sync/account-settings.ts'
import { signInAs } from './support/account.ts'
import { fakeServer, type SentRequest } from './support/fake-server.ts'

let stored: object = {}

function answer({ line, body }: SentRequest): unknown {
  if (line.includes('/sync-devices/')) return { synchronized: [], 'not-synchronized': [] }
  if (!line.includes('/settings/')) return []
  if (line.startsWith('POST')) stored = Object(body).set ?? {}
  return stored
}

beforeEach(() => signInAs())

afterEach(() => {
  mock.restore()
  account.value = null
})

test('keeping all devices in sync is off unless it is set, whatever else apps have stored', async () => {
  stored = { auto_sync: 'yes', auto_sync_except: 'car', speed: 2 }
  fakeServer(answer)
  expect(autoSync.value).toBeUndefined()
  await ensureAccountSettings()
  expect(autoSync.value).toEqual({ isOn: false, except: [] })
  stored = { auto_sync: true, auto_sync_except: ['car', 3] }
  await loadAccountSettings()
  expect(autoSync.value).toEqual({ isOn: true, except: ['car'] })
})

test('switching it on replaces the exceptions, and the devices are loaded again', async () => {
  const requests = fakeServer(answer)
  stored = { auto_sync_except: ['car'] }
  await setAutoSync(true, ['tv'])
  expect(autoSync.value).toEqual({ isOn: true, except: ['tv'] })
  expect(requests[0]).toEqual({
    line: 'POST api/2/settings/ida/account.json',
    body: { set: { auto_sync: true, auto_sync_except: ['tv'] } },
  })
  expect(requests.map(({ line }) => line)).toContain('GET api/2/devices/ida.json')
  await setAutoSync(false)
  expect(autoSync.value?.isOn).toBe(false)
})
