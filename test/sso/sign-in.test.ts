import { describe, expect, test } from 'bun:test'
import { names } from '../http/accounts.ts'
import { expectError } from '../http/error.ts'
import { startTestApp } from '../support/app.ts'
import { BASE_URL, openBrowser, type Page, signInAs } from '../support/browser.ts'
import { clientOf, signUp } from '../support/client.ts'
import type { Lies } from '../support/lying-provider.ts'
import { adding, CALLBACK, expectFailed, expectSignedIn, LOGIN, ME, withProvider, withRealProvider } from './scene.ts'

/** The first hop to a URL with this prefix. */
function hopTo(page: Page, start: string) {
  const hop = page.hops.find(({ url }) => url.startsWith(start))
  if (!hop) throw new Error(`no hop to ${start}`)
  return { ...hop, query: Object.fromEntries(new URL(hop.url).searchParams) }
}

describe('signing in', () => {
  test('creates an account for a new identity, the first as administrator, and finds it again', () =>
    withRealProvider({}, async ({ app, browser }) => {
      expectSignedIn(await signInAs(browser, 'ida'))
      const account = { username: 'ida', email: 'ida@pods.example', is_admin: true, is_active: true }
      expect((await browser.visit('/api/2/me')).json).toMatchObject({ ...account, has_password: false })
      const another = openBrowser(app)
      expectSignedIn(await signInAs(another, 'ole-24'))
      expect((await another.visit('/api/2/me')).json).toMatchObject({ username: 'ole', is_admin: false })
      expectSignedIn(await signInAs(openBrowser(app), 'ida'))
      // This browser is still signed in at the provider.
      expectSignedIn(await browser.visit(LOGIN))
      expect(await names(app)).toEqual(['ida', 'ole'])
    }))

  test('uses state, nonce and PKCE, sets the usual session cookie and clears its own', () =>
    withRealProvider({}, async ({ browser, provider }) => {
      const page = await signInAs(browser, 'ida')
      const random = expect.stringMatching(/^[\w-]{43}$/)
      expect(hopTo(page, `${provider.issuer}/auth?`).query).toEqual({
        ...{ client_id: 'podstep', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid profile email' },
        ...{ state: random, nonce: random, code_challenge: random, code_challenge_method: 'S256' },
      })
      const ticket = (value: string, age: number) =>
        expect.stringMatching(
          new RegExp(`^podstep_sso_[\\w-]+=${value}; Path=/podcasts/auth/sso; HttpOnly; SameSite=Lax; Max-Age=${age}$`),
        )
      expect(hopTo(page, BASE_URL + LOGIN).cookies).toEqual([ticket('[\\w-]+', 600)])
      expect(hopTo(page, CALLBACK).cookies).toEqual([
        expect.stringMatching(/^sessionid=[\w-]{43}; Path=\/podcasts; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
        ticket('', 0),
      ])
      expect(browser.cookies(CALLBACK)).toMatch(/^sessionid=[\w-]{43}$/)
    }))

  test('marks its cookie as Secure if base_url is https', () =>
    withProvider({ settings: { base_url: 'https://podstep.example/podcasts' } }, async ({ app }) => {
      const { headers } = await clientOf(app, { host: 'podstep.example' }).get(`/podcasts${LOGIN}`)
      expect(headers.get('set-cookie')).toMatch(/^podstep_sso_.*; Secure$/)
    }))

  test.each([
    ['/login?from=sso', '/login?from=sso'],
    ['//evil.example/', '/'],
  ])('with return_to=%s ends at %s', (returnTo, path) =>
    withProvider({}, async ({ browser }) =>
      expectSignedIn(await browser.visit(`${LOGIN}?return_to=${encodeURIComponent(returnTo)}`), path),
    ),
  )

  test.each([
    [null, 'select_account'],
    [['none', 'login', 'select_account'], 'select_account'],
    [['none', 'login'], 'login'],
  ])('with another account and prompt_values_supported=%j, sends prompt=%s', (known, prompt) =>
    withProvider({ lies: { discovery: adding({ prompt_values_supported: known }) } }, async ({ browser, provider }) => {
      const page = await browser.visit(`${LOGIN}?prompt=select_account`)
      expectSignedIn(page)
      expect(hopTo(page, `${provider.issuer}/authorize?`).query['prompt']).toBe(prompt)
      expect(hopTo(await browser.visit(LOGIN), `${provider.issuer}/authorize?`).query).not.toHaveProperty('prompt')
    }),
  )

  test('leads back to /login without a session if the user cancels', () =>
    withRealProvider({}, async ({ app, browser }) => {
      expectFailed(await browser.click(await browser.visit(LOGIN), 'Cancel'), 'sso_denied')
      expect(await names(app)).toEqual([])
    }))
})

describe('a provider', () => {
  test.each<[only: string, listed: readonly string[] | undefined, tries: number]>([
    ['client_secret_basic', undefined, 1],
    ['client_secret_basic', ['client_secret_post'], 2],
    ['client_secret_post', ['client_secret_basic', 'client_secret_post'], 2],
  ])('may accept only %s while it announces %j: %i attempts, and one from then on', (only, listed, tries) => {
    const discovery = adding(listed ? { token_endpoint_auth_methods_supported: listed } : {})
    const refused = () => Response.json({ error: 'invalid_client' }, { status: 401 })
    const token: Lies['token'] = (truth, by) => (by === only ? truth : refused())
    return withProvider({ lies: { discovery, token } }, async ({ signIn, times }) => {
      expectSignedIn(await signIn())
      expect(times('/token')).toBe(tries)
      expectSignedIn(await signIn())
      expect(times('/token')).toBe(tries + 1)
    })
  })

  test.each([
    [400, 'invalid_client', 2],
    [401, 'invalid_client', 2],
    [400, 'invalid_grant', 1],
  ])('may refuse with status %i and %s: the sign-in fails after %i attempts', (status, error, tries) =>
    withProvider({ lies: { token: () => Response.json({ error }, { status }) } }, async ({ app, browser, times }) => {
      expectFailed(await browser.visit(LOGIN), 'sso_failed')
      expect(times('/token')).toBe(tries)
      const refused = 'the provider rejects oidc_client_id and oidc_client_secret'
      expect(app.logs.join('').includes(refused)).toBe(error === 'invalid_client')
    }),
  )

  test.each([
    ['client_secret_basic', 'RS256'],
    ['client_secret_post', 'PS256'],
    ['none', 'ES256'],
  ] as const)('may authenticate clients by %s, sign with %s, and rotate its keys', (authMethod, algorithm) =>
    withRealProvider({ authMethod, algorithm }, async ({ app, browser, provider }) => {
      expectSignedIn(await signInAs(browser, 'ida'))
      provider.rotateKeys()
      expectSignedIn(await signInAs(openBrowser(app), 'ida'))
      expect(await names(app)).toEqual(['ida'])
    }),
  )

  test('may put names, email addresses and groups into the ID token', () => {
    const settings = { oidc_admin_group: 'podcast-admins' }
    return withRealProvider({ claimsAt: 'id_token', settings }, async ({ app, browser }) => {
      await signUp(app, 'eva')
      await signInAs(browser, 'ole-24')
      const account = { username: 'ole', email: 'ole@pods.example', is_admin: true }
      expect((await browser.visit('/api/2/me')).json).toMatchObject(account)
    })
  })

  test.each(['/', '/realms/home'])('at %s has the same accounts whether or not oidc_issuer ends in a slash', (path) =>
    withRealProvider({ path }, async ({ app, browser, provider }) => {
      expectSignedIn(await signInAs(browser, 'ole-24'))
      const identity = { issuer: provider.issuer, subject: 'ole-24' }
      expect((await browser.visit('/api/2/me/identities')).json).toMatchObject([identity])
      await browser.visit('/auth/sso/logout', { form: {} })
      const { oidc_issuer = '' } = provider.settings
      const other = oidc_issuer.endsWith('/') ? oidc_issuer.slice(0, -1) : `${oidc_issuer}/`
      const later = startTestApp({ settings: { ...provider.settings, oidc_issuer: other }, db: app.db })
      expectSignedIn(await signInAs(openBrowser(later), 'ole-24'))
      expect(await names(later)).toEqual(['ole'])
    }),
  )
})

describe('signing out', () => {
  test('ends the session here and at the provider', () =>
    withRealProvider({}, async ({ browser, provider, clientIn }) => {
      await signInAs(browser, 'ida')
      const stolen = clientIn(browser)
      const evil = { form: {}, headers: { origin: 'https://evil.example' } }
      expectError(await browser.visit('/auth/sso/logout', evil), 403, 'csrf_rejected')
      expect(await stolen.get(ME)).toMatchObject({ status: 200 })
      const page = await browser.visit('/auth/sso/logout', { form: {}, headers: { origin: 'http://podstep.example' } })
      const [here, there] = page.hops
      const cookies = [expect.stringMatching(/^sessionid=;.*Max-Age=0/)]
      expect(here).toMatchObject({ method: 'POST', status: 303, cookies })
      expect(there?.url).toStartWith(`${provider.issuer}/session/end?`)
      expect(there?.url).toMatch(/&id_token_hint=[\w-]+\.[\w-]+\.[\w-]+$/)
      expect(await browser.submit(page, { logout: 'yes' })).toMatchObject({ status: 200, url: `${BASE_URL}/login` })
      expectError(await stolen.get(ME), 401, 'unauthorized')
      expect((await browser.visit(LOGIN)).text).toContain('name="password"')
    }))

  test('works here while the provider is down', () =>
    withRealProvider({}, async ({ app, browser, provider, clientIn }) => {
      await signInAs(browser, 'ida')
      const stolen = clientIn(browser)
      await provider.stop()
      // The cached metadata has expired.
      app.clock.advance(601)
      expect((await browser.visit('/auth/sso/logout', { form: {} })).url).toBe(`${BASE_URL}/login`)
      expectError(await stolen.get(ME), 401, 'unauthorized')
    }))
})

test('/auth/sso/info has the name of the provider and the URL to sign in', () =>
  withProvider({ settings: { oidc_name: 'Harbour ID' } }, async ({ browser }) => {
    const info = { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' }
    expect((await browser.visit('/auth/sso/info')).json).toEqual(info)
  }))

test('without a provider /auth/sso/info says so, and the other endpoints are 404', async () => {
  const app = startTestApp({ settings: { base_url: BASE_URL } })
  const browser = openBrowser(app)
  const { json } = await browser.visit('/auth/sso/info')
  expect(json).toEqual({ enabled: false, provider_name: null, login_url: null })
  for (const path of [LOGIN, `${LOGIN}?link=1`, '/auth/sso/callback?code=x&state=y'])
    expectError(await browser.visit(path), 404, 'sso_disabled')
  expectError(await browser.visit('/auth/sso/link', { form: {} }), 404, 'sso_disabled')
  expectError(await (await signUp(app)).post('/podcasts/api/admin/sso/test'), 404, 'sso_disabled')
})
