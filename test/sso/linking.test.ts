import { describe, expect, test } from 'bun:test'
import { expectRefusal } from '../http/refusal.ts'
import type { TestApp } from '../support/app.ts'
import { BASE_URL, type Browser, openBrowser } from '../support/browser.ts'
import { basic } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { startLyingProvider } from '../support/lying-provider.ts'
import { clientIn, comeIn, expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

const IDENTITIES = '/podcasts/api/2/me/identities'
const LINK = '/auth/sso/login?link=1'
/** All browsers begin like this. */
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const CALLBACK = `${BASE_URL}/auth/sso/callback`
const atProvider = { sub: '7', preferred_username: 'somebody', email: 'eva@pods.example' }

/** The browser of a local user, signed in with name and password. */
async function localBrowser(app: TestApp, username = 'eva'): Promise<Browser> {
  const user = { username, password: 'seaglass', email: `${username}@pods.example` }
  if (!(await names(app)).includes(username)) await app.services.administration.create(user, false, COMMAND_LINE)
  const browser = openBrowser(app)
  await browser.visit(`/api/2/auth/${username}/login.json`, { form: {}, headers: basic(username, 'seaglass') })
  return browser
}

async function identitiesIn(app: TestApp, browser: Browser): Promise<unknown> {
  return (await clientIn(app, browser).get(IDENTITIES)).json
}

/** The way to the provider and back with `link=1`, up to the callback. */
async function addressOf(browser: Browser): Promise<string> {
  const { headers } = await browser.visit(LINK, { stopBefore: CALLBACK })
  return headers.get('location') ?? ''
}

const tokens = (browser: Browser) => /sessionid=[^;]*/.exec(browser.cookies(BASE_URL))?.[0]

describe('a signed-in user who links an identity', () => {
  test('keeps the session, ends where asked to, and has it from then on', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    const session = tokens(browser)
    const { page } = await comeIn(app, provider, atProvider, `${LINK}&return_to=/docs`, browser)
    expect([page.status, page.url]).toEqual([200, `${BASE_URL}/docs`])
    expect(tokens(browser)).toBe(session)
    expect(await identitiesIn(app, browser)).toEqual([
      { id: expect.any(Number), issuer: provider.issuer, subject: '7', linked: '2025-03-02T10:00:00' },
    ])
  })

  test('can sign in with it from then on, though the address is that of the account', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    expectFailed((await comeIn(app, provider, atProvider)).page, 'email_taken')
    await comeIn(app, provider, atProvider, LINK, browser)
    const { page, client } = await comeIn(app, provider, atProvider)
    expectSignedIn(page)
    expect((await client.get('/podcasts/api/2/me')).json).toMatchObject({ username: 'eva' })
    expect(await names(app)).toEqual(['eva'])
  })

  test('may do so again, which changes nothing', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    await comeIn(app, provider, atProvider, LINK, browser)
    const before = await identitiesIn(app, browser)
    const { page } = await comeIn(app, provider, atProvider, LINK, browser)
    expect(page.url).toBe(`${BASE_URL}/`)
    expect(await identitiesIn(app, browser)).toEqual(before)
  })

  test('needs no automatic accounts for that', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, { oidc_auto_create: 'false' })
    const browser = await localBrowser(app)
    await comeIn(app, provider, atProvider, LINK, browser)
    expect(await identitiesIn(app, browser)).toMatchObject([{ subject: '7' }])
  })
})

describe('linking is refused', () => {
  test('when the identity is linked to another account', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await comeIn(app, provider, atProvider, LINK, await localBrowser(app))
    const ole = await localBrowser(app, 'ole')
    expectFailed((await comeIn(app, provider, atProvider, LINK, ole)).page, 'identity_taken')
    expect(await identitiesIn(app, ole)).toEqual([])
  })

  test('when the account is linked to another identity of the provider', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    await comeIn(app, provider, atProvider, LINK, browser)
    expectFailed((await comeIn(app, provider, { sub: '8' }, LINK, browser)).page, 'identity_taken')
    expect(await identitiesIn(app, browser)).toMatchObject([{ subject: '7' }])
  })

  test('to somebody who is not signed in, or only by a password that comes along', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    await localBrowser(app)
    for (const headers of [{}, basic('eva', 'seaglass')]) {
      const page = await browser.visit(LINK, { headers })
      expect([page.status, page.url]).toEqual([200, `${BASE_URL}/login`])
    }
    expect(provider.asked).toEqual([])
  })
})

