import { expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { type Lies, type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { expectFailed, expectSignedIn, open } from './sign-ins.ts'

const WRONG: Lies = { claims: (truth) => ({ ...truth, nonce: 'wrong' }) }

async function fail(app: TestApp, provider: LyingProvider, times: number): Promise<void> {
  provider.lies = WRONG
  for (let n = 0; n < times; n++) expectFailed(await openBrowser(app).visit('/auth/sso/login'), 'sso_failed')
  provider.lies = {}
}

const signIn = (app: TestApp) => openBrowser(app).visit('/auth/sso/login')

test('ten sign-ins that the provider did not confirm are enough for five minutes: it is asked no more', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  await fail(app, provider, 10)
  const before = provider.asked.filter((path) => path === '/token').length
  expectFailed(await signIn(app), 'sso_failed')
  expect(provider.asked.filter((path) => path === '/token')).toHaveLength(before)
  expect(app.logs.at(-1)).toContain('too many failed sign-ins from one address')
  app.clock.advance(300)
  expectSignedIn(await signIn(app))
})

test('failures of one address do not keep others out', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  await fail(app, provider, 10)
  app.setPeer('198.51.100.7')
  expectSignedIn(await signIn(app))
})

test('sign-ins that work do not count', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  for (let n = 0; n < 15; n++) expectSignedIn(await signIn(app))
  await fail(app, provider, 9)
  for (let n = 0; n < 3; n++) expectSignedIn(await signIn(app))
})

test('sign-ins that an account prevents do not count: the provider has confirmed them', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  expectSignedIn(await signIn(app))
  app.db.run(`UPDATE users SET state = 'inactive'`)
  for (let n = 0; n < 12; n++) expectFailed(await signIn(app), 'account_inactive')
})

test('callbacks that no browser has begun do not count: anybody can send those', async () => {
  await using provider = startLyingProvider()
  const { app, browser } = open(provider)
  for (let n = 0; n < 15; n++) expectFailed(await browser.visit(`/auth/sso/callback?code=x&state=${n}`), 'sso_state')
  expectSignedIn(await signIn(app))
})

test('rate_limit = false lifts the limit', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider, { rate_limit: 'false' })
  await fail(app, provider, 12)
  expectSignedIn(await signIn(app))
})
