import { afterEach, beforeEach, expect, mock, spyOn, test } from 'bun:test'
import { account, ensureServer, freshServer, signIn } from '../../src/web/store/session.ts'
import { accountOf } from './support/account.ts'
import { fakeServer } from './support/fake-server.ts'

const HOUR = 3_600_000

let requests: ReturnType<typeof fakeServer>
/** By the clock of the page. */
let now = 0

beforeEach(() => {
  requests = fakeServer(({ line }) =>
    line.endsWith('/server') ? { first_run: true, account: null } : accountOf('ida'),
  )
  // What an earlier test has loaded is old.
  now += HOUR
  spyOn(performance, 'now').mockImplementation(() => now)
})

afterEach(() => {
  account.value = null
  mock.restore()
})

test('the first page takes what the client has asked the server for a moment ago, and a later one asks again', async () => {
  expect(freshServer()).toBeUndefined()
  await ensureServer()
  now += 1000
  expect(freshServer()).toMatchObject({ first_run: true })
  expect(await ensureServer()).toMatchObject({ first_run: true })
  expect(requests.length).toBe(1)
  now += HOUR
  expect(freshServer()).toBeUndefined()
  await ensureServer()
  expect(requests.length).toBe(2)
})

test('what the server has said before somebody signed in counts no longer, since it may have been about its first account', async () => {
  await ensureServer()
  await signIn('ida', 'seaglass')
  expect(freshServer()).toBeUndefined()
})
