import { afterEach, beforeEach, expect, mock, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import { autoSync, ensureAccountSettings, loadAccountSettings } from '../../src/web/store/sync/account-settings.ts'
import { signInAs } from './support/account.ts'
import { fakeServer } from './support/fake-server.ts'

beforeEach(() => signInAs())

afterEach(() => {
  mock.restore()
  account.value = null
})

test('keeping all devices in sync is off unless it is set, whatever else apps have stored', async () => {
  fakeServer(() => ({ auto_sync: 'yes', auto_sync_except: 'car', speed: 2 }))
  expect(autoSync.value).toBeUndefined()
  await ensureAccountSettings()
  expect(autoSync.value).toEqual({ isOn: false, except: [] })
  fakeServer(() => ({ auto_sync: true, auto_sync_except: ['car', 3] }))
  await loadAccountSettings()
  expect(autoSync.value).toEqual({ isOn: true, except: ['car'] })
})
