import { describe, expect, test } from 'bun:test'
import { failureMessage } from '../../src/sso/failure-message.ts'
import { expectError } from '../http/error.ts'
import { startTestApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { CERTIFICATE } from '../support/certificate.ts'
import { signUp } from '../support/client.ts'
import { CLIENT_SECRET, type Lies, startLyingProvider } from '../support/lying-provider.ts'
import { startWebServer } from '../support/web-server.ts'
import { adding, CALLBACK, expectFailed, expectSignedIn, LOGIN, timeOut, without, withProvider } from './scene.ts'

const TEST = '/podcasts/api/admin/sso/test'
const DISCOVERY = '/.well-known/openid-configuration'
const GOOD = { ok: true, cause: '' }
const BUSY: Lies = { discovery: () => new Response(null, { status: 503 }) }
const BASE = { base_url: 'http://podstep.example/podcasts' }

test.each<[string, Lies['discovery'], RegExp]>([
  ['names another issuer', adding({ issuer: 'https://evil.example' }), /names the issuer "https:\/\/evil.example"/],
  ['answers 500', () => Response.json({}, { status: 500 }), /500/],
  ['redirects elsewhere', () => Response.redirect('https://evil.example/'), /302/],
  ['is a web page', () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }), /./],
  ['has no authorization endpoint', without('authorization_endpoint'), /no (?:usable )?authorization endpoint/],
  [
    'has a script as its authorization endpoint',
    adding({ authorization_endpoint: 'javascript:x' }),
    /no usable authorization endpoint/,
  ],
])('sign-ins fail if the metadata of the provider %s', (_case, discovery = adding({}), cause) =>
  withProvider({ lies: { discovery } }, async ({ app, browser, logged }) => {
    expectFailed(await browser.visit(LOGIN), 'sso_unavailable')
    expect(browser.cookies(CALLBACK)).toBe('')
    expect((await (await signUp(app)).post(TEST)).json).toEqual({ ok: false, cause: expect.stringMatching(cause) })
    expect(logged()).toMatchObject([
      { level: 'warn', code: 'sso_unavailable', cause: expect.stringMatching(cause) },
      { level: 'warn', msg: 'the provider failed a test', cause: expect.stringMatching(cause) },
    ])
    expect(app.logs.join()).not.toContain(CLIENT_SECRET)
  }),
)

test('the metadata is fetched once in ten minutes and once for concurrent sign-ins, and again after a failure', () =>
  withProvider({ lies: BUSY }, async ({ app, provider, signIn, times }) => {
    expectFailed(await signIn(), 'sso_unavailable')
    provider.lies = {}
    for (let n = 0; n < 3; n++) expectSignedIn(await signIn())
    expect(times(DISCOVERY)).toBe(2)
    app.clock.advance(600)
    for (const page of await Promise.all([signIn(), signIn(), signIn()])) expectSignedIn(page)
    expect(times(DISCOVERY)).toBe(3)
  }))

test.each([[['none', 'HS512']], [['HS256', 'HS384']]])(
  'signing with %j fails sign-ins and the test, with a message that names the algorithm and the remedy',
  (id_token_signing_alg_values_supported) =>
    withProvider({ lies: { discovery: adding({ id_token_signing_alg_values_supported }) } }, async (scene) => {
      expectFailed(await scene.browser.visit(LOGIN), 'sso_failed')
      const names = id_token_signing_alg_values_supported.join(', ')
      const cause = expect.stringMatching(new RegExp(`signs with ${names}: .*Authentik.*signing key`))
      expect((await (await signUp(scene.app)).post(TEST)).json).toEqual({ ok: false, cause })
      expect(scene.logged()).toContainEqual(expect.objectContaining({ level: 'warn', code: 'sso_failed', cause }))
      expect(scene.times('/authorize')).toBe(0)
    }),
)

