import { describe, expect, test } from 'bun:test'
import { BASE_URL, openBrowser } from '../support/browser.ts'
import { clientOf } from '../support/client.ts'
import { expectSignedIn, LOGIN, withProvider } from './scene.ts'

const LAN = '192.168.1.20:8080'
const SENT_ON = 'podstep_sent_on=1'

describe('a sign-in at another address than base_url', () => {
  test.each([
    ['an IP address', LAN, '', '?return_to=%2F', '/'],
    ['a name without a domain', 'pods', '?return_to=/docs', '?return_to=%2Fdocs', '/docs'],
    ['an IPv6 address', '[fd00::2]:8080', '?return_to=//evil.example/', '?return_to=%2F', '/'],
    ['an account chooser', LAN, '?prompt=select_account', '?return_to=%2F&prompt=select_account', '/'],
  ])('is redirected to base_url: %s', (_title, host, query, expected, path) =>
    withProvider({}, async ({ app, provider, logged }) => {
      const { status, headers } = await clientOf(app, { host }).get(`/podcasts${LOGIN}${query}`)
      expect([status, headers.get('location')]).toEqual([302, `${BASE_URL}${LOGIN}${expected}`])
      expect(headers.get('set-cookie')).not.toContain('podstep_sso_')
      expect(provider.paths).toEqual([])
      expect(logged()).toContainEqual(expect.objectContaining({ level: 'info', host }))
      expectSignedIn(await openBrowser(app).visit(headers.get('location') ?? ''), path)
    }),
  )

  test.each(['podstep.example', 'podstep.example:8443', 'PODSTEP.example'])('is not redirected at %s', (host) =>
    withProvider({}, async ({ app, provider }) => {
      const { headers } = await clientOf(app, { host }).get(`/podcasts${LOGIN}`)
      expect(headers.get('location')).toStartWith(`${provider.issuer}/authorize?`)
    }),
  )

  const SECURE = 'https://podstep.example/podcasts'
  const PROXY = { trusted_proxies: '192.0.2.1' }
  test.each<[title: string, headers: Record<string, string>, isRedirected: boolean]>([
    ['the port of the backend', { host: 'podstep.example:8080' }, true],
    ['http, according to the proxy', { host: 'podstep.example', 'x-forwarded-proto': 'http' }, true],
    ['https, according to the proxy', { host: 'podstep.example', 'x-forwarded-proto': 'https' }, false],
    ['a proxy without X-Forwarded-Proto', { host: 'podstep.example' }, false],
    ['the default port', { host: 'podstep.example:443' }, false],
  ])('with https in base_url, is redirected for %s: %j → %p', (_title, headers, isRedirected) =>
    withProvider({ settings: { ...PROXY, base_url: SECURE } }, async ({ app, provider }) => {
      const answer = await clientOf(app, headers).get(`/podcasts${LOGIN}`)
      const start = isRedirected ? `${SECURE}${LOGIN}?` : `${provider.issuer}/authorize?`
      expect(answer.headers.get('location')).toStartWith(start)
    }),
  )

  test('does not loop if a proxy replaces the Host header', () =>
    withProvider({}, async ({ app, provider }) => {
      const { headers } = await clientOf(app, { host: 'podstep:8080', cookie: SENT_ON }).get(`/podcasts${LOGIN}`)
      expect(headers.get('location')).toStartWith(`${provider.issuer}/authorize?`)
    }))

  test('asks at base_url before linking an identity, regardless of the referring page', () =>
    withProvider({ hasEva: true }, async ({ app, localBrowser }) => {
      const { headers } = await clientOf(app, { host: LAN }).get(`/podcasts${LOGIN}?link=1&return_to=/account`)
      const location = headers.get('location') ?? ''
      expect(location).toBe(`${BASE_URL}${LOGIN}?return_to=%2Faccount&link=ask`)
      const browser = await localBrowser()
      const page = await browser.visit(location, { headers: { 'sec-fetch-site': 'cross-site' } })
      expect(page).toMatchObject({ status: 200, url: location })
      const linked = await browser.submit(page)
      expect([linked.status, linked.url]).toEqual([200, `${BASE_URL}/account`])
      expect((await browser.visit('/api/2/me/identities')).json).toHaveLength(1)
      const anonymous = await openBrowser(app).visit(location)
      expect(anonymous.url).toBe(`${BASE_URL}/login?return_to=%2Faccount`)
    }))
})