describe('a link that is finished in another session than it was begun in', () => {
  const CASES: [string, (app: TestApp, browser: Browser) => Promise<unknown>][] = [
    ['signed out', (_app, browser) => browser.visit('/auth/sso/logout', { form: {} })],
    ['signed in as somebody else', (app, browser) => becomeOle(app, browser)],
  ]

  test.each(CASES)('%s, goes nowhere', async (_case, change) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    provider.person = atProvider
    const browser = await localBrowser(app)
    const address = await addressOf(browser)
    await change(app, browser)
    expectFailed(await browser.visit(address), 'sso_state')
    expect(await identitiesIn(app, await localBrowser(app))).toEqual([])
    expect(await identitiesIn(app, await localBrowser(app, 'ole'))).toEqual([])
  })

  test('but of the same user is one', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    const address = await addressOf(browser)
    const headers = basic('eva', 'seaglass')
    await browser.visit('/api/2/auth/eva/login.json', { form: {}, headers })
    expect((await browser.visit(address)).url).toBe(`${BASE_URL}/`)
    expect(await identitiesIn(app, browser)).toHaveLength(1)
  })

  async function becomeOle(app: TestApp, browser: Browser): Promise<void> {
    browser.setCookie(BASE_URL, `${tokens(await localBrowser(app, 'ole'))}; Path=/podcasts`)
  }
})

describe('a page of another site', () => {
  test.each<[string, Record<string, string>]>([
    ['as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['as the browser says, of a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['as the browser says, whatever the Referer', { 'sec-fetch-site': 'cross-site', referer: `${BASE_URL}/` }],
    ['as an old browser says by Referer', { referer: 'https://evil.example/' }],
    ['as an old browser says by Referer, of a name that begins alike', { referer: 'http://podstep.example.evil/' }],
    ['as an old browser says by a Referer without sense', { referer: 'about:client' }],
  ])('begins no link, %s', async (_case, headers) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    for (const more of [{}, { 'user-agent': FIREFOX }])
      expectRefusal(await browser.visit(LINK, { headers: { ...headers, ...more } }), 403, 'csrf_rejected')
    expect(provider.asked).toEqual([])
  })

  test('begins none by a form either', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    for (const origin of ['https://evil.example', 'http://podstep.example:81'])
      expectRefusal(await browser.visit('/auth/sso/link', { form: {}, headers: { origin } }), 403, 'csrf_rejected')
    expect(provider.asked).toEqual([])
  })

  test.each<[string, Record<string, string>]>([
    ['typed by hand', { 'sec-fetch-site': 'none', 'user-agent': FIREFOX }],
    ['a page of ours', { 'sec-fetch-site': 'same-origin', referer: `${BASE_URL}/login`, 'user-agent': FIREFOX }],
    ['a page of ours that does not say which', { 'sec-fetch-site': 'same-origin', 'user-agent': FIREFOX }],
    ['a page of ours in an old browser', { referer: `${BASE_URL}/login`, 'user-agent': FIREFOX }],
    ['no browser at all', { 'user-agent': 'curl/8' }],
  ])('is not %s', async (_case, headers) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    expect((await browser.visit(LINK, { headers, stopBefore: CALLBACK })).headers.get('location')).toStartWith(CALLBACK)
  })
})

describe('a browser that does not say whose page leads to a link', () => {
  const headers = { 'user-agent': FIREFOX }

  test('shows a page that asks first', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, { oidc_name: 'Harbour ID' })
    const page = await (await localBrowser(app)).visit(LINK, { headers })
    expect(page).toMatchObject({ status: 200, url: BASE_URL + LINK })
    expect([page.text.includes('Harbour ID'), provider.asked]).toEqual([true, []])
  })

  test('goes on from there to where it was asked to', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    const page = await browser.visit(`${LINK}&return_to=/docs?a=1%26b`, { headers })
    expect(await browser.submit(page)).toMatchObject({ status: 200, url: `${BASE_URL}/docs?a=1&b` })
    expect(await identitiesIn(app, browser)).toHaveLength(1)
  })

  test('shows nothing that the address has put there', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const browser = await localBrowser(app)
    const { text } = await browser.visit(`${LINK}&return_to=${encodeURIComponent('/"><script>x</script>')}`, {
      headers,
    })
    expect(text).not.toContain('<script>x')
  })

  test('asks for nothing else', async () => {
    await using provider = startLyingProvider()
    const { browser } = open(provider)
    expectSignedIn(await browser.visit('/auth/sso/login', { headers }))
  })

  test('goes to /login from there, if nobody is signed in', async () => {
    await using provider = startLyingProvider()
    const { browser } = open(provider)
    const page = await browser.visit('/auth/sso/link', { form: {} })
    expect([page.status, page.url]).toEqual([200, `${BASE_URL}/login`])
  })
})
