import { expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { names } from '../http/accounts.ts'
import { CLIENT_SECRET, type Lies } from '../support/lying-provider.ts'
import { adding, expectFailed, expectSignedIn, LOGIN, timeOut, without, withProvider } from './scene.ts'

type Json = Readonly<Record<string, unknown>>

const now = () => Math.floor(Date.now() / 1000)
const status = (code: number) => () => Response.json({}, { status: code })
const html = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
/** A provider that does not support RFC 9207. */
const nameless: Lies = { discovery: without('authorization_response_iss_parameter_supported') }
const bare = ({ iss, aud, sub, nonce, iat, exp }: Json): Json => ({ iss, aud, sub, nonce, iat, exp })
const CLOSED_PORT = 'http://127.0.0.1:1/'

function withSecret(input: string): string {
  return createHmac('sha256', CLIENT_SECRET).update(input).digest('base64url')
}

function withAnotherKey(input: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

/** Expects a failed sign-in whose only log line names the cause but no secret. */
function expectFailure(lies: Lies, cause: RegExp): Promise<void> {
  return withProvider({ lies }, async ({ app, browser, provider, logged }) => {
    expectFailed(await browser.visit(LOGIN), 'sso_failed')
    expect(logged()).toEqual([
      {
        ...{ level: 'warn', time: expect.any(String), msg: 'single sign-on failed', code: 'sso_failed' },
        cause: expect.stringMatching(cause),
      },
    ])
    // The client secret, and at least three values that passed through the browser.
    expect(provider.secrets.length).toBeGreaterThanOrEqual(4)
    for (const secret of provider.secrets) expect(app.logs.join('')).not.toContain(secret)
    expect(await names(app)).toEqual([])
  })
}

/** The ID token has no email address, so that userinfo is requested. */
const short = without('email')
const otherIssuer = (truth: Json) => ({ ...truth, iss: `${String(truth['iss'])}/` })

test.each<[string, Lies, RegExp]>([
  ['the ID token has an issuer that differs by a slash', { claims: otherIssuer }, /"iss".*value/],
  ['the ID token is for another client', { claims: adding({ aud: 'another' }) }, /"aud".*value/],
  ['the ID token has the nonce of another sign-in', { claims: adding({ nonce: 'another' }) }, /"nonce".*value/],
  ['the ID token has expired', { claims: (truth) => ({ ...truth, exp: now() - 90 }) }, /"exp".*past/],
  ['the ID token never expires', { claims: without('exp') }, /"exp".*missing/],
  ['the ID token has no subject', { claims: without('sub') }, /"sub".*missing/],
  ['the ID token is not signed', { header: adding({ alg: 'none' }), signature: () => '' }, /unsupported JWS/],
  [
    'the ID token is signed with the secret',
    { header: adding({ alg: 'HS256' }), signature: withSecret },
    /"HS256".*signing key/,
  ],
  ['the ID token has an unlisted algorithm', { header: adding({ alg: 'PS512' }) }, /"PS512".*does not name it/],
  ['the ID token is encrypted', { token: adding({ id_token: 'a.b.c.d.e' }) }, /encrypts.*remove the encryption key/],
  ['the ID token is signed with another key', { signature: withAnotherKey }, /signature verification failed/],
  ['the ID token is missing', { token: without('id_token') }, /"id_token"/],
  ['the callback names another issuer', { callback: adding({ iss: 'https://evil.example' }) }, /unexpected "iss"/],
  ['the callback has no issuer', { callback: without('iss') }, /"iss".*missing/],
  ['the callback has no code', { callback: without('code') }, /no authorization code/],
  ['the callback has an error', { callback: adding({ error: 'server_error' }) }, /error: server_error/],
  ['the token endpoint fails', { token: status(500) }, /status code/],
  ['the token endpoint redirects', { token: () => Response.redirect('https://evil.example') }, /status code/],
  ['the keys cannot be fetched', { discovery: adding({ jwks_uri: CLOSED_PORT }) }, /ECONNREFUSED/],
  ['userinfo is refused, and needed for a username', { claims: bare, userinfo: status(403) }, /status 403/],
  ['userinfo fails', { claims: short, userinfo: status(500) }, /status code/],
  ['userinfo is about another user', { claims: short, userinfo: adding({ sub: 'eva' }) }, /"sub".*value/],
  ['userinfo is a web page', { claims: short, userinfo: html }, /content-type/],
])('a sign-in fails if %s', (_case, lies, cause) => expectFailure(lies, cause))

test.each(['token', 'keys', 'userinfo'] as const)(
  'a sign-in fails if the response from %s takes five seconds',
  async (endpoint) => {
    using time = timeOut()
    await expectFailure({ claims: short, [endpoint]: time.late }, /does not answer in time/)
    expect(new Set(time.limits())).toEqual(new Set([5000]))
  },
)

test.each<[string, Lies]>([
  ['everything is in order', {}],
  ['the clock of the provider is a little fast', { claims: (truth) => ({ ...truth, nbf: now() + 30 }) }],
  ['the clock of the provider is a little slow', { claims: (truth) => ({ ...truth, exp: now() - 30 }) }],
  ['the token has further audiences', { claims: adding({ aud: ['podstep', 'another'], azp: 'podstep' }) }],
  ['the provider omits the optional iss parameter', { ...nameless, callback: without('iss') }],
  ['the token omits the key ID', { header: without('kid') }],
])('a sign-in works if %s', (_case, lies) =>
  withProvider({ lies }, async ({ app, browser, provider }) => {
    expectSignedIn(await browser.visit(LOGIN))
    for (const secret of provider.secrets) expect(app.logs.join('')).not.toContain(secret)
  }),
)

test.each(['401', '403', '404'])('the ID token is enough if userinfo answers %s', (code) => {
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"' }
  const userinfo = () => Response.json({}, { status: Number(code), ...(code === '403' && { headers }) })
  return withProvider({ lies: { claims: without('email_verified'), userinfo } }, async ({ browser, logged }) => {
    expectSignedIn(await browser.visit(LOGIN))
    expect((await browser.visit('/api/2/me')).json).toMatchObject({ username: 'ida' })
    expect(logged()).toContainEqual(expect.objectContaining({ level: 'warn', msg: expect.stringContaining(code) }))
  })
})

test.each<[string, Lies, RegExp | undefined]>([
  ['is accepted', {}, undefined],
  ['is refused if signed with another key', { signature: withAnotherKey }, /signature verification failed/],
  ['is refused if about another user', { claims: adding({ sub: 'eva' }) }, /"sub"/],
])('userinfo as a signed token %s', (_case, lies, cause) =>
  withProvider({}, async ({ browser, provider, logged }) => {
    provider.lies = {
      claims: without('email'),
      userinfo(truth) {
        provider.lies = lies
        return new Response(provider.jwt(truth), { headers: { 'content-type': 'application/jwt' } })
      },
    }
    const page = await browser.visit(LOGIN)
    if (cause) {
      expectFailed(page, 'sso_failed')
      expect(logged()).toMatchObject([{ cause: expect.stringMatching(cause) }])
      return
    }
    expectSignedIn(page)
    expect((await browser.visit('/api/2/me')).json).toMatchObject({ email: 'ida@pods.example' })
  }),
)
