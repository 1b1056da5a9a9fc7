import './support/browser-globals.ts'
import { beforeEach, expect, test } from 'bun:test'
import { call } from '../../src/web/api/client.ts'
import { leaveDeletedAccount, signOut } from '../../src/web/store/account/sign-out.ts'
import type { Engine } from '../../src/web/store/playback/engine.ts'
import { onPlayerNeeded } from '../../src/web/store/player.ts'
import { account, farewell } from '../../src/web/store/session.ts'
import { signInAs } from './support/account.ts'
import { errorResponse, fakeServer } from './support/fake-server.ts'

const REPORT = 'podstep.reports.ida at 2026-11-21T12:00:00 0 9 https://feeds.tidewater.example/?token=1 https://cdn/fog'
const DRAFT = 'podstep.reports.ida draft 1732186800000'
/** Entries that stay in the browser for the next visit. */
const STAYING: readonly string[] = ['podstep.device.ida', 'podstep.upgrades-dismissed.ida']
/** Entries of the browser, of other accounts and of other servers on the host. */
const OTHERS = [
  'podstep.theme',
  'podstep.height.home',
  'podstep.reports.zoe at 2026-11-21T12:00:00 0 9 https://feeds.example/.ida https://cdn/fog',
  'podstep.reports.b.ida draft 1',
  'podstep.reports/podcasts.ida draft 1',
  'other.reports.ida draft 1',
]
const LOGOUT = 'POST api/2/auth/ida/logout.json'

const stored = () => Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
const store = (...keys: readonly string[]) => {
  for (const key of keys) localStorage.setItem(key, 'x')
}

/** A player whose reports can be sent, or not. */
function fakePlayer(isSent: boolean, whileSending = () => {}): void {
  const engine: Partial<Engine> = {
    async finish() {
      whileSending()
      if (isSent) for (const key of [REPORT, DRAFT]) localStorage.removeItem(key)
      return isSent
    },
  }
  onPlayerNeeded(async () => engine as Engine)
}

beforeEach(() => {
  localStorage.clear()
  farewell.value = undefined
  signInAs()
})

test('signing out sends the reports first, and removes private data from the browser', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT, DRAFT, 'podstep.sync-declined.ida', ...STAYING, ...OTHERS)
  fakePlayer(true, () => expect(requests).toEqual([]))
  await signOut()
  expect(requests.map(({ line }) => line)).toEqual([LOGOUT])
  expect([account.value, farewell.value]).toEqual([null, 'signedOut'])
  expect(new Set(stored())).toEqual(new Set([...STAYING, ...OTHERS]))
})

test('signing out with unsent reports fails once, then drops them', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT, DRAFT)
  fakePlayer(false)
  await expect(signOut()).rejects.toMatchObject({ code: 'unsent' })
  expect([requests, account.value?.username, stored()]).toEqual([[], 'ida', [REPORT, DRAFT]])
  await signOut()
  expect([account.value, stored()]).toEqual([null, []])
})

test('signing out fails once if the player cannot be loaded', async () => {
  fakeServer(() => ({}))
  store(REPORT)
  onPlayerNeeded(() => Promise.reject(new Error('the files of this version are gone')))
  await expect(signOut()).rejects.toMatchObject({ code: 'unsent' })
  expect(stored()).toEqual([REPORT])
  await signOut()
  expect(stored()).toEqual([])
})

test('the player is not loaded if there are no reports', async () => {
  fakeServer(() => ({}))
  onPlayerNeeded(() => Promise.reject(new Error('the player was loaded')))
  await signOut()
  expect(account.value).toBeNull()
})

test('a failed sign-out keeps the session and the stored data', async () => {
  fakeServer(() => errorResponse(503, 'unavailable'))
  store('podstep.sync-declined.ida', REPORT)
  fakePlayer(true)
  await expect(signOut()).rejects.toMatchObject({ code: 'unavailable' })
  expect([account.value?.username, stored()]).toEqual(['ida', ['podstep.sync-declined.ida']])
})

test('a session that expires leaves reports for the next one', async () => {
  fakeServer(() => errorResponse(401, 'unauthorized'))
  store(REPORT)
  await call('getHome').catch(() => undefined)
  expect([account.value, farewell.value, stored()]).toEqual([null, 'sessionEnded', [REPORT]])
})

test('a session that has ended while reports are sent keeps the rest', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT)
  fakePlayer(false, () => {
    account.value = null
  })
  await signOut()
  expect([requests, stored()]).toEqual([[], [REPORT]])
})

test('deleting the account removes all its data', () => {
  store(REPORT, DRAFT, 'podstep.sync-declined.ida', ...STAYING, ...OTHERS)
  leaveDeletedAccount()
  expect([account.value, farewell.value, stored()]).toEqual([null, 'deleted', OTHERS])
})
