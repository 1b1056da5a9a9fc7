import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { codeOf } from '../support/totp.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { ADMIN, openHome, PASSWORD } from './support/home.ts'

/** The code that an authenticator app shows for a secret, `later` periods of 30 seconds from now. */
async function codeOn(page: Page, secret: string, later = 0): Promise<string> {
  const seconds = await page.evaluate(() => Date.now() / 1000)
  return codeOf(secret, seconds + 30 * later)
}

describeInBrowser('two-step sign-in', () => {
  const home = openHome()

  /** Sets up the second factor on the account page. */
  async function setUp(page: Page) {
    await page
      .getByRole('button', { name: t('account.secondFactor.setUp') })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('account.password')).fill(PASSWORD)
    await dialog.getByRole('button', { name: t('account.secondFactor.next') }).click()
    await dialog.getByRole('img', { name: t('account.secondFactor.qr') }).waitFor()
    const secret = (await dialog.locator('code').textContent()) ?? ''
    expect(await violationsOn(page)).toEqual([])
    await dialog.getByLabel(t('account.secondFactor.code')).fill(await codeOn(page, secret))
    await dialog.getByRole('button', { name: t('account.secondFactor.turnOn') }).click()
    const codes = page.getByRole('dialog', { name: t('account.secondFactor.recoveryTitle') })
    await codes.waitFor()
    expect(await violationsOn(page)).toEqual([])
    const recoveryCodes = ((await codes.locator('code').textContent()) ?? '').split('\n')
    return { secret, codes, recoveryCodes }
  }

  async function signIn(page: Page, username: string): Promise<void> {
    await page.goto(`${home.url}/login`)
    await page.locator('input[name="username"]').fill(username)
    await page.locator('input[name="password"]').fill(PASSWORD)
    await page.locator('[type="submit"]').click()
  }

  test('is set up with an authenticator app, required at the next sign-in, and turned off again', async () => {
    await home.addUser('ida')
    const { page, complaints } = await home.visitAs('ida', '/account')
    const { secret, codes, recoveryCodes } = await setUp(page)
    expect(recoveryCodes).toHaveLength(10)
    const download = page.waitForEvent('download')
    await codes.getByRole('button', { name: t('account.secondFactor.download') }).click()
    expect((await download).suggestedFilename()).toBe('podstep-ida.txt')
    await codes.getByRole('button', { name: t('common.done') }).click()
    await page.getByText(t('account.secondFactor.left', { n: 10 })).waitFor()
    expect(complaints()).toEqual([])
    expect(await home.statusOf('ida', PASSWORD)).toBe(401)

    const other = await home.visit()
    await signIn(other.page, 'ida')
    const field = other.page.getByLabel(t('auth.secondFactor.code'), { exact: true })
    await field.waitFor()
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await field.getAttribute('inputmode')).toBe('numeric')
    expect(await violationsOn(other.page)).toEqual([])
    await field.fill('000000')
    await other.page.locator('[type="submit"]').click()
    await other.page.getByText(t('errors.codes.wrong_code')).waitFor()
    await field.fill(await codeOn(other.page, secret, 1))
    await other.page.locator('[type="submit"]').click()
    await other.page.waitForURL((url) => !url.pathname.endsWith('/login'))
    expect(other.complaints().filter((text) => !/40[13]/.test(text))).toEqual([])

    await page.getByRole('button', { name: t('account.secondFactor.turnOff') }).click()
    const off = page.getByRole('dialog')
    await off.getByLabel(t('account.password')).fill(PASSWORD)
    await off.getByLabel(t('account.secondFactor.anyCode')).fill(recoveryCodes[0] ?? '')
    await off.locator('[type="submit"]').click()
    await page.getByText(t('account.secondFactor.off')).waitFor()
    expect(await home.statusOf('ida', PASSWORD)).toBe(200)
  })

  test('accepts a recovery code, and can be reset by an administrator', async () => {
    await home.addUser('ole')
    const { page } = await home.visitAs('ole', '/account')
    const { recoveryCodes } = await setUp(page)
    const other = await home.visit()
    await signIn(other.page, 'ole')
    await other.page.getByRole('button', { name: t('auth.secondFactor.useRecovery') }).click()
    await other.page.getByLabel(t('auth.secondFactor.recoveryCode'), { exact: true }).fill(recoveryCodes[3] ?? '')
    await other.page.locator('[type="submit"]').click()
    await other.page.waitForURL((url) => !url.pathname.endsWith('/login'))

    const admin = await home.visitAs(ADMIN, '/admin/users')
    const card = admin.page.locator('.user', { hasText: 'ole' })
    await card.getByText(t('admin.users.secondFactor'), { exact: false }).first().waitFor()
    await card.getByRole('button', { name: t('admin.users.manage') }).click()
    await card.getByRole('button', { name: t('admin.users.resetFactor') }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByRole('button', { name: t('admin.users.resetFactor') }).click()
    await admin.page.getByText(t('admin.users.factorReset', { name: 'ole' })).waitFor()
    expect(await home.statusOf('ole', PASSWORD)).toBe(200)
    await admin.page.goto(`${home.url}/admin/log`)
    await admin.page.getByText(t('admin.log.actions.second_factor_reset', { actor: ADMIN, user: 'ole' })).waitFor()
    expect(admin.complaints()).toEqual([])
  })
})
