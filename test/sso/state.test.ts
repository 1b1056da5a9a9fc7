import { describe, expect, test } from 'bun:test'
import { localPath } from '../../src/domain/accounts/single-sign-on.ts'
import { names } from '../http/accounts.ts'
import { type Browser, openBrowser, type Page } from '../support/browser.ts'
import { adding, CALLBACK, expectFailed, expectSignedIn, LOGIN, withProvider } from './scene.ts'

const WRONG = { claims: adding({ nonce: 'wrong' }) }

const ticketOf = (browser: Browser) => /podstep_sso_[^;]+/.exec(browser.cookies(CALLBACK))?.[0] ?? ''

/** Goes to the provider; returns the callback URL without opening it. */
async function callbackUrl(browser: Browser): Promise<string> {
  const { headers } = await browser.visit(LOGIN, { stopBefore: CALLBACK })
  return headers.get('location') ?? ''
}

describe('a callback is refused without using its code', () => {
  test('in a browser that did not start this sign-in; the log has the cause and no secret', () =>
    withProvider({}, async ({ app, browser, provider, times, logged }) => {
      const address = await callbackUrl(browser)
      const victim = openBrowser(app)
      expectFailed(await victim.visit(address), 'sso_state')
      expect(logged()).toMatchObject([
        { level: 'debug', code: 'sso_state', cause: expect.stringContaining('did not begin') },
      ])
      await callbackUrl(victim)
      expectFailed(await victim.visit(address), 'sso_state')
      for (const secret of [...provider.secrets, ticketOf(browser)]) expect(app.logs.join('')).not.toContain(secret)
      expect([times('/token'), await names(app)]).toEqual([0, []])
    }))

  test.each<[string, (ticket: string) => string]>([
    ['one letter changed in the middle', (ticket) => ticket.replace(/(?<=^.{50})./, (at) => (at === 'A' ? 'B' : 'A'))],
    ['other content', () => Buffer.from('{"state":"x","expiresAt":9999999999}').toString('base64url')],
  ])('with a forged cookie: %s', (_case, change) =>
    withProvider({}, async ({ app, browser, times }) => {
      const address = await callbackUrl(browser)
      const [name = '', ticket = ''] = ticketOf(browser).split('=')
      const headers = { cookie: `${name}=${change(ticket)}` }
      expectFailed(await openBrowser(app).visit(address, { headers }), 'sso_state')
      expect(times('/token')).toBe(0)
    }),
  )

  test.each<[string, (state: string) => string]>([
    ['with a state of the same prefix', (state) => `code=x&state=${state.slice(0, 12)}AAA`],
    ['with a state that would split headers', () => 'code=x&state=a%0D%0Ax:%20y'],
    ['with an error that the provider never sent', () => 'error=access_denied&state=x'],
  ])('%s', (_case, queryOf) =>
    withProvider({}, async ({ browser, times }) => {
      const state = new URL(await callbackUrl(browser)).searchParams.get('state') ?? ''
      expectFailed(await browser.visit(`/auth/sso/callback?${queryOf(state)}`), 'sso_state')
      expect(times('/token')).toBe(0)
    }),
  )

  test('when used again, even concurrently; the first session stays', () =>
    withProvider({}, async ({ app, browser, times }) => {
      const address = await callbackUrl(browser)
      const headers = { cookie: browser.cookies(CALLBACK) }
      const browsers = [browser, openBrowser(app)]
      const pages = await Promise.all(browsers.map((each) => each.visit(address, { headers })))
      const failed = pages.filter(({ url }) => url.includes('error='))
      for (const page of [...failed, await openBrowser(app).visit(address, { headers })])
        expectFailed(page, 'sso_state')
      expect([failed.length, times('/token')]).toEqual([1, 1])
      const [winner] = browsers.filter((_each, n) => !failed.includes(pages[n] as Page))
      expect(await winner?.visit('/api/2/me')).toMatchObject({ status: 200 })
    }))

  test('after a failed attempt, which clears its own cookie only', () =>
    withProvider({ lies: WRONG }, async ({ app, browser, provider }) => {
      await callbackUrl(browser)
      const other = ticketOf(browser)
      const address = await callbackUrl(browser)
      const headers = { cookie: browser.cookies(CALLBACK) }
      expectFailed(await browser.visit(address), 'sso_failed')
      expect(browser.cookies(CALLBACK)).toBe(other)
      provider.lies = {}
      expectFailed(await openBrowser(app).visit(address, { headers }), 'sso_state')
    }))

  test('ten minutes after the sign-in started, but not before', () =>
    withProvider({}, async ({ app, browser }) => {
      const address = await callbackUrl(browser)
      app.clock.advance(599)
      expectSignedIn(await browser.visit(address))
      const another = await callbackUrl(browser)
      app.clock.advance(600)
      expectFailed(await browser.visit(another), 'sso_state')
    }))
})

