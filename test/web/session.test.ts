import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { account, ensureServer, freshServer, signIn } from '../../src/web/store/session.ts'
import { accountOf } from './support/account.ts'
import { fakeServer } from './support/fake-server.ts'

const HOUR = 3_600_000

let requests: ReturnType<typeof fakeServer>
/** The clock of the page. */
let now = 0

beforeEach(() => {
  requests = fakeServer(({ line }) =>
    line.endsWith('/server') ? { first_run: true, account: null } : accountOf('ida'),
  )
  // Expires data of earlier tests.
  now += HOUR
  spyOn(performance, 'now').mockImplementation(() => now)
})

afterEach(() => {
  account.value = null
})

test('information about the server is reused for a moment, and loaded again later', async () => {
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

test('signing in invalidates the information about the server, which may have changed', async () => {
  await ensureServer()
  await signIn('ida', 'seaglass')
  expect(freshServer()).toBeUndefined()
})
