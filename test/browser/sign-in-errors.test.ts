import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SignInErrorCode } from '../../src/domain/accounts/single-sign-on.ts'
import { LOCALES, t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { type Home, openHome } from './support/home.ts'
import { settle, type WatchedPage } from './support/watch.ts'

const CODES = Object.keys({
  sso_state: true,
  sso_denied: true,
  sso_failed: true,
  sso_unavailable: true,
  account_inactive: true,
  account_pending: true,
  registration_closed: true,
  email_taken: true,
  identity_taken: true,
} satisfies Record<SignInErrorCode, true>)
const UNKNOWN = ['nonsense', 'constructor', '<script>alert(1)</script>']
const TEXTS: Readonly<Record<string, string>> = LOCALES.get('en')?.auth.errors ?? {}

describeInBrowser('a failed single sign-on', () => {
  let home: Home
  let watched: WatchedPage

  beforeAll(async () => {
    home = await openHome()
    watched = await home.visit()
  })

  afterAll(() => home.stop())

  test('has a text for each error code of the server, and no others', () => {
    expect(new Set(Object.keys(TEXTS))).toEqual(new Set(CODES))
  })

  test.each([
    ['sso_state', t('auth.errors.sso_state')],
    ...UNKNOWN.map((code) => [code, t('auth.errorUnknown')] as const),
  ])('is explained on /login?error=%s', async (code, text) => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/login?error=${encodeURIComponent(code)}`)
    await settle(page)
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([text])
    expect(await page.locator('input[name="username"]').isVisible()).toBe(true)
    expect(complaints()).toEqual([])
  })
})
