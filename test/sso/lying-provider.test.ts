import { describe, expect, spyOn, test } from 'bun:test'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { TestApp } from '../support/app.ts'
import { CLIENT_SECRET, type Lies, type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

type Json = Readonly<Record<string, unknown>>

const now = () => Math.floor(Date.now() / 1000)
const adding = (more: Json) => (truth: Json) => ({ ...truth, ...more })
const without = (key: string) => (truth: Json) =>
  Object.fromEntries(Object.entries(truth).filter(([each]) => each !== key))
const status = (code: number) => () => Response.json({}, { status: code })
const html = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
/** Older than RFC 9207. */
const nameless: Lies = { discovery: without('authorization_response_iss_parameter_supported') }
const NOBODY_LISTENS = 'http://127.0.0.1:1/'

function withSecret(input: string): string {
  return createHmac('sha256', CLIENT_SECRET).update(input).digest('base64url')
}

function withAnotherKey(input: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

/** The one line in the log says what was wrong, and nothing that somebody could use. */
function expectCause(app: TestApp, provider: LyingProvider, cause: RegExp): void {
  expect(app.logs.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'warn',
      time: expect.any(String),
      msg: 'single sign-on failed',
      word: 'sso_failed',
      cause: expect.stringMatching(cause),
    },
  ])
  // The client secret, and what at least went by way of the browser.
  expect(provider.secrets.length).toBeGreaterThanOrEqual(4)
  for (const secret of provider.secrets) expect(app.logs.join('')).not.toContain(secret)
}

async function expectNobody(lies: Lies, cause: RegExp): Promise<void> {
  await using provider = startLyingProvider(lies)
  const { app, browser } = open(provider)
  expectFailed(await browser.visit('/auth/sso/login'), 'sso_failed')
  expectCause(app, provider, cause)
  expect(await names(app)).toEqual([])
}

describe('nobody is signed in', () => {
  test.each<[string, (truth: Json) => Json, RegExp]>([
    ['is of another issuer', adding({ iss: 'https://evil.example' }), /"iss".*value/],
    ['is of this issuer but for a slash', (truth) => ({ ...truth, iss: `${String(truth['iss'])}/` }), /"iss".*value/],
    ['is of no issuer', without('iss'), /"iss".*missing/],
    ['is for another client', adding({ aud: 'another' }), /"aud".*value/],
    ['is for others too, and does not say who asked', adding({ aud: ['podstep', 'another'] }), /untrusted audiences/],
    ['was asked for by another client', adding({ aud: ['podstep', 'another'], azp: 'another' }), /"azp"/],
    ['is for nobody', without('aud'), /"aud".*missing/],
    ['has the nonce of another sign-in', adding({ nonce: 'another' }), /"nonce".*value/],
    ['has no nonce', without('nonce'), /"nonce".*missing/],
    ['has expired', (truth) => ({ ...truth, exp: now() - 90 }), /"exp".*past/],
    ['never expires', without('exp'), /"exp".*missing/],
    ['is not valid yet', (truth) => ({ ...truth, nbf: now() + 90 }), /"nbf"/],
    ['does not say when it was made', without('iat'), /"iat".*missing/],
    ['is about nobody', without('sub'), /"sub".*missing/],
  ])('when the ID token %s', (_name, claims, cause) => expectNobody({ claims }, cause))

  test.each<[string, Lies, RegExp]>([
    ['is of an unknown key', { header: adding({ kid: 'key-2' }) }, /no applicable keys/],
    ['is not signed', { header: adding({ alg: 'none' }), signature: () => '' }, /unsupported JWS/],
    ['claims to be unsigned', { header: adding({ alg: 'none' }) }, /unsupported JWS/],
    [
      'is signed with the client secret',
      { header: adding({ alg: 'HS256' }), signature: withSecret },
      /unsupported JWS/,
    ],
    ['is signed with another key', { signature: withAnotherKey }, /signature verification failed/],
    ['has an empty signature', { signature: () => '' }, /signature verification failed/],
    ['names another kind of key', { header: adding({ alg: 'RS256' }) }, /no applicable keys/],
    ['names an algorithm the provider does not', { header: adding({ alg: 'ES384' }) }, /"alg"/],
    ['demands what nobody knows', { header: adding({ crit: ['x'], x: 1 }) }, /"crit"/],
    ['is no token', { token: adding({ id_token: 'x.y' }) }, /Invalid JWT/],
    ['is missing', { token: without('id_token') }, /"id_token"/],
  ])('when the ID token %s', (_name, lies, cause) => expectNobody(lies, cause))

  test.each<[string, Lies, RegExp]>([
    ['by another issuer', { callback: adding({ iss: 'https://evil.example' }) }, /unexpected "iss"/],
    ['by another issuer, which need not be named', { ...nameless, callback: adding({ iss: 'x' }) }, /unexpected "iss"/],
    ['by nobody in particular', { callback: without('iss') }, /"iss".*missing/],
    ['without a code', { callback: without('code') }, /no authorization code/],
    ['with an error', { callback: adding({ error: 'server_error' }) }, /error: server_error/],
  ])('when the browser is sent back %s', (_name, lies, cause) => expectNobody(lies, cause))

  test.each<[string, Lies, RegExp]>([
    ['fails', { token: status(500) }, /status code/],
    ['answers with a page', { token: html }, /content-type/],
    ['leads elsewhere', { token: () => Response.redirect('https://evil.example') }, /status code/],
    ['refuses the code', { token: () => Response.json({ error: 'invalid_grant' }, { status: 400 }) }, /invalid_grant/],
    ['sends no access token', { token: without('access_token') }, /"access_token"/],
    ['sends a token of an unknown kind', { token: adding({ token_type: 'mac' }) }, /token_type/],
    ['cannot be reached', { discovery: adding({ token_endpoint: NOBODY_LISTENS }) }, /ECONNREFUSED/],
  ])('when the token endpoint %s', (_name, lies, cause) => expectNobody(lies, cause))

  test.each<[string, Lies, RegExp]>([
    ['are not there', { keys: status(404) }, /status code/],
    ['are a page', { keys: html }, /content-type/],
    ['are none', { keys: () => ({ keys: [] }) }, /no applicable keys/],
    ['cannot be reached', { discovery: adding({ jwks_uri: NOBODY_LISTENS }) }, /ECONNREFUSED/],
  ])('when the keys %s', (_name, lies, cause) => expectNobody(lies, cause))

  test.each<[string, Lies['userinfo'], RegExp]>([
    ['is about somebody else', adding({ sub: 'eva' }), /"sub".*value/],
    ['is about nobody', without('sub'), /"sub"/],
    ['fails', status(500), /status code/],
    ['is refused', () => new Response(null, { status: 401 }), /status code/],
    ['is a page', html, /content-type/],
  ])('when userinfo %s', (_name, userinfo = adding({}), cause) =>
    expectNobody({ claims: without('email'), userinfo }, cause),
  )
})

