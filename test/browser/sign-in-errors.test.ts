import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SignInErrorCode } from '../../src/domain/accounts/identity-provider.ts'
import { LOCALES, t } from '../web/support/texts.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { ADMIN, type Home, openHome } from './support/home.ts'
import { settle, type WatchedPage } from './support/watch.ts'

/** All that the server knows, and what nobody does. */
const WORDS = Object.keys({
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

const EXPLAINED: Readonly<Record<string, string>> = LOCALES.get('en')?.auth.errors ?? {}

describeInBrowser('a sign-in that a provider did not bring to its end', () => {
  let home: Home
  let watched: WatchedPage

  beforeAll(async () => {
    home = await openHome()
    watched = await home.visit()
  }, PATIENCE)

  afterAll(() => home.stop(), PATIENCE)

  test.each(WORDS)(
    'is explained on /login?error=%s',
    async (word) => {
      const text = EXPLAINED[word] ?? ''
      // A sentence for people, and not the word again.
      expect(text).toMatch(/^[A-Z].+ .+\.$/)
      await expectTold(word, text)
    },
    PATIENCE,
  )

  test('has no explanation for what the server never says', () => {
    expect(new Set(Object.keys(EXPLAINED))).toEqual(new Set(WORDS))
  })

  test.each(UNKNOWN)('is told on /login?error=%s, too', (word) => expectTold(word, t('auth.errorUnknown')), PATIENCE)

  async function expectTold(word: string, text: string): Promise<void> {
    const { page, complaints } = watched
    await page.goto(`${home.url}/login?error=${encodeURIComponent(word)}`)
    await settle(page)
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([text])
    expect(await page.locator('input[name="username"]').isVisible()).toBe(true)
    expect(complaints()).toEqual([])
  }
})

describeInBrowser('a password that is wrong', () => {
  let home: Home

  beforeAll(async () => {
    home = await openHome()
  }, PATIENCE)

  afterAll(() => home.stop(), PATIENCE)

  test.each([
    ['its button, which could not keep it while it was busy', '[type="submit"]'],
    ['the field it was sent from', 'input[name="password"]'],
  ])(
    'leaves the focus on %s',
    async (_, sender) => {
      const { page } = await home.visit()
      await page.goto(`${home.url}/login`)
      await page.locator('input[name="username"]').fill(ADMIN)
      await page.locator('input[name="password"]').fill('a guess')
      await page.route('**/login.json', async (route) => {
        await page.locator('[type="submit"][aria-busy="true"]').waitFor()
        await route.continue()
      })
      await page.locator(`form ${sender}`).press('Enter')
      await page.getByRole('alert').waitFor()
      await page.locator(`${sender}:focus`).waitFor()
    },
    PATIENCE,
  )
})
