import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { openBrowser, signInAs } from '../support/browser.ts'
import { signUp } from '../support/client.ts'
import { startLyingProvider } from '../support/lying-provider.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

describe('the provider', () => {
  test.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'may know podstep by %s, whatever else it understands',
    async (authMethod) => {
      await using provider = await startOidcProvider({ authMethod })
      const { browser } = open(provider)
      const { json } = await browser.visit(`${provider.issuer}/.well-known/openid-configuration`)
      expect(json).toMatchObject({
        token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic', 'client_secret_post']),
      })
      expectSignedIn(await signInAs(browser, 'ida'))
    },
  )

  test.each<[only: string, listed: readonly string[] | undefined, tries: number]>([
    ['client_secret_basic', ['client_secret_basic', 'client_secret_post'], 1],
    ['client_secret_basic', undefined, 1],
    ['client_secret_basic', ['client_secret_post'], 2],
    ['client_secret_post', ['client_secret_post'], 1],
    ['client_secret_post', ['private_key_jwt', 'client_secret_post'], 1],
    ['client_secret_post', ['client_secret_basic', 'client_secret_post'], 2],
    ['client_secret_post', undefined, 2],
  ])('may take %s only, while it lists %j: that takes %i tries', async (only, listed, tries) => {
    await using provider = startLyingProvider({
      discovery: (truth) => ({ ...truth, ...(listed && { token_endpoint_auth_methods_supported: listed }) }),
      token: (truth, by) => (by === only ? truth : Response.json({ error: 'invalid_client' }, { status: 401 })),
    })
    const { browser } = open(provider)
    expectSignedIn(await browser.visit('/auth/sso/login'))
    expect(provider.asked.filter((path) => path === '/token')).toHaveLength(tries)
  })

  test('is not asked in two ways again once one has worked, unless it changes its mind', async () => {
    let only = 'client_secret_post'
    await using provider = startLyingProvider({
      token: (truth, by) => (by === only ? truth : Response.json({ error: 'invalid_client' }, { status: 401 })),
    })
    const { app } = open(provider)
    const tries = async () => {
      const before = provider.asked.filter((path) => path === '/token').length
      const { url } = await openBrowser(app).visit('/auth/sso/login')
      return [url.includes('error='), provider.asked.filter((path) => path === '/token').length - before]
    }
    expect([await tries(), await tries()]).toEqual([
      [false, 2],
      [false, 1],
    ])
    only = 'client_secret_basic'
    await tries()
    expect([await tries(), await tries()]).toEqual([
      [false, 1],
      [false, 1],
    ])
  })

  test.each([400, 401, 403])('may refuse both ways with status %i: that is the end of it', async (status) => {
    await using provider = startLyingProvider({ token: () => Response.json({ error: 'invalid_client' }, { status }) })
    const { app, browser } = open(provider)
    expectFailed(await browser.visit('/auth/sso/login'), 'sso_failed')
    expect(provider.asked.filter((path) => path === '/token')).toHaveLength(2)
    expect(app.logs.join('')).toContain('the provider refuses oidc_client_id and oidc_client_secret')
  })

  test('that refuses the code is not asked twice', async () => {
    await using provider = startLyingProvider({
      token: () => Response.json({ error: 'invalid_grant' }, { status: 400 }),
    })
    const { browser } = open(provider)
    expectFailed(await browser.visit('/auth/sso/login'), 'sso_failed')
    expect(provider.asked.filter((path) => path === '/token')).toHaveLength(1)
  })

  test('that does not know the secret ends the sign-in', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider, { oidc_client_secret: 'another secret' })
    expectFailed(await signInAs(browser, 'ida'), 'sso_failed')
    expect(app.logs.join('')).toContain('the provider refuses oidc_client_id and oidc_client_secret')
  })

  test.each(['RS256', 'ES256', 'PS256'] as const)('may sign with %s', async (algorithm) => {
    await using provider = await startOidcProvider({ algorithm })
    const { browser } = open(provider)
    expectSignedIn(await signInAs(browser, 'ida'))
  })

  test('may change its key between two sign-ins', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    expectSignedIn(await signInAs(browser, 'ida'))
    provider.rotateKeys()
    expectSignedIn(await signInAs(openBrowser(app), 'ida'))
    expect(await names(app)).toEqual(['ida'])
  })

  test.each(['userinfo', 'id_token'] as const)('may tell names, addresses and groups by %s', async (claimsAt) => {
    await using provider = await startOidcProvider({ claimsAt })
    const { app, browser } = open(provider, { oidc_admin_group: 'podcast-admins' })
    await signUp(app, 'eva')
    expectSignedIn(await signInAs(browser, 'ole-24'))
    expect((await browser.visit('/api/2/me')).json).toMatchObject({
      username: 'ole',
      email: 'ole@pods.example',
      is_admin: true,
    })
  })

  test.each([
    ['', ''],
    ['', '/'],
    ['/', ''],
    ['/', '/'],
    ['/realms/home', ''],
    ['/realms/home', '/'],
    ['/realms/home/', ''],
    ['/realms/home/', '/'],
  ])('may call itself host%s while oidc_issuer ends in "%s"', async (path, end) => {
    await using provider = await startOidcProvider({ path })
    const { browser } = open(provider, { oidc_issuer: provider.issuer.replace(/\/$/, '') + end })
    expectSignedIn(await signInAs(browser, 'ole-24'))
    expect((await browser.visit('/api/2/me/identities')).json).toMatchObject([
      { issuer: provider.issuer, subject: 'ole-24' },
    ])
  })

  test('is the same with and without the slash in oidc_issuer: nobody gets a second account', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await signInAs(browser, 'ida')
    await browser.visit('/auth/sso/logout', { form: {} })
    const settings = { ...provider.settings, oidc_issuer: `${provider.issuer}/` }
    const later = startTestApp({ settings, db: app.db })
    expectSignedIn(await signInAs(openBrowser(later), 'ida'))
    expect(await names(later)).toEqual(['ida'])
  })
})
