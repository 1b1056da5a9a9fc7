import { describe, expect, test } from 'bun:test'
import { expectRefusal } from '../http/refusal.ts'
import { BASE_URL, openBrowser, type Page, signInAs } from '../support/browser.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

/** The hop to an address that begins like this. */
function hopTo(page: Page, start: string) {
  const hop = page.hops.find(({ url }) => url.startsWith(start))
  if (!hop) throw new Error(`nobody went to ${start}`)
  return { ...hop, query: Object.fromEntries(new URL(hop.url).searchParams) }
}

describe('signing in at the provider', () => {
  test('makes an account for a new identity: the first is administrator, others are not', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    expectSignedIn(await signInAs(browser, 'ida'))
    expect((await browser.visit('/api/2/me')).json).toEqual({
      username: 'ida',
      email: 'ida@pods.example',
      is_admin: true,
      is_active: true,
      has_password: false,
    })
    const another = openBrowser(app)
    expectSignedIn(await signInAs(another, 'ole-24'))
    expect((await another.visit('/api/2/me')).json).toMatchObject({ username: 'ole', is_admin: false, is_active: true })
  })

  test('finds that account the second time, in another browser', async () => {
    await using provider = await startOidcProvider()
    const { app } = open(provider)
    for (let n = 0; n < 2; n++) {
      const browser = openBrowser(app)
      expectSignedIn(await signInAs(browser, 'ida'))
      expect((await browser.visit('/api/2/me')).json).toMatchObject({ username: 'ida' })
    }
    expect(await names(app)).toEqual(['ida'])
  })

  test('asks no more where the provider knows the browser', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    await signInAs(browser, 'ida')
    expectSignedIn(await browser.visit('/auth/sso/login'))
  })

  test('asks the provider for a code, with state, nonce and PKCE', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    const page = await signInAs(browser, 'ida')
    expect(hopTo(page, `${provider.issuer}/auth?`).query).toEqual({
      client_id: 'podstep',
      redirect_uri: `${BASE_URL}/auth/sso/callback`,
      response_type: 'code',
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test('sets a session cookie like any other, and clears its own', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    const page = await signInAs(browser, 'ida')
    const kept = hopTo(page, `${BASE_URL}/auth/sso/login`).cookies
    expect(kept).toEqual([
      expect.stringMatching(
        /^podstep_sso_[\w-]+=[\w-]+; Path=\/podcasts\/auth\/sso; HttpOnly; SameSite=Lax; Max-Age=600$/,
      ),
    ])
    expect(hopTo(page, `${BASE_URL}/auth/sso/callback`).cookies).toEqual([
      expect.stringMatching(/^sessionid=[\w-]{43}; Path=\/podcasts; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
      expect.stringMatching(/^podstep_sso_[\w-]+=; Path=\/podcasts\/auth\/sso; HttpOnly; SameSite=Lax; Max-Age=0$/),
    ])
    expect(browser.cookies(`${BASE_URL}/auth/sso/callback`)).toMatch(/^sessionid=[\w-]{43}$/)
  })

  test('keeps its cookie from plain http where the address is https', async () => {
    await using provider = await startOidcProvider()
    const { app } = open(provider, { base_url: 'https://podstep.example/podcasts' })
    const { headers } = await clientOf(app).get('/podcasts/auth/sso/login')
    expect(headers.get('set-cookie')).toMatch(/^podstep_sso_.*; Secure$/)
  })

  test.each([
    ['/docs', '/docs'],
    ['/login?from=sso', '/login?from=sso'],
    ['//evil.example/', '/'],
    ['https://evil.example/', '/'],
    ['/\\evil.example/', '/'],
  ])('with return_to=%s ends at %s', async (returnTo, path) => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    const page = await signInAs(browser, 'ida', `/auth/sso/login?return_to=${encodeURIComponent(returnTo)}`)
    expectSignedIn(page, path)
  })

  test('leaves the account without a password', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await signInAs(browser, 'ida')
    for (const password of ['', 'undefined', 'null', 'ida'])
      expectRefusal(await clientOf(app, basic('ida', password)).get('/podcasts/api/2/me'), 401, 'invalid_credentials')
  })
})

describe('two sign-ins begun in one browser', () => {
  test('both come to an end', async () => {
    await using provider = await startOidcProvider()
    const { browser } = open(provider)
    const pages = []
    for (let n = 0; n < 2; n++) pages.push(await browser.visit(`/auth/sso/login?return_to=/login?n=${n}`))
    const [first, second] = pages
    if (!first || !second) throw new Error('no pages')
    let page = await browser.submit(first, { login: 'ida' })
    page = await browser.submit(page)
    expectSignedIn(page, '/login?n=0')
    expectSignedIn(await signInAs(browser, 'ida', second.hops[1]?.url), '/login?n=1')
  })
})

describe('somebody who does not agree', () => {
  test.each([
    ['login', 0],
    ['consent', 1],
  ])('on the %s page comes back to /login without a session', async (_page, steps) => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    let page = await browser.visit('/auth/sso/login')
    for (let n = 0; n < steps; n++) page = await browser.submit(page, { login: 'ida' })
    page = await browser.click(page, 'Cancel')
    expectFailed(page, 'sso_denied')
    expect(await names(app)).toEqual([])
  })
})

describe('a provider that is down', () => {
  test('sends people back to /login, and keeps no local user out', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await signUp(app, 'eva', 'seaglass')
    await provider.stop()
    expectFailed(await browser.visit('/auth/sso/login'), 'sso_unavailable')
    const eva = clientOf(app, basic('eva', 'seaglass'))
    expect(await eva.get('/podcasts/api/2/me')).toMatchObject({ status: 200, json: { username: 'eva' } })
    expect(await eva.post('/podcasts/api/2/auth/eva/login.json')).toMatchObject({ status: 200 })
  })

  test('is an error in the log, with its cause', async () => {
    await using provider = await startOidcProvider()
    const { app, browser } = open(provider)
    await provider.stop()
    await browser.visit('/auth/sso/login')
    expect(app.logs.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', word: 'sso_unavailable', cause: expect.stringMatching(/connect/i) }),
    ])
  })
})
