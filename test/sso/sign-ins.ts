import { expect } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { BASE_URL, type Browser, openBrowser, type Page } from '../support/browser.ts'
import { type Client, clientOf } from '../support/client.ts'
import type { LyingProvider } from '../support/lying-provider.ts'

/** A podstep that knows the provider, and a browser. */
export function open(
  { settings }: { readonly settings: Record<string, string> },
  more: Record<string, string> = {},
): { app: TestApp; browser: Browser } {
  const app = startTestApp({ settings: { ...settings, ...more } })
  return { app, browser: openBrowser(app) }
}

/** Somebody comes in by way of a provider that asks no questions; `client` is his browser's page from then on. */
export async function comeIn(
  app: TestApp,
  provider: LyingProvider,
  person: Claims,
  from = '/auth/sso/login',
  browser = openBrowser(app),
): Promise<{ page: Page; browser: Browser; client: Client }> {
  provider.person = person
  const page = await browser.visit(from)
  return { page, browser, client: clientIn(app, browser) }
}

/** What a page of podstep in this browser may ask for. */
export function clientIn(app: TestApp, browser: Browser): Client {
  return clientOf(app, { cookie: browser.cookies(BASE_URL) })
}

/** Expects the end of a sign-in that has worked. */
export function expectSignedIn(page: Page, path = '/'): void {
  expect([page.status, page.url]).toEqual([200, BASE_URL + path])
  expect(cookiesOn(page)).toMatch(/sessionid=[\w-]{43};/)
}

/** Expects the end of a sign-in that has not worked: the login page that explains the word, and no session on the way. */
export function expectFailed(page: Page, word: string): void {
  expect([page.status, page.url]).toEqual([200, `${BASE_URL}/login?error=${word}`])
  expect(cookiesOn(page)).not.toContain('sessionid=')
}

/** Everybody who has an account, in alphabetical order. */
export async function names(app: TestApp): Promise<string[]> {
  return (await app.services.administration.list()).map(({ username }) => username)
}

function cookiesOn({ hops }: Page): string {
  return hops.flatMap(({ cookies }) => cookies).join('\n')
}
