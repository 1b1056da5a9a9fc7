import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { t } from '../web/support/texts.ts'
import { signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { type Home, openHome, PASSWORD } from './support/home.ts'

/** A tab that hears nothing of the others, as one that a browser has put to sleep. */
const DEAF = `addEventListener('storage', (event) => event.stopImmediatePropagation(), true)`

describeInBrowser('two people with one browser', () => {
  let home: Home

  beforeAll(async () => {
    home = await openHome()
    for (const name of ['ida', 'zoe']) await home.addUser(name)
  }, PATIENCE)

  afterAll(() => home.stop(), PATIENCE)

  test(
    'a tab goes with who signs out and who signs in in another',
    async () => {
      const { page } = await home.visitAs('ida')
      await page.goto(`${home.url}/account`)
      await page.getByText(t('account.lead', { username: 'ida' })).waitFor()
      const other = await page.context().newPage()
      await other.goto(home.url)
      await other.getByRole('button', { name: t('common.signOut') }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/login'))
      await signInAs(other, home.url, 'zoe', PASSWORD)
      await page.getByText(t('account.lead', { username: 'zoe' })).waitFor()
      expect(new URL(page.url()).pathname).toEndWith('/account')
    },
    PATIENCE,
  )

  test(
    'what is typed at the door stays when somebody signs in in another tab',
    async () => {
      const { page } = await home.visit()
      await page.goto(`${home.url}/reset-password#token=mailed`)
      const field = page.locator('input[type="password"]').first()
      await field.fill('driftwood')
      const other = await page.context().newPage()
      const asked = page.waitForResponse((response) => response.url().endsWith('/api/2/server'))
      await signInAs(other, home.url, 'ida', PASSWORD)
      await asked
      expect(await field.inputValue()).toBe('driftwood')
    },
    PATIENCE,
  )

  test(
    'a tab that hears nothing deletes nobody else, and finds out who is there',
    async () => {
      const { page } = await asZoeBehindIda()
      await page.getByRole('button', { name: t('account.removal.button') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('account.password')).fill(PASSWORD)
      await dialog.getByRole('button', { name: t('account.removal.confirm') }).click()
      await page.getByText(t('account.lead', { username: 'zoe' })).waitFor()
      expect([await statusOf('ida', PASSWORD), await statusOf('zoe', PASSWORD)]).toEqual([200, 200])
    },
    PATIENCE,
  )

  test(
    'nor does it change the password or the address of anybody else',
    async () => {
      for (const [button, field] of [
        [t('account.newPassword.save'), t('account.newPassword.label')],
        [t('account.email.save'), t('account.email.label')],
      ] as const) {
        const { page } = await asZoeBehindIda()
        const form = page.locator('form', { has: page.getByRole('button', { name: button }) })
        await form.locator('input[type="password"]').first().fill(PASSWORD)
        await form.getByLabel(field).fill('drift@wood.example')
        await form.getByRole('button', { name: button }).click()
        await page.getByText(t('account.lead', { username: 'zoe' })).waitFor()
      }
      expect([await statusOf('ida', PASSWORD), await statusOf('zoe', PASSWORD)]).toEqual([200, 200])
      expect((await home.client(basic('zoe', PASSWORD)).get('/api/2/me')).json).toMatchObject({
        email: 'zoe@home.example',
      })
    },
    PATIENCE,
  )

  test(
    'nor are pages of somebody else an error',
    async () => {
      const { page } = await asZoeBehindIda()
      await page.getByRole('link', { name: t('common.nav.devices') }).click()
      await page.waitForEvent('load')
      await page.goto(`${home.url}/account`)
      await page.getByText(t('account.lead', { username: 'zoe' })).waitFor()
    },
    PATIENCE,
  )

  /** A tab with the account of ida, in a browser where zoe is signed in since. */
  async function asZoeBehindIda(): Promise<{ page: Page }> {
    const { page } = await home.visit()
    await page.addInitScript(DEAF)
    await signInAs(page, home.url, 'ida', PASSWORD)
    await page.goto(`${home.url}/account`)
    await page.getByRole('button', { name: t('account.removal.button') }).waitFor()
    const other = await page.context().newPage()
    await other.goto(home.url)
    await other.getByRole('button', { name: t('common.signOut') }).click()
    await signInAs(other, home.url, 'zoe', PASSWORD)
    expect(await page.getByText(t('account.lead', { username: 'ida' })).count()).toBe(1)
    return { page }
  }

  async function statusOf(username: string, password: string): Promise<number> {
    return (await home.client(basic(username, password)).get('/api/2/me')).status
  }
})
