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
/** Nothing of the account: settings of the browser, other accounts, and other servers of the host. */
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

/** A player that can send what is stored, or cannot. */
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

test('what was played is sent before the session ends, and what is private leaves the browser', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT, DRAFT, 'podstep.sync-declined.ida', ...STAYING, ...OTHERS)
  fakePlayer(true, () => expect(requests).toEqual([]))
  await signOut()
  expect(requests.map(({ line }) => line)).toEqual([LOGOUT])
  expect([account.value, farewell.value]).toEqual([null, 'signedOut'])
  expect(new Set(stored())).toEqual(new Set([...STAYING, ...OTHERS]))
})

test('signing out with reports that cannot be sent is refused once, and then drops them', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT, DRAFT)
  fakePlayer(false)
  await expect(signOut()).rejects.toMatchObject({ code: 'unsent' })
  expect([requests, account.value?.username, stored()]).toEqual([[], 'ida', [REPORT, DRAFT]])
  await signOut()
  expect([account.value, stored()]).toEqual([null, []])
})

test('a player that cannot be loaded has sent nothing', async () => {
  fakeServer(() => ({}))
  store(REPORT)
  onPlayerNeeded(() => Promise.reject(new Error('the files of this version are gone')))
  await expect(signOut()).rejects.toMatchObject({ code: 'unsent' })
  expect(stored()).toEqual([REPORT])
  await signOut()
  expect(stored()).toEqual([])
})

test('without anything to send the player is not loaded', async () => {
  fakeServer(() => ({}))
  onPlayerNeeded(() => Promise.reject(new Error('the player was loaded')))
  await signOut()
  expect(account.value).toBeNull()
})

test('a user whom the server does not sign out stays signed in, with all that is stored', async () => {
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

test('a session that turns out to have ended while reports are sent leaves them, too', async () => {
  const requests = fakeServer(() => ({}))
  store(REPORT)
  fakePlayer(false, () => {
    account.value = null
  })
  await signOut()
  expect([requests, stored()]).toEqual([[], [REPORT]])
})

test('nothing is left of an account that was deleted', () => {
  store(REPORT, DRAFT, 'podstep.sync-declined.ida', ...STAYING, ...OTHERS)
  leaveDeletedAccount()
  expect([account.value, farewell.value, stored()]).toEqual([null, 'deleted', OTHERS])
})
