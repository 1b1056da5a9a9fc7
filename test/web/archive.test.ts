import './support/browser-globals.ts'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { archiveSince, decideImport, noteImport, undecidedImport } from '../../src/web/store/importing/archive.ts'
import { account } from '../../src/web/store/session.ts'
import type { OwnPodcast } from '../../src/web/store/subscriptions.ts'
import { signInAs } from './support/account.ts'

const STARTED = '2025-03-02T10:00:00'

beforeEach(() => signInAs())

afterEach(() => {
  decideImport()
  account.value = null
})

test('an import of many podcasts asks about their older episodes until the user has decided', () => {
  noteImport(4, STARTED)
  expect(undecidedImport()).toBe('')
  noteImport(5, STARTED)
  expect(undecidedImport()).toBe(STARTED)
  signInAs('bob')
  expect(undecidedImport()).toBe('')
  account.value = null
  signInAs()
  expect(undecidedImport()).toBe(STARTED)
  decideImport()
  expect(undecidedImport()).toBe('')
})

const podcast = (url: string, added: string, state = 'ok') =>
  ({ url, added, health: { state, since: '' } }) as unknown as OwnPodcast
const COUNTS = new Map([
  ['before', { unplayed: 9, new: 1 }],
  ['some', { unplayed: 9, new: 1 }],
  ['none', { unplayed: 1, new: 1 }],
])
const [EARLIER, LATER] = ['2025-03-02T09:59:59', '2025-03-02T10:00:07']

test.each([
  ['imported podcasts', [podcast('before', EARLIER), podcast('some', STARTED)], ['some']],
  ['podcasts with older episodes', [podcast('none', LATER), podcast('some', LATER), podcast('empty', LATER)], ['some']],
  ['none while one of them is being fetched', [podcast('some', LATER), podcast('none', LATER, 'new')], []],
  [
    'podcasts even if an older subscription is being fetched',
    [podcast('before', EARLIER, 'new'), podcast('some', LATER)],
    ['some'],
  ],
])('the question is about %s', (_what, podcasts, expected) => {
  expect(archiveSince(STARTED, podcasts, COUNTS)).toEqual(expected)
})
