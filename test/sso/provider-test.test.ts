import { describe, expect, spyOn, test } from 'bun:test'
import { expectRefusal } from '../http/refusal.ts'
import { startTestApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE } from '../support/certificate.ts'
import { clientOf, signUp } from '../support/client.ts'
import { CLIENT_SECRET, type Lies, startLyingProvider } from '../support/lying-provider.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { startRawServer, startWebServer } from '../support/web-server.ts'
import { expectSignedIn } from './sign-ins.ts'

type Json = Readonly<Record<string, unknown>>

const TEST = '/podcasts/api/admin/sso/test'
const DISCOVERY = '/.well-known/openid-configuration'
const GOOD = { ok: true, cause: '' }
const adding = (more: Json) => (truth: Json) => ({ ...truth, ...more })
const without = (key: string) => (truth: Json) =>
  Object.fromEntries(Object.entries(truth).filter(([each]) => each !== key))

/** Administrator ida, ole, and a podstep with these settings. */
async function open({ settings }: { readonly settings: Record<string, string> }) {
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  return { app, ida, ole: await signUp(app, 'ole'), anyone: clientOf(app) }
}

const settingsOf = (issuer: string) => ({
  base_url: 'http://podstep.example/podcasts',
  oidc_issuer: issuer,
  oidc_client_id: 'podstep',
  oidc_client_secret: CLIENT_SECRET,
})

async function causeAt(issuer: string): Promise<unknown> {
  const { ida } = await open({ settings: settingsOf(issuer) })
  const { status, json } = await ida.post(TEST)
  expect([status, json]).toEqual([200, { ok: false, cause: expect.stringMatching(/^.{10,}$/) }])
  return json
}

describe('a test of the single sign-on', () => {
  test('is good at a real provider, and at one that podstep calls by its name without the slash', async () => {
    await using provider = await startOidcProvider({ path: '/realms/home/' })
    const { oidc_issuer: issuer = '' } = provider.settings
    for (const name of [issuer, issuer.replace(/\/$/, '')]) {
      const { ida } = await open({ settings: { ...provider.settings, oidc_issuer: name } })
      const { status, json, headers } = await ida.post(TEST)
      expect([status, json, headers.get('cache-control')]).toEqual([200, GOOD, 'no-store'])
    }
  })

  test('is 404 where there is none', async () => {
    const { ida } = await open({ settings: { base_url: 'http://podstep.example/podcasts' } })
    expectRefusal(await ida.post(TEST), 404, 'sso_disabled')
  })

  test('is for administrators, whether or not there is one', async () => {
    await using provider = startLyingProvider()
    for (const settings of [provider.settings, { base_url: 'http://podstep.example/podcasts' }]) {
      const { ole, anyone } = await open({ settings })
      expectRefusal(await anyone.post(TEST), 401, 'unauthorized')
      expectRefusal(await ole.post(TEST), 403, 'admin_required')
    }
    expect(provider.asked).toEqual([])
  })

  test.each<[string, Lies['discovery'], RegExp]>([
    ['is of another issuer', adding({ issuer: 'https://evil.example' }), /calls itself "https:\/\/evil.example"/],
    ['is of no issuer', without('issuer'), /calls itself/],
    ['is not there', () => new Response(null, { status: 404 }), /answers its discovery address with 404/],
    ['fails', () => Response.json({}, { status: 500 }), /answers its discovery address with 500/],
    ['leads elsewhere', () => Response.redirect('https://evil.example/'), /302/],
    ['is a page', () => new Response('<h1>Welcome</h1>'), /answer of the provider cannot be read/],
    ['is nothing', () => new Response(''), /answer of the provider cannot be read/],
    ['names no page to sign in', without('authorization_endpoint'), /no usable authorization endpoint/],
    ['names something else there', adding({ authorization_endpoint: 'here' }), /no usable authorization endpoint/],
    ['names a script there', adding({ authorization_endpoint: 'javascript:x' }), /no usable authorization endpoint/],
    ['names nothing for codes', without('token_endpoint'), /no usable token endpoint/],
    ['names no keys', without('jwks_uri'), /no usable address of its keys/],
  ])('tells when the description of the provider %s', async (_case, discovery = adding({}), cause) => {
    await using provider = startLyingProvider({ discovery })
    const { app, ida } = await open(provider)
    const { status, json } = await ida.post(TEST)
    expect([status, json]).toEqual([200, { ok: false, cause: expect.stringMatching(cause) }])
    expect(app.logs.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: 'the provider failed a test', cause: expect.stringMatching(cause) },
    ])
    expect(app.logs.join()).not.toContain(CLIENT_SECRET)
  })

  test('tells when nothing answers there', async () => {
    const provider = startLyingProvider()
    await provider[Symbol.asyncDispose]()
    const cause = 'cannot connect to the provider: nothing answers at its address (ECONNREFUSED)'
    expect(await causeAt(provider.issuer)).toEqual({ ok: false, cause })
  })

  test('tells when the connection breaks off', async () => {
    await using server = await startRawServer((socket) => socket.destroy())
    const cause = 'the connection to the provider broke off (ECONNRESET)'
    expect(await causeAt(`http://127.0.0.1:${server.port}`)).toEqual({ ok: false, cause })
  })

  test.each([
    ['signed itself', CERTIFICATE],
    ['is too old', EXPIRED_CERTIFICATE],
  ])('tells when its certificate %s', async (_case, certificate) => {
    await using server = startWebServer({}, certificate)
    const cause = expect.stringMatching(/^the certificate of the provider is not trusted \([A-Z_]+\)$/)
    expect(await causeAt(`https://127.0.0.1:${server.port}`)).toEqual({ ok: false, cause })
  })

  test('tells when it does not encrypt', async () => {
    await using server = startWebServer({})
    const cause = 'what answers at the address of the provider does not encrypt (EPROTO)'
    expect(await causeAt(`https://127.0.0.1:${server.port}`)).toEqual({ ok: false, cause })
  })

  test('tells when it takes longer than five seconds', async () => {
    let expire = () => {}
    using timeout = spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const limit = new AbortController()
      expire = () => limit.abort(new DOMException('too late', 'TimeoutError'))
      return limit.signal
    })
    const late = () => {
      expire()
      return new Promise<never>(() => undefined)
    }
    await using provider = startLyingProvider({ discovery: late })
    const { ida } = await open(provider)
    expect((await ida.post(TEST)).json).toEqual({ ok: false, cause: 'the provider takes too long to answer' })
    expect(timeout.mock.calls).toEqual([[5000]])
  })

  test('asks anew whatever is known, and sign-ins go by what it has learnt', async () => {
    await using provider = startLyingProvider()
    const { app, ida } = await open(provider)
    const times = () => provider.asked.filter((path) => path === DISCOVERY).length
    expectSignedIn(await openBrowser(app).visit('/auth/sso/login'))
    expect((await ida.post(TEST)).json).toEqual(GOOD)
    expect((await ida.post(TEST)).json).toEqual(GOOD)
    expectSignedIn(await openBrowser(app).visit('/auth/sso/login'))
    expect(times()).toBe(3)
  })

  test('may be made ten times a minute', async () => {
    await using provider = startLyingProvider()
    const { app, ida } = await open(provider)
    for (let n = 0; n < 10; n++) expect((await ida.post(TEST)).status).toBe(200)
    expectRefusal(await ida.post(TEST), 429, 'rate_limited')
    app.clock.advance(60)
    expect((await ida.post(TEST)).status).toBe(200)
  })
})
