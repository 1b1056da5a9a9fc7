import { describe, expect, test } from 'bun:test'
import { expectRefusal } from '../http/refusal.ts'
import { startTestApp } from '../support/app.ts'
import { BASE_URL, openBrowser, signInAs } from '../support/browser.ts'
import { clientOf } from '../support/client.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { open } from './sign-ins.ts'

describe('/auth/sso/info', () => {
  test('tells the name of the provider and where to go', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider, { oidc_name: 'Harbour ID' })
    const page = await browser.visit('/auth/sso/info')
    expect(page).toMatchObject({ status: 200 })
    expect(page.json).toEqual({ enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' })
  })

  test('does not ask the provider', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    await provider.stop()
    expect(await browser.visit('/auth/sso/info')).toMatchObject({ status: 200, json: { enabled: true } })
  })
})

describe('without a provider', () => {
  const app = startTestApp({ settings: { base_url: BASE_URL } })
  const browser = openBrowser(app)

  test('/auth/sso/info says so', async () => {
    const page = await browser.visit('/auth/sso/info')
    expect(page).toMatchObject({ status: 200 })
    expect(page.json).toEqual({ enabled: false, provider_name: null, login_url: null })
  })

  test.each([
    ['GET', '/auth/sso/login', {}],
    ['GET', '/auth/sso/login?link=1', {}],
    ['GET', '/auth/sso/callback?code=x&state=y', {}],
    ['POST', '/auth/sso/logout', { form: {} }],
    ['POST', '/auth/sso/link', { form: {} }],
  ])('%s %s is not found', async (_method, path, options) => {
    expectRefusal(await browser.visit(path, options), 404, 'sso_disabled')
  })
})

describe('signing out', () => {
  test('ends the session here and, through its own page, at the provider', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await signInAs(browser, 'ida')
    const stolen = clientOf(app, { cookie: browser.cookies(BASE_URL) })
    expect(await stolen.get('/podcasts/api/2/me')).toMatchObject({ status: 200 })
    const page = await browser.visit('/auth/sso/logout', { form: {}, headers: { origin: 'http://podstep.example' } })
    const [here, there] = page.hops
    expect(here).toMatchObject({
      method: 'POST',
      status: 303,
      cookies: [expect.stringMatching(/^sessionid=;.*Max-Age=0/)],
    })
    expect(there?.url).toStartWith(`${provider.issuer}/session/end?`)
    expect(await browser.submit(page, { logout: 'yes' })).toMatchObject({ status: 200, url: `${BASE_URL}/login` })
    expectRefusal(await stolen.get('/podcasts/api/2/me'), 401, 'unauthorized')
    expect((await browser.visit('/auth/sso/login')).text).toContain('name="password"')
  })

  test('works here while the provider is down', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await signInAs(browser, 'ida')
    const stolen = clientOf(app, { cookie: browser.cookies(BASE_URL) })
    expect(await stolen.get('/podcasts/api/2/me')).toMatchObject({ status: 200 })
    await provider.stop()
    // Long enough for what the provider said about itself to be stale.
    app.clock.advance(601)
    expect(await browser.visit('/auth/sso/logout', { form: {} })).toMatchObject({
      status: 200,
      url: `${BASE_URL}/login`,
    })
    expectRefusal(await stolen.get('/podcasts/api/2/me'), 401, 'unauthorized')
  })

  test('is not for pages of other sites', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    await signInAs(browser, 'ida')
    const headers = { origin: 'https://evil.example' }
    expectRefusal(await browser.visit('/auth/sso/logout', { form: {}, headers }), 403, 'csrf_rejected')
    expect(await browser.visit('/api/2/me')).toMatchObject({ status: 200 })
  })
})
