import { describe, expect, test } from 'bun:test'
import { BASE_URL, type Browser, openBrowser, type Page } from '../support/browser.ts'
import { type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

const CALLBACK = `${BASE_URL}/auth/sso/callback`
const ticketOf = (browser: Browser) => /podstep_sso_[^;]+/.exec(browser.cookies(CALLBACK))?.[0] ?? ''

/** Goes to the provider and back, but not in: the address the provider sends the browser to. */
async function addressOf(browser: Browser): Promise<string> {
  const { headers } = await browser.visit('/auth/sso/login', { stopBefore: CALLBACK })
  return headers.get('location') ?? ''
}

/** `codes` is how many the provider was shown in all. */
function expectState(page: Page, provider: LyingProvider, codes = 0): void {
  expectFailed(page, 'sso_state')
  expect(provider.asked.filter((path) => path === '/token')).toHaveLength(codes)
}

describe('a callback is refused', () => {
  test('in a browser that did not begin the sign-in', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    expectState(await openBrowser(app).visit(address), provider)
    expect(await names(app)).toEqual([])
  })

  test('in a browser that has begun another sign-in', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const victim = openBrowser(app)
    await addressOf(victim)
    expectState(await victim.visit(address), provider)
  })

  test('with the loginState of another sign-in under the right name', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const [name = ''] = ticketOf(browser).split('=')
    const victim = openBrowser(app)
    await addressOf(victim)
    const [, value = ''] = ticketOf(victim).split('=')
    const headers = { cookie: `${name}=${value}` }
    expectState(await openBrowser(app).visit(address, { headers }), provider)
  })

  test.each<[string, (loginState: string) => string]>([
    ['one letter changed in the middle', (loginState) => changed(loginState, Math.floor(loginState.length / 2))],
    ['its first letter changed', (loginState) => changed(loginState, 0)],
    ['its last letters cut off', (loginState) => loginState.slice(0, -4)],
    ['its first half only', (loginState) => loginState.slice(0, loginState.length / 2)],
    ['something appended', (loginState) => `${loginState}AAAA`],
    ['nothing in it', () => ''],
    ['something else in it', () => Buffer.from('{"state":"x","expiresAt":9999999999}').toString('base64url')],
    ['no base64 in it', () => '%%%'],
  ])('with a loginState that has %s', async (_case, change) => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const [name = '', loginState = ''] = ticketOf(browser).split('=')
    const headers = { cookie: `${name}=${change(loginState)}` }
    expectState(await openBrowser(app).visit(address, { headers }), provider)
    expect(await names(app)).toEqual([])
  })

  test.each<[string, (parameters: URLSearchParams) => void]>([
    ['without a state', (parameters) => parameters.delete('state')],
    ['with an empty state', (parameters) => parameters.set('state', '')],
    ['with another state', (parameters) => parameters.set('state', 'A'.repeat(43))],
    ['with the beginning of its state', (parameters) => parameters.set('state', firstLetters(parameters))],
    ['with a state that begins alike', (parameters) => parameters.set('state', `${firstLetters(parameters)}AAA`)],
    ['with another state before it', (parameters) => setFirst(parameters, 'state', 'A'.repeat(43))],
    ['with a state fit to split headers', (parameters) => parameters.set('state', 'a\r\nx: y')],
  ])('%s', async (_case, change) => {
    await using provider = startLyingProvider()
    const { browser } = open(provider)
    const address = new URL(await addressOf(browser))
    change(address.searchParams)
    expectState(await browser.visit(address.href), provider)
  })

  test('without anything', async () => {
    await using provider = startLyingProvider()
    const { browser } = open(provider)
    expectState(await browser.visit('/auth/sso/callback'), provider)
  })

  test('the second time, with the same address and cookies; the first session lives on', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const headers = { cookie: browser.cookies(CALLBACK) }
    expectSignedIn(await browser.visit(address))
    expectState(await openBrowser(app).visit(address, { headers }), provider, 1)
    expect(await browser.visit('/api/2/me')).toMatchObject({ status: 200 })
  })

  test('when it comes twice at once: one of them wins', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const headers = { cookie: browser.cookies(CALLBACK) }
    const pages = await Promise.all([1, 2].map(() => openBrowser(app).visit(address, { headers })))
    const failed = pages.filter(({ url }) => url.includes('error='))
    expect(failed).toHaveLength(1)
    for (const page of failed) expectState(page, provider, 1)
  })

  test('after a failure: a sign-in has one try', async () => {
    await using provider = startLyingProvider({ claims: (truth) => ({ ...truth, nonce: 'wrong' }) })
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    const headers = { cookie: browser.cookies(CALLBACK) }
    expectFailed(await browser.visit(address), 'sso_failed')
    provider.lies = {}
    expectState(await openBrowser(app).visit(address, { headers }), provider, 1)
  })

  test('ten minutes after the sign-in was begun', async () => {
    await using provider = startLyingProvider()
    const { app, browser } = open(provider)
    const address = await addressOf(browser)
    app.clock.advance(600)
    expectState(await browser.visit(address), provider)
  })
})

test('a callback is good for nearly ten minutes', async () => {
  await using provider = startLyingProvider()
  const { app, browser } = open(provider)
  const address = await addressOf(browser)
  app.clock.advance(599)
  expectSignedIn(await browser.visit(address))
})

test('an error without a loginState is not believed either: nobody can make others read what the provider never said', async () => {
  await using provider = startLyingProvider()
  const { browser } = open(provider)
  expectState(await browser.visit('/auth/sso/callback?error=access_denied&state=x'), provider)
})

test('a refused callback clears its own cookie and no other', async () => {
  await using provider = startLyingProvider({ claims: (truth) => ({ ...truth, nonce: 'wrong' }) })
  const { browser } = open(provider)
  await addressOf(browser)
  const other = ticketOf(browser)
  await browser.visit('/auth/sso/login')
  expect(browser.cookies(CALLBACK)).toBe(other)
})

test('a browser keeps a few sign-ins that nobody came back from, not all of them', async () => {
  await using provider = startLyingProvider()
  const { browser } = open(provider)
  const kept = () => browser.cookies(CALLBACK).match(/podstep_sso_/g)?.length
  const counts = []
  for (let n = 0; n < 6; n++) {
    await addressOf(browser)
    counts.push(kept())
  }
  expect(counts).toEqual([1, 2, 3, 4, 1, 2])
})

test('whoever looks for it finds in the log why, and neither loginState nor state', async () => {
  await using provider = startLyingProvider()
  const { app, browser } = open(provider)
  const address = await addressOf(browser)
  const loginState = ticketOf(browser)
  await openBrowser(app).visit(address)
  expect(app.logs.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'debug', word: 'sso_state', cause: expect.stringContaining('did not begin') },
  ])
  for (const secret of [...provider.secrets, loginState]) expect(app.logs.join('')).not.toContain(secret)
})

function changed(loginState: string, at: number): string {
  return loginState.slice(0, at) + (loginState[at] === 'A' ? 'B' : 'A') + loginState.slice(at + 1)
}

function firstLetters(parameters: URLSearchParams): string {
  return parameters.get('state')?.slice(0, 12) ?? ''
}

function setFirst(parameters: URLSearchParams, name: string, value: string): void {
  const rest = parameters.getAll(name)
  parameters.set(name, value)
  for (const each of rest) parameters.append(name, each)
}
