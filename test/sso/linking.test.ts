import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { names } from '../http/accounts.ts'
import { expectError } from '../http/error.ts'
import { BASE_URL, type Browser } from '../support/browser.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
import { CALLBACK, expectFailed, expectSignedIn, LINK, LOGIN, ME, withProvider } from './scene.ts'

const IDENTITIES = `${ME}/identities`
const PASSWORD = `${ME}/password`
const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
/** Has the email address of eva's account. */
const SOMEBODY = { sub: '7', preferred_username: 'somebody', email: 'eva@pods.example' }
const IDA = { sub: '1', preferred_username: 'ida' }
const withEva = { hasEva: true }

const tokenOf = (browser: Browser) => /sessionid=[^;]*/.exec(browser.cookies(BASE_URL))?.[0]

/** Goes to the provider with `link=1`; returns the callback URL without opening it. */
async function callbackUrl(browser: Browser): Promise<string> {
  const { headers } = await browser.visit(LINK, { stopBefore: CALLBACK })
  return headers.get('location') ?? ''
}

describe('linking an identity', () => {
  test('keeps the session, returns to the page, and lets only this user sign in with it', () =>
    withProvider(withEva, async ({ app, provider, signInAs, localBrowser }) => {
      const browser = await localBrowser()
      const session = tokenOf(browser)
      const { page, client } = await signInAs(SOMEBODY, `${LINK}&return_to=/docs`, browser)
      expect([page.status, page.url, tokenOf(browser)]).toEqual([200, `${BASE_URL}/docs`, session])
      const identity = { id: expect.any(Number), issuer: provider.issuer, subject: '7', linked: '2025-03-02T10:00:00' }
      expect((await client.get(IDENTITIES)).json).toEqual([identity])
      await signUp(app, 'ole')
      expectFailed((await signInAs(SOMEBODY, LINK, await localBrowser('ole'))).page, 'identity_taken')
      const later = await signInAs(SOMEBODY)
      expectSignedIn(later.page)
      expect((await later.client.get(ME)).json).toMatchObject({ username: 'eva' })
      expect(await names(app)).toEqual(['eva', 'ole'])
    }))

  test('needs a browser session: neither a password nor the session of an app password is enough', () =>
    withProvider(withEva, async ({ browser, localBrowser, clientIn, provider }) => {
      for (const headers of [{}, basic('eva', 'seaglass')])
        expect((await browser.visit(LINK, { headers })).url).toBe(`${BASE_URL}/login`)
      const eva = clientIn(await localBrowser())
      const { password } = (await eva.post(`${ME}/app-passwords`, { name: 'Phone' })).json as { password: string }
      await browser.visit('/api/2/auth/eva/login.json', { form: {}, headers: basic('eva', password) })
      expect((await clientIn(browser).get(ME)).status).toBe(200)
      expect((await browser.visit(LINK)).url).toBe(`${BASE_URL}/login`)
      expect((await browser.visit('/auth/sso/link', { form: {} })).url).toBe(`${BASE_URL}/login`)
      expect(provider.paths).toEqual([])
    }))

  test.each(['signed out', 'another user', 'signed in again'])('checks who is signed in on return: %s', (how) =>
    withProvider(withEva, async ({ app, provider, localBrowser, clientIn }) => {
      provider.person = SOMEBODY
      await signUp(app, 'ole')
      const browser = await localBrowser()
      const address = await callbackUrl(browser)
      if (how === 'signed out') await browser.visit('/auth/sso/logout', { form: {} })
      const now = await localBrowser(how === 'signed in again' ? 'eva' : 'ole')
      if (how !== 'signed out') browser.setCookie(BASE_URL, `${tokenOf(now)}; Path=/podcasts`)
      const page = await browser.visit(address)
      if (how === 'signed in again') expect(page.url).toBe(`${BASE_URL}/`)
      else expectFailed(page, 'sso_state')
      expect((await clientIn(now).get(IDENTITIES)).json).toHaveLength(how === 'signed in again' ? 1 : 0)
    }),
  )
})

describe('a page of another site', () => {
  test.each<[string, Record<string, string>]>([
    ['by Sec-Fetch-Site, regardless of the Referer', { 'sec-fetch-site': 'cross-site', referer: `${BASE_URL}/` }],
    ['by the Referer of a similar host', { referer: 'http://podstep.example.evil/' }],
  ])('cannot start linking, recognized %s', (_case, headers) =>
    withProvider(withEva, async ({ provider, localBrowser }) => {
      const browser = await localBrowser()
      for (const more of [{}, FIREFOX])
        expectError(await browser.visit(LINK, { headers: { ...headers, ...more } }), 403, 'csrf_rejected')
      const form = { form: {}, headers: { origin: 'http://podstep.example:81' } }
      expectError(await browser.visit('/auth/sso/link', form), 403, 'csrf_rejected')
      expect(provider.paths).toEqual([])
    }),
  )

  test.each([
    ['an episode being played', 'no-cors', 'audio'],
    ['a video with subtitles', 'cors', 'track'],
    ['a script', 'same-origin', 'empty'],
    ['a frame', 'navigate', 'iframe'],
  ])('nor can %s on our own page start or finish linking or a sign-in', (_case, mode, destination) =>
    withProvider(withEva, async ({ provider, localBrowser, clientIn }) => {
      const browser = await localBrowser()
      const fetched = { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination }
      const headers = { 'sec-fetch-site': 'same-origin', ...FIREFOX, ...fetched }
      for (const path of [LINK, LOGIN]) expectError(await browser.visit(path, { headers }), 403, 'csrf_rejected')
      expect(provider.paths).toEqual([])
      expect(browser.cookies(CALLBACK)).not.toContain('podstep_sso_')
      provider.person = SOMEBODY
      expectError(await browser.visit(await callbackUrl(browser), { headers }), 403, 'csrf_rejected')
      expect((await clientIn(browser).get(IDENTITIES)).json).toEqual([])
    }),
  )

  const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-user': '?1' }
  test.each<[string, Record<string, string>]>([
    ['a link on our own page', { 'sec-fetch-site': 'same-origin', ...NAVIGATION, ...FIREFOX }],
    ['a typed address', { 'sec-fetch-site': 'none', ...FIREFOX }],
    ['our own page in an old browser', { referer: `${BASE_URL}/login`, ...FIREFOX }],
    ['a client that is no browser', { 'user-agent': 'curl/8' }],
  ])('is told apart from %s', (_case, headers) =>
    withProvider(withEva, async ({ localBrowser }) => {
      const page = await (await localBrowser()).visit(LINK, { headers, stopBefore: CALLBACK })
      expect(page.headers.get('location')).toStartWith(CALLBACK)
    }),
  )
})

