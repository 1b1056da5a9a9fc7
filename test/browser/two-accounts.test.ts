import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { t } from '../web/support/texts.ts'
import { signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { emailOf, openHome, PASSWORD, signOut } from './support/home.ts'
import { NO_POLLS, settle } from './support/watch.ts'

/** Makes a tab ignore other tabs and hints of the server, as if the browser had suspended it. */
const SUSPENDED = `
  addEventListener('storage', (event) => event.stopImmediatePropagation(), true)
  window.EventSource = class extends EventTarget { close() {} }
  ${NO_POLLS}
`

/** The button of a row of the account page. */
const change = (row: 'account.newPassword.title' | 'account.email.title') =>
  t('common.pair', { what: t('account.change'), value: t(row) })

describeInBrowser('two users of one browser', () => {
  const home = openHome()

  beforeAll(async () => {
    for (const name of ['ida', 'zoe']) await home.addUser(name)
  })

  test('a tab follows when another user signs in in another tab', async () => {
    const { page } = await home.visitAs('ida', '/account')
    await page.getByText(t('account.lead', { username: 'ida' })).waitFor()
    const other = await page.context().newPage()
    await other.goto(home.url)
    await signOut(other, 'ida')
    for (const tab of [other, page]) await tab.getByText(t('auth.signedOut')).waitFor()
    await signInAs(other, home.url, 'zoe', PASSWORD)
    await page.getByText(t('account.lead', { username: 'zoe' })).waitFor()
    expect(new URL(page.url()).pathname).toEndWith('/account')
  })

  test('the sign-in page says that the session has ended, and returns to the page', async () => {
    // No pending or repeated request may notice it before the click.
    const { page } = await home.visitAs('ida', '/devices', { script: NO_POLLS })
    await settle(page)
    await page.context().clearCookies()
    await page.getByRole('link', { name: t('common.nav.listening') }).click()
    await page.getByText(t('auth.sessionEnded')).waitFor()
    await page.locator('input[name="username"]:focus').fill('ida')
    await page.locator('input[name="password"]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname.endsWith('/listening'))
    await settle(page)
    await page.context().clearCookies()
    await page.reload()
    await page.getByText(t('auth.sessionEnded')).waitFor()
  })

  test('a form on a public page keeps its contents when a user signs in in another tab', async () => {
    const { page } = await home.visit()
    await page.goto(`${home.url}/reset-password#token=mailed`)
    const field = page.locator('input[type="password"]').first()
    await field.fill('driftwood')
    const other = await page.context().newPage()
    const asked = page.waitForResponse((response) => response.url().endsWith('/api/2/server'))
    await signInAs(other, home.url, 'ida', PASSWORD)
    await asked
    expect(await field.inputValue()).toBe('driftwood')
  })

  test('suspended tabs of one user cannot change or delete the account of the other', async () => {
    const { page: other } = await home.visit()
    await signInAs(other, home.url, 'ida', PASSWORD)
    const forms = [
      [change('account.newPassword.title'), t('account.newPassword.label')],
      [change('account.email.title'), t('account.email.label')],
      [t('account.removal.button'), undefined],
    ] as const
    const tabs: Page[] = []
    for (const [button] of forms) {
      const tab = await other.context().newPage()
      await tab.addInitScript(SUSPENDED)
      await tab.goto(`${home.url}/account`)
      await tab.getByRole('button', { name: button }).waitFor()
      tabs.push(tab)
    }
    await signOut(other, 'ida')
    await signInAs(other, home.url, 'zoe', PASSWORD)

    for (const [index, [button, field]] of forms.entries()) {
      const tab = tabs[index] ?? other
      expect(await tab.getByText(t('account.lead', { username: 'ida' })).count()).toBe(1)
      await tab.getByRole('button', { name: button }).click()
      const dialog = tab.getByRole('dialog')
      if (field !== undefined) await dialog.getByLabel(field).fill('drift@wood.example')
      await dialog.locator('input[type="password"]').first().fill(PASSWORD)
      await dialog.locator('[type="submit"]').click()
      await tab.getByText(t('account.lead', { username: 'zoe' })).waitFor()
    }
    expect([await home.statusOf('ida'), await home.statusOf('zoe')]).toEqual([200, 200])
    const { json } = await home.client(basic('zoe', PASSWORD)).get('/api/2/me')
    expect(json).toMatchObject({ email: emailOf('zoe') })
  })
})