describe('somebody is signed in', () => {
  test.each<[string, Lies]>([
    ['everything is as it should be', {}],
    ['a clock is a little slow', { claims: (truth) => ({ ...truth, nbf: now() + 30 }) }],
    ['a clock is a little fast', { claims: (truth) => ({ ...truth, exp: now() - 30 }) }],
    ['the token is for others too', { claims: adding({ aud: ['podstep', 'another'], azp: 'podstep' }) }],
    ['a provider does not name itself on the way back', { ...nameless, callback: without('iss') }],
    ['the token does not name its key', { header: without('kid') }],
  ])('when %s', async (_name, lies) => {
    await using provider = startLyingProvider(lies)
    const { app, browser } = open(provider)
    expectSignedIn(await browser.visit('/auth/sso/login'))
    for (const secret of provider.secrets) expect(app.logs.join('')).not.toContain(secret)
  })
})

describe('userinfo as a token', () => {
  const asToken = (provider: LyingProvider, lies: Lies) => (truth: Json) => {
    provider.lies = lies
    return new Response(provider.jwt(truth), { headers: { 'content-type': 'application/jwt' } })
  }

  test('is understood', async () => {
    await using provider = startLyingProvider()
    provider.lies = { claims: without('email'), userinfo: asToken(provider, {}) }
    const { browser } = open(provider)
    expectSignedIn(await browser.visit('/auth/sso/login'))
    expect((await browser.visit('/api/2/me')).json).toMatchObject({ email: 'ida@pods.example' })
  })

  test.each<[string, Lies, RegExp]>([
    ['of another key', { signature: withAnotherKey }, /signature verification failed/],
    ['without a signature', { header: adding({ alg: 'none' }), signature: () => '' }, /unsupported JWS/],
    ['of another issuer', { claims: adding({ iss: 'https://evil.example' }) }, /"iss"/],
    ['about somebody else', { claims: adding({ sub: 'eva' }) }, /"sub"/],
  ])('%s signs nobody in', async (_name, lies, cause) => {
    await using provider = startLyingProvider()
    provider.lies = { claims: without('email'), userinfo: asToken(provider, lies) }
    const { app, browser } = open(provider)
    expectFailed(await browser.visit('/auth/sso/login'), 'sso_failed')
    expectCause(app, provider, cause)
  })
})

describe('an answer that takes longer than five seconds', () => {
  test.each(['token', 'keys', 'userinfo'] as const)('from %s is not waited for', async (endpoint) => {
    const limits: (number | undefined)[] = []
    let expire = () => {}
    using _timeout = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const limit = new AbortController()
      expire = () => limit.abort(new DOMException('too late', 'TimeoutError'))
      limits.push(ms)
      return limit.signal
    })
    const late = () => {
      expire()
      return new Promise<never>(() => undefined)
    }
    await expectNobody({ claims: without('email'), [endpoint]: late }, /takes too long/)
    expect(new Set(limits)).toEqual(new Set([5000]))
  })
})