test.each<[string, Lies]>([
  ['signed with the shared secret', { discovery: adding({ id_token_signing_alg_values_supported: ['HS256'] }) }],
  ['signed with an algorithm it does not list', { header: adding({ alg: 'PS512' }) }],
  ['moved its token endpoint', { discovery: adding({ token_endpoint: 'http://127.0.0.1:1/' }) }],
])('a provider that %s works again as soon as it is fixed', (_case, lies) =>
  withProvider({ lies }, async ({ provider, signIn }) => {
    expect((await signIn()).url).toContain('/login?error=')
    provider.lies = {}
    expectSignedIn(await signIn())
  }),
)

test('null in metadata or tokens counts as absent', () => {
  const discovery = adding({ userinfo_endpoint: null, scopes_supported: null })
  const token = adding({ refresh_token: null, scope: null, expires_in: null })
  return withProvider({ lies: { discovery, token } }, async ({ signIn }) => expectSignedIn(await signIn()))
})

test('oidc_issuer may include the path of the metadata', async () => {
  await using provider = startLyingProvider()
  const oidc_issuer = `${provider.settings['oidc_issuer']}${DISCOVERY}/`
  expectSignedIn(await openBrowser(startTestApp({ settings: { ...provider.settings, oidc_issuer } })).visit(LOGIN))
})

test.each([{}, { end_session_endpoint: 'here' }])(
  'signing out ends at the login page if the provider has no endpoint for it: %j',
  (more) =>
    withProvider({ lies: { discovery: adding(more) } }, async ({ browser }) => {
      await browser.visit(LOGIN)
      const { url, hops } = await browser.visit('/auth/sso/logout', { form: {} })
      expect([url, hops.length]).toEqual(['http://podstep.example/podcasts/login', 2])
      expect(await browser.visit('/api/2/me')).toMatchObject({ status: 401 })
    }),
)

describe('a test of single sign-on', () => {
  const open = async (settings: Record<string, string>) => signUp(startTestApp({ settings: { ...BASE, ...settings } }))

  const UNTRUSTED = /^the certificate of the provider is not trusted \([A-Z_]+\)$/
  test.each([
    ['has a self-signed certificate', CERTIFICATE, UNTRUSTED],
    ['speaks plain HTTP', undefined, /does not use TLS \(EPROTO\)$/],
  ])('explains a server that %s', async (_case, certificate, cause) => {
    await using server = startWebServer({}, certificate)
    const ida = await open({ oidc_issuer: `https://127.0.0.1:${server.port}`, oidc_client_id: 'podstep' })
    expect((await ida.post(TEST)).json).toEqual({ ok: false, cause: expect.stringMatching(cause) })
  })

  test('fails after five seconds, as sign-ins do', async () => {
    using time = timeOut()
    await withProvider({ lies: { discovery: time.late } }, async ({ app, signIn }) => {
      const cause = 'the provider does not answer in time'
      expect((await (await signUp(app)).post(TEST)).json).toEqual({ ok: false, cause })
      expectFailed(await signIn(), 'sso_unavailable')
    })
    expect(time.limits()).toEqual([5000, 5000])
  })

  test('ignores cached metadata, refreshes it for sign-ins, and is limited to ten a minute', () =>
    withProvider({}, async ({ app, signIn, times }) => {
      const ida = await signUp(app)
      expectSignedIn(await signIn())
      for (let n = 0; n < 10; n++) expect((await ida.post(TEST)).json).toEqual(GOOD)
      expectError(await ida.post(TEST), 429, 'rate_limited')
      expectSignedIn(await signIn())
      expect(times(DISCOVERY)).toBe(11)
      app.clock.advance(60)
      expect((await ida.post(TEST)).status).toBe(200)
    }))
})

test.each([
  ['ENOTFOUND', 'the name of the provider cannot be resolved (ENOTFOUND)'],
  ['HOSTNAME_MISMATCH', 'the certificate of the provider is not trusted (HOSTNAME_MISMATCH)'],
  ['EOTHER', 'getaddrinfo failed (EOTHER)'],
])('error code %s is explained as: %s', (code, message) =>
  expect(failureMessage(Object.assign(new TypeError('getaddrinfo failed'), { code }))).toBe(message),
)