describe('linking from a browser that does not reveal the referring page', () => {
  test('shows a confirmation page that escapes the name of the provider and keeps return_to', () =>
    withProvider({ hasEva: true, settings: { oidc_name: 'Harbour <ID>' } }, async (scene) => {
      const browser = await scene.localBrowser()
      const page = await browser.visit(`${LINK}&return_to=/docs?a=1%26b`, { headers: FIREFOX })
      expect([page.status, page.url]).toEqual([200, `${BASE_URL}${LINK}&return_to=/docs?a=1%26b`])
      expect(scene.provider.paths).toEqual([])
      expect(page.text).toContain('Go on to Harbour &lt;ID&gt;</button>')
      expect(page.text.match(/href="[^"]*"/g)).toEqual(['href="/podcasts/account"'])
      expect(await browser.submit(page)).toMatchObject({ status: 200, url: `${BASE_URL}/docs?a=1&b` })
      expect((await scene.clientIn(browser).get(IDENTITIES)).json).toHaveLength(1)
    }))

  test('shows a page that is neither cached nor framed, has no scripts and loads only its own style', () =>
    withProvider({}, async ({ browser }) => {
      const address = `${LINK}&return_to=${encodeURIComponent('/"><script>x</script>')}`
      const { text, headers } = await browser.visit(address, { headers: FIREFOX })
      const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(Object.fromEntries(headers)).toEqual({
        'content-type': 'text/html; charset=utf-8',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        // The form must send its origin, but only to this server.
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
      })
      // The hash does not cover attributes, and other resources would be blocked.
      expect(text).not.toMatch(/<script| style=| on\w+=| src=|<link|<base|<iframe|javascript:/)
    }))
})

test('an identity is listed and unlinked by its user only, and can then create an account of its own', () =>
  withProvider(withEva, async ({ app, signInAs, localBrowser }) => {
    const { client } = await signInAs(SOMEBODY, LINK, await localBrowser())
    const { client: ida } = await signInAs(IDA)
    const path = `${IDENTITIES}/${/"id":(\d+)/.exec((await client.get(IDENTITIES)).text)?.[1]}`
    expect((await ida.get(IDENTITIES)).json).toMatchObject([{ subject: '1' }])
    expectError(await ida.delete(path), 404, 'not_found')
    expect(await client.delete(path)).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect((await client.get(IDENTITIES)).json).toEqual([])
    await signInAs({ sub: '7', preferred_username: 'eva' })
    expect(await names(app)).toEqual(['eva', 'eva-2', 'ida'])
  }))

describe('a password for podcast apps', () => {
  test('is set with a session alone by a user without one, and ends the other sessions', () =>
    withProvider(withEva, async ({ app, signInAs }) => {
      const { client } = await signInAs(IDA)
      const { client: another } = await signInAs(IDA)
      for (const password of ['', 'null'])
        expectError(await clientOf(app, basic('ida', password)).get(ME), 401, 'invalid_credentials')
      const wrong = await client.post(PASSWORD, { old_password: 'wrong', new_password: 'driftwood' })
      expectError(wrong, 403, 'wrong_password', 'old_password')
      expect((await client.get(ME)).json).toMatchObject({ has_password: false })
      const answer = await client.post(PASSWORD, { new_password: 'driftwood', old_password: null })
      expect([answer.status, (await client.get(ME)).json]).toMatchObject([200, { has_password: true }])
      expect(await clientOf(app, basic('ida', 'driftwood')).get(ME)).toMatchObject({ status: 200 })
      expectError(await another.get(ME), 401, 'unauthorized')
      expectSignedIn((await signInAs(IDA)).page)
    }))

  test('needs the old password over Basic, and for users without a linked identity', () =>
    withProvider(withEva, async ({ app, signInAs, localBrowser, clientIn }) => {
      const local = await localBrowser()
      const byBasic = clientOf(app, basic('eva', 'seaglass'))
      for (const each of [byBasic, clientIn(local)])
        expectError(await each.post(PASSWORD, { new_password: 'x1234' }), 400, 'validation_failed', 'old_password')
      await signInAs(SOMEBODY, LINK, local)
      expectError(await byBasic.post(PASSWORD, { new_password: 'x1234' }), 400, 'validation_failed', 'old_password')
      expect(await clientIn(local).post(PASSWORD, { new_password: 'driftwood' })).toMatchObject({ status: 200 })
      expectError(await byBasic.get(ME), 401, 'invalid_credentials')
    }))
})
