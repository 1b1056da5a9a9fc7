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
  ['is of another issuer', adding({ issuer: 'https://evil.example' }), /calls itself "https:\/\/evil.example"/],
  ['fails', () => Response.json({}, { status: 500 }), /500/],
  ['leads elsewhere', () => Response.redirect('https://evil.example/'), /302/],
  ['is a page', () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }), /./],
  ['names no page to sign in', without('authorization_endpoint'), /no (?:usable )?authorization endpoint/],
  ['names a script to sign in', adding({ authorization_endpoint: 'javascript:x' }), /no usable authorization endpoint/],
])('when the description of the provider %s, nobody can sign in', (_case, discovery = adding({}), cause) =>
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

test('a failure is forgotten with the next sign-in; else the description is asked for once in ten minutes, and at once', () =>
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
  'a provider that signs with %j fails each sign-in and the test, which name the algorithm and what to do',
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
  ['signs with the shared secret', { discovery: adding({ id_token_signing_alg_values_supported: ['HS256'] }) }],
  ['signs otherwise than it says', { header: adding({ alg: 'PS512' }) }],
  ['has moved its token endpoint', { discovery: adding({ token_endpoint: 'http://127.0.0.1:1/' }) }],
])('a provider that %s can be used as soon as it is mended', (_case, lies) =>
  withProvider({ lies }, async ({ provider, signIn }) => {
    expect((await signIn()).url).toContain('/login?error=')
    provider.lies = {}
    expectSignedIn(await signIn())
  }),
)

test('members that are null are the same as missing ones', () => {
  const discovery = adding({ userinfo_endpoint: null, scopes_supported: null })
  const token = adding({ refresh_token: null, scope: null, expires_in: null })
  return withProvider({ lies: { discovery, token } }, async ({ signIn }) => expectSignedIn(await signIn()))
})

test('oidc_issuer may end in the path of the description', async () => {
  await using provider = startLyingProvider()
  const oidc_issuer = `${provider.settings['oidc_issuer']}${DISCOVERY}/`
  expectSignedIn(await openBrowser(startTestApp({ settings: { ...provider.settings, oidc_issuer } })).visit(LOGIN))
})

test.each([{}, { end_session_endpoint: 'here' }])('a provider that ends no sessions is not asked to: %j', (more) =>
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
    ['has signed its certificate itself', CERTIFICATE, UNTRUSTED],
    ['does not encrypt', undefined, /does not encrypt \(EPROTO\)$/],
  ])('tells when what answers %s', async (_case, certificate, cause) => {
    await using server = startWebServer({}, certificate)
    const ida = await open({ oidc_issuer: `https://127.0.0.1:${server.port}`, oidc_client_id: 'podstep' })
    expect((await ida.post(TEST)).json).toEqual({ ok: false, cause: expect.stringMatching(cause) })
  })

  test('tells when it takes longer than five seconds, and nobody can sign in', async () => {
    using time = timeOut()
    await withProvider({ lies: { discovery: time.late } }, async ({ app, signIn }) => {
      const cause = 'the provider takes too long to answer'
      expect((await (await signUp(app)).post(TEST)).json).toEqual({ ok: false, cause })
      expectFailed(await signIn(), 'sso_unavailable')
    })
    expect(time.limits()).toEqual([5000, 5000])
  })

  test('asks again whatever is known, sign-ins go by what it has learnt, and it may be made ten times a minute', () =>
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

test('a failure is told in plain words with its code, in so far as there are any', () => {
  for (const [codes, words] of [
    ['ENOTFOUND EAI_AGAIN', 'the name of the provider cannot be resolved'],
    ['ECONNREFUSED', 'cannot connect to the provider: nothing answers at its address'],
    ['EHOSTUNREACH ENETUNREACH', 'cannot connect to the provider: no way leads to its address'],
    ['ECONNRESET', 'the connection to the provider broke off'],
    ['EPROTO', 'what answers at the address of the provider does not encrypt'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED', 'the certificate of the provider is not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE HOSTNAME_MISMATCH', 'the certificate of the provider is not trusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the provider is not trusted'],
    ['EOTHER', 'getaddrinfo failed'],
  ] as const)
    for (const code of codes.split(' '))
      expect(failureMessage(Object.assign(new TypeError('getaddrinfo failed'), { code }))).toBe(`${words} (${code})`)
  const unreadable = 'the answer of the provider cannot be read: Unexpected <'
  expect(failureMessage(new SyntaxError('Unexpected <'))).toBe(unreadable)
  expect(failureMessage('broken')).toBe('unknown cause')
})