test('cookies of abandoned sign-ins are cleared when there are four', () =>
  withProvider({}, async ({ browser }) => {
    const counts = []
    for (let n = 0; n < 6; n++) {
      await callbackUrl(browser)
      counts.push(browser.cookies(CALLBACK).match(/podstep_sso_/g)?.length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 1, 2])
  }))

describe('ten failed sign-ins from one address', () => {
  test('block that address for five minutes, without requests to the provider, and no other', () =>
    withProvider({ lies: WRONG }, async ({ app, provider, signIn, times }) => {
      for (let n = 0; n < 10; n++) expectFailed(await signIn(), 'sso_failed')
      provider.lies = {}
      expectFailed(await signIn(), 'sso_failed')
      expect(times('/token')).toBe(10)
      expect(app.logs.at(-1)).toContain('too many failed sign-ins from one address')
      app.setPeer('198.51.100.7')
      expectSignedIn(await signIn())
      app.setPeer('192.0.2.1')
      app.clock.advance(300)
      expectSignedIn(await signIn())
    }))

  test('do not include successes, refused accounts and callbacks with an unknown state', () =>
    withProvider({}, async ({ app, browser, signIn }) => {
      for (let n = 0; n < 12; n++) expectSignedIn(await signIn())
      for (let n = 0; n < 12; n++)
        expectFailed(await browser.visit(`/auth/sso/callback?code=x&state=${n}`), 'sso_state')
      app.db.run(`UPDATE users SET state = 'inactive'`)
      for (let n = 0; n < 12; n++) expectFailed(await signIn(), 'account_inactive')
      app.db.run(`UPDATE users SET state = 'active'`)
      expectSignedIn(await signIn())
    }))
})

/** The host that a browser would open from a page of this server. */
const hostOf = (path: string) => new URL(path, 'http://podstep.example/').host

describe('return_to', () => {
  test.each([
    ...['/', '/ok?x=1#y', '/ok?next=https://evil.example', '/a/b.c/-_~!$&()*+,;=:@', '/%2F%2Fevil.example'],
    ...['/%5Cevil.example', '/ok//evil.example', '/@evil.example', '/:80/', '/...', `/${'a'.repeat(299)}`],
  ])('keeps %s as a path of this server', (path) => {
    expect(localPath(path)).toBe(path)
    expect(hostOf(path)).toBe('podstep.example')
  })

  test.each([
    ['/../..', '/'],
    ['/ok/../../other', '/other'],
    ['/%2e%2E/other', '/other'],
    ['/./ok/.', '/ok/'],
    ['/ok?x=/../..', '/ok?x=/../..'],
  ])('resolves %s to %s', (given, path) => expect(localPath(given)).toBe(path))

  test.each([
    ...[undefined, '', 'ok', '?x=1', '#y', '..', '@evil.example', '//', '//evil.example', '///evil.example'],
    ...['/.//evil.example', '/ok/..//evil.example', '/%2e//evil.example', '/\\evil.example', '\\\\evil.example'],
    ...['\\/evil.example', '/ok\\..\\x', '/\t/evil.example', '/\n/evil.example', '\t//evil.example', ' /ok', '/o k'],
    ...['/ok\r\nset-cookie: x=y', '/ok\u0000', '/ok\u007f', '/ö', '/\u2028', '/／evil.example', 'http:ok'],
    ...['http://podstep.example/ok', 'https://evil.example/', 'https:evil.example', 'javascript:alert(1)'],
    ...['data:text/html,x', `/${'a'.repeat(300)}`],
  ])('falls back to / for %j', (given) => expect(localPath(given)).toBe('/'))
})
